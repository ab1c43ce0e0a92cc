import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { Board } from '../board/board.ts';
import { ServiceBoard } from '../board/service-board.ts';
import { type EpochMs, systemRandomness } from '../ground/clock.ts';
import type { RateSink } from '../market/conversion-rates.ts';
import { marketSink } from '../market/feed-target.ts';
import { Guard } from '../market/guard.ts';
import type { MaintenanceWindow } from '../market/maintenance.ts';
import type { MarketControls } from '../market/market-catalogue.ts';
import { guardRules, MarketRig, marketsWith } from '../market/market-rig.testing.ts';
import { type MarketState, readState, writeState } from '../market/market-state.ts';
import {
  after,
  anyPositiveDecimal,
  conversionRate,
  decimal,
  polledTicker,
  start,
  symbol,
  upstreamMarket,
  upstreamTicker,
} from '../market/samples.testing.ts';
import { servedMarkets } from '../market/served-markets.ts';
import { FeedStatus } from '../market/service-status.ts';
import type { FeedSink } from '../market/upstream.ts';
import { MarketChanges, notBefore, takeState } from './market-replication.ts';

/** Sequences that once failed stay here. */
const seedsToKeep: readonly number[] = [1];
const bases = ['BTC', 'ETH', 'XRP'];

function partsOf(clock: FakeClock, guard?: Guard) {
  const markets = marketsWith({ guard });
  const feedStatus = new FeedStatus();
  const service = new ServiceBoard(feedStatus, clock);
  return { markets, feedStatus, service, board: new Board(markets) };
}

const laxRules = { ...guardRules, jumpPercent: decimal('40'), ratePercent: decimal('40') };

/** Everything that clients and operators can see at this instant. */
function visible({ board, markets, service }: ReturnType<typeof partsOf>, now: EpochMs) {
  const symbols = bases.flatMap((base) => [`${base}EUR`, `${base}CZK`]);
  return {
    markets: board.markets(now)?.as('identity').body.toString(),
    tickers: board.tickers(now)?.as('identity').body.toString(),
    tag: board.tickers(now)?.entityTag('identity'),
    each: symbols.map((name) => {
      const reading = board.ticker(name, now);
      return reading.kind === 'page' ? reading.page.as('identity').body : reading;
    }),
    held: JSON.stringify([...markets.doubts()].toSorted()),
    status: service.status(now),
    window: service.maintenanceRetryAfterSeconds(now),
  };
}

/** The inputs of a process's market: its feed, and decisions of operators, which every process reads from the store. */
interface MarketInputs extends FeedSink, RateSink {
  applyControls(controls: readonly MarketControls[]): void;
  setWindows(windows: readonly MaintenanceWindow[]): void;
}

type Step = (inputs: MarketInputs, clock: FakeClock) => void;

const base = fc.constantFrom(...bases);
const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(base, anyPositiveDecimal(4, 3), fc.boolean(), fc.integer({ min: -90, max: 90 })).map(
      ([name, bid, isLive, agoMs]): Step =>
        (inputs, clock) => {
          const receivedAt = clock.now();
          const changes = { symbol: symbol(`${name}EUR`), bid, ask: bid, high24h: bid, low24h: bid, receivedAt };
          const upstreamTime = after(receivedAt, -agoMs);
          inputs.tickerReceived(isLive ? upstreamTicker({ ...changes, upstreamTime }) : polledTicker(changes));
          inputs.feedCurrent(isLive ? 'live' : 'fallback', receivedAt);
        },
    ),
  },
  fc.subarray(bases).map(
    (listed): Step =>
      (inputs, clock) => {
        inputs.catalogueLoaded(
          listed.map((name) => upstreamMarket(name)),
          clock.now(),
        );
      },
  ),
  fc.tuple(base, fc.constantFrom('trading' as const, 'paused' as const)).map(
    ([name, status]): Step =>
      (inputs, clock) => {
        inputs.marketChanged(symbol(`${name}EUR`), { status }, clock.now());
      },
  ),
  fc.tuple(base, fc.option(anyPositiveDecimal(4, 2), { nil: undefined }), fc.boolean()).map(
    ([name, price1hAgo, isRecorded]): Step =>
      (inputs, clock) => {
        const recordedFor = isRecorded ? clock.now() : undefined;
        const others = { price24hAgo: undefined, price7dAgo: undefined, recordedFor };
        inputs.referencePricesChanged(symbol(`${name}EUR`), { price1hAgo, ...others });
      },
  ),
  anyPositiveDecimal(2, 3).map(
    (mid): Step =>
      (inputs, clock) => {
        inputs.rateRefreshed(conversionRate({ mid, refreshedAt: clock.now() }));
      },
  ),
  anyPositiveDecimal(2, 3).map(
    (mid): Step =>
      (inputs, clock) => {
        inputs.rateCompared(conversionRate({ mid, source: 'ecb', refreshedAt: clock.now() }));
      },
  ),
  fc.constantFrom('live' as const, 'fallback' as const).map(
    (path): Step =>
      (inputs, clock) => {
        inputs.feedPathChanged(path, clock.now());
      },
  ),
  fc.tuple(base, fc.constantFrom('EUR', 'CZK'), fc.boolean(), fc.boolean()).map(
    ([name, quote, operatorPaused, isDelisted]): Step =>
      (inputs, clock) => {
        const delistedAt = isDelisted ? clock.now() : undefined;
        inputs.applyControls([{ symbol: symbol(name + quote), operatorPaused, delistedAt }]);
      },
  ),
  fc.option(fc.integer({ min: -60_000, max: 60_000 }), { nil: undefined }).map(
    (fromMs): Step =>
      (inputs, clock) => {
        const from = after(clock.now(), fromMs ?? 0);
        inputs.setWindows(fromMs === undefined ? [] : [{ from, to: after(from, 90_000), description: 'An upgrade' }]);
      },
  ),
);
const passing = fc.constantFrom(0, 1, 500, 11_000, 3_600_000);

test('a replica that starts from any state and takes the changes that follow shows clients the same', (t) => {
  const fresh = new DataView(Uint8Array.from(systemRandomness.bytes(4)).buffer).getInt32(0);
  const sequence = fc.array(fc.tuple(steps, passing, fc.boolean()), { minLength: 2, maxLength: 60 });
  const property = fc.property(sequence, fc.nat({ max: 30 }), (done, joinedAt) => {
    const clock = new FakeClock();
    const hub = partsOf(clock, new Guard(laxRules));
    let replica: { parts: ReturnType<typeof partsOf>; take: (state: MarketState) => void } | undefined;
    const changes = new MarketChanges(hub, clock);
    const controls: MarketControls[] = [];
    const catchUp = () => replica?.take(changes.next(false));
    const inputs: MarketInputs = {
      ...marketSink(hub, clock),
      applyControls(changed) {
        catchUp();
        controls.push(...changed);
        for (const { markets } of [hub, ...(replica === undefined ? [] : [replica.parts])])
          markets.applyControls(changed);
      },
      setWindows(windows) {
        for (const { service } of [hub, ...(replica === undefined ? [] : [replica.parts])]) service.setWindows(windows);
      },
    };
    for (const [index, [step, passesMs, takesOver]] of done.entries()) {
      if (index === Math.min(joinedAt, done.length - 1)) {
        const parts = partsOf(clock);
        replica = { parts, take: (state) => takeState(parts, clock, readState(writeState(state))!) };
        parts.markets.applyControls(controls);
        parts.service.setWindows(hub.service.announced);
        changes.next(false);
        replica.take(changes.whole());
      }
      step(inputs, clock);
      if (replica !== undefined && takesOver) {
        catchUp();
        assert.deepEqual(visible(replica.parts, clock.now()), visible(hub, clock.now()));
      }
      void clock.advance(passesMs);
    }
    catchUp();
    assert.deepEqual(visible(replica!.parts, clock.now()), visible(hub, clock.now()));
  });
  for (const seed of [...seedsToKeep, fresh]) {
    t.diagnostic(`seed ${seed}`);
    fc.assert(property, { seed, numRuns: 200 });
  }
});

test('a process that follows learns which sources agreed, also those that did after it began', () => {
  const clock = new FakeClock();
  const leader = new MarketRig({ ids: ['one', 'two'] });
  const feedStatus = new FeedStatus();
  const changes = new MarketChanges({ markets: leader.markets, feedStatus }, clock);
  const follower = { markets: new MarketRig({ ids: ['one', 'two'] }).markets, feedStatus: new FeedStatus() };
  const follow = (state: MarketState) => takeState(follower, clock, readState(writeState(state))!);
  for (const source of ['one', 'two']) leader.list(source);
  follow(changes.whole());
  for (const source of ['one', 'two']) leader.tick(source, '84000');
  leader.review('live', 'live');
  follow(changes.next(true));
  assert.deepEqual(follower.markets.sources.peerMemories(), leader.markets.sources.peerMemories());
  const [[, memory] = []] = follower.markets.sources.peerMemories();
  assert.deepEqual(memory?.agreed, [['one', 'two', after(start, 0)]]);
});

test('a process that follows forgets the markets that were none (fault row 95)', () => {
  const clock = new FakeClock();
  const [leader, follower] = [partsOf(clock), partsOf(clock)];
  const former = { records: [], tickers: [], references: [], rates: [] };
  const before = partsOf(clock).markets;
  before.catalogueLoaded([upstreamMarket('BTC'), upstreamMarket('ETH', { status: 'paused' })], start);
  for (const { markets } of [leader, follower]) markets.restore({ ...former, records: before.catalogue.records() });
  const changes = new MarketChanges(leader, clock);
  changes.whole();
  leader.markets.catalogueLoaded([upstreamMarket('BTC'), { ...upstreamMarket('ETH'), status: 'ended' }], start);
  takeState(follower, clock, readState(writeState(changes.next(true)))!);
  const symbols = ({ markets }: ReturnType<typeof partsOf>) => [...markets.catalogue.all()].map((each) => each.symbol);
  assert.deepEqual(
    [symbols(leader), symbols(follower)],
    [
      ['BTCCZK', 'BTCEUR'],
      ['BTCCZK', 'BTCEUR'],
    ],
  );
});

test('what the others were not told is taken back, and the rest stays', () => {
  const clock = new FakeClock();
  const parts = partsOf(clock);
  const sink = marketSink(parts, clock);
  const changes = new MarketChanges(parts, clock);
  const price = (name: string, bid: string) => {
    const values = { bid: decimal(bid), ask: decimal(bid), high24h: decimal(bid), low24h: decimal(bid) };
    const upstreamTime = after(clock.now(), -50);
    sink.tickerReceived(upstreamTicker({ symbol: symbol(name), ...values, receivedAt: clock.now(), upstreamTime }));
    sink.feedCurrent('live', clock.now());
  };
  sink.catalogueLoaded(
    bases.map((name) => upstreamMarket(name)),
    clock.now(),
  );
  price('BTCEUR', '100');
  price('ETHEUR', '10');
  changes.next(false);
  const told = visible(parts, clock.now());
  clock.jump(3_000);
  price('BTCEUR', '101');
  assert.notDeepEqual(visible(parts, clock.now()).each, told.each);
  changes.takeBack();
  const { tickers, each } = visible(parts, clock.now());
  assert.deepEqual([tickers, each], [told.tickers, told.each]);
  assert.equal(parts.feedStatus.lastUpdatedAt, clock.now() - 3_000);
});

test('what a process has newer than the leader it offers, and the leader takes it but for what is ahead of its clock', () => {
  const clock = new FakeClock();
  const [leader, other] = [partsOf(clock), partsOf(clock)];
  const changes = [leader, other].map((parts) => new MarketChanges(parts, clock));
  const tick = (parts: ReturnType<typeof partsOf>, name: string, bid: string, agoMs: number) => {
    const values = { bid: decimal(bid), ask: decimal(bid), high24h: decimal(bid), low24h: decimal(bid) };
    const at = after(clock.now(), -agoMs);
    parts.markets.tickerReceived(upstreamTicker({ symbol: symbol(name), ...values, receivedAt: at, upstreamTime: at }));
    parts.feedStatus.feedCurrent('live', at, clock.monotonicMs() - agoMs);
  };
  const shown = ({ markets, feedStatus }: ReturnType<typeof partsOf>) => [
    [...markets.contents().tickers].map(([name, { bid }]) => `${name} ${bid}`).toSorted(),
    clock.now() - feedStatus.lastUpdatedAt!,
  ];
  for (const parts of [leader, other])
    marketSink(parts, clock).catalogueLoaded(
      bases.map((name) => upstreamMarket(name)),
      clock.now(),
    );
  tick(leader, 'BTCEUR', '100', 5_000);
  tick(leader, 'ETHEUR', '10', 3_000);
  tick(other, 'ETHEUR', '11', 4_000);
  tick(other, 'BTCEUR', '101', 2_000);
  tick(other, 'XRPEUR', '1', -1_000);
  const offered = changes[1]!.newerThan(changes[0]!.whole());
  assert.deepEqual(
    [...offered.tickers].map(([name]) => name).toSorted(),
    ['BTCEUR', 'XRPEUR'],
    'the older price is not offered',
  );
  const text = writeState(offered);
  assert.equal(changes[0]!.takeOffered(text), false, 'it is to be asked again');
  assert.deepEqual(shown(leader), [['BTCEUR 101', 'ETHEUR 10'], 3_000]);
  clock.jump(1_000);
  assert.equal(changes[0]!.takeOffered(text), true);
  assert.deepEqual(shown(leader), [['BTCEUR 101', 'ETHEUR 10', 'XRPEUR 1'], 4_000], 'not as of now');
  clock.jump(1);
  changes[0]!.takeOffered(text);
  assert.deepEqual(shown(leader)[1], 1);
  assert.equal(changes[0]!.takeOffered('anything else'), true);
  clock.jump(-20_000);
  assert.equal(changes[0]!.takeOffered(text), true, 'a clock that is so far ahead is wrong');
});

test('of a state that is newer no older price is dated as one of this process, but for one of the same seconds', () => {
  const clock = new FakeClock();
  const [own, leader] = [partsOf(clock), partsOf(clock)];
  const dated = (bid: string, agoMs: number) => {
    const at = after(clock.now(), -agoMs);
    return upstreamTicker({ bid: decimal(bid), ask: decimal('101'), receivedAt: at, upstreamTime: at });
  };
  /** Bid and age of the price once the leader's is taken. */
  const taken = (ownPrice: readonly [string, number], leaders: readonly [string, number]) => {
    for (const [{ markets }, price] of [
      [own, ownPrice],
      [leader, leaders],
    ] as const) {
      markets.catalogueLoaded([upstreamMarket('BTC')], clock.now());
      assert.equal(markets.tickerReceived(dated(...price)), undefined);
    }
    takeState(own, clock, notBefore(own, new MarketChanges(leader, clock).whole()));
    const { bid, capturedAt } = own.markets.acceptedTicker(symbol('BTCEUR'))!;
    clock.jump(3_600_000);
    return [bid, clock.now() - 3_600_000 - capturedAt];
  };
  assert.deepEqual(taken(['100', 1_000], ['99', 3_000]), ['99', 1_000], 'of the same seconds the leader has the newer');
  assert.deepEqual(taken(['100', 1_000], ['99', 111_000]), ['100', 1_000], 'what is minutes older is not newer');
  assert.deepEqual(taken(['100', 1_000], ['100', 111_000]), ['100', 1_000], 'it still stood');
  assert.deepEqual(taken(['100', 111_000], ['99', 1_000]), ['99', 1_000]);
});

test('a process that follows says of the feed what the one that runs it says, however seldom that polls', () => {
  const ways: readonly ((feed: FeedStatus, clock: FakeClock) => void)[] = [
    (feed, clock) => feed.source('first').current(true, clock.now(), clock.monotonicMs()),
    (feed, clock) => feed.source('first').current(false, clock.now(), clock.monotonicMs(), 20_000),
    (feed) => feed.source('first').lost(),
    () => {},
  ];
  for (const [index, way] of ways.entries()) {
    const clock = new FakeClock();
    const [leader, follower] = [partsOf(clock), partsOf(clock)];
    const changes = new MarketChanges(leader, clock);
    leader.feedStatus.updated('fallback', clock.now(), clock.monotonicMs());
    ways[0]!(leader.feedStatus, clock);
    way(leader.feedStatus, clock);
    for (const passedMs of [0, 3_000, 1_999, 5_001, 15_000, 1_000]) {
      clock.standStill(passedMs);
      const { silent, polled } = changes.lastSign();
      const sign = {
        atMs: clock.monotonicMs() - Number(silent),
        pollEveryMs: polled === '' ? undefined : Number(polled),
      };
      takeState(follower, clock, readState(writeState(changes.whole()))!, sign);
      const flows = [leader, follower].map(({ feedStatus }) => feedStatus.flow(clock.now(), clock.monotonicMs()).state);
      assert.equal(flows[1], flows[0], `way ${index}, after ${passedMs} ms`);
    }
  }
});

test('a process that follows counts how markets are served, and tells no younger status, as the one with the feed does (fault row 92)', () => {
  const clock = new FakeClock();
  const rig = new MarketRig({ ids: ['one', 'two'] });
  const leader = { markets: rig.markets, feedStatus: new FeedStatus() };
  const follower = { markets: new MarketRig({ ids: ['one', 'two'] }).markets, feedStatus: new FeedStatus() };
  const changes = new MarketChanges(leader, clock);
  const sinks = new Map(leader.markets.sources.all.map((source) => [source.id, marketSink(leader, clock, source)]));
  const tick = (id: string, bid: string) => {
    const receivedAt = clock.now();
    const ask = decimal(`${Number(bid) + 1}`);
    const ticker = upstreamTicker({ bid: decimal(bid), ask, receivedAt, upstreamTime: receivedAt });
    if (sinks.get(id)!.tickerReceived(ticker) === undefined) sinks.get(id)!.feedCurrent('live', receivedAt);
  };
  const agreed = (one: 'live' | 'silent') => {
    rig.nowMs = clock.now() - start;
    leader.feedStatus.reviewed(rig.serving(one, 'live'), true, clock.now(), clock.monotonicMs());
    takeState(follower, clock, readState(writeState(changes.next(true)))!);
    const [first, second] = [leader, follower].map(({ markets, feedStatus }) => ({
      served: servedMarkets(markets, clock.now()),
      path: feedStatus.path,
      lastUpdatedAt: feedStatus.lastUpdatedAt,
    }));
    assert.deepEqual(second, first);
    return { over: first!.served[0]?.over, path: first!.path, lastUpdatedAt: first!.lastUpdatedAt };
  };
  for (const id of ['one', 'two']) rig.list(id);
  takeState(follower, clock, readState(writeState(changes.whole()))!);
  for (let second = 0; second < 4; second++) {
    tick('one', '84000');
    tick('two', '60000');
    agreed('live');
    clock.standStill(1_000);
  }
  tick('one', '84000');
  const diedAt = clock.now();
  assert.deepEqual(agreed('live'), { over: 'best', path: 'live', lastUpdatedAt: diedAt });
  clock.standStill(60_000);
  tick('two', '60000');
  assert.deepEqual(agreed('silent'), { over: 'silent', path: 'fallback', lastUpdatedAt: diedAt });
});
