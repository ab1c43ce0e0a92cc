import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FakeClock, seededRandomness } from '../../test/support/fake-clock.ts';
import { MarketChanges, takeState } from '../cluster/market-replication.ts';
import { fromYaml } from '../configuration/configuration.testing.ts';
import type {
  Catalogue,
  ConnectorOptions,
  ExchangeConnector,
  LiveConnection,
  LiveListener,
} from '../feed/connector.ts';
import type { EpochMs } from '../ground/clock.ts';
import { silentLog } from '../ground/log.ts';
import { sourceViews } from '../management/views.ts';
import type { FeedTarget } from '../market/feed-target.ts';
import { type MarketState, readState, writeState } from '../market/market-state.ts';
import { decimal, symbol, upstreamMarket, upstreamTicker } from '../market/samples.testing.ts';
import { FeedStatus } from '../market/service-status.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import { sourceQuotes } from '../operator/source.ts';
import { createFeed } from './feed.ts';
import { marketsFor, rulesOf } from './market-room.ts';

/** An exchange that says what a test lets it say, without a network. Its connection is always alive. */
class PlayedExchange implements ExchangeConnector {
  readonly id: string;
  readonly #clock: ConnectorOptions['clock'];
  /** Its connection brings nothing at all, and is not closed. */
  isDead = false;
  /** Further bases that its list has. */
  invented: readonly string[] = [];
  #listener: LiveListener = () => {};

  constructor({ id, clock }: ConnectorOptions) {
    this.id = id;
    this.#clock = clock;
    played.set(id, this);
  }

  async loadCatalogue(): Promise<Catalogue> {
    const bases = this.id === 's0' ? ['BTC', 'ETH'] : ['BTC', 'ETH', 'XRP', ...this.invented];
    return {
      markets: bases.map((base) => upstreamMarket(base)),
      skipped: [{ symbol: symbol('XEUR'), name: 'X', reason: 'of another world' }],
      isComplete: true,
    };
  }

  async pollTickers(): Promise<readonly []> {
    return [];
  }

  async loadCandles(): Promise<readonly []> {
    return [];
  }

  openLive(listener: LiveListener): LiveConnection {
    this.#listener = listener;
    queueMicrotask(() => listener({ type: 'opened' }));
    return {
      subscribe: (symbols) => {
        for (const each of symbols) {
          listener({ type: 'accepted', symbol: each });
          this.price(each);
        }
      },
      unsubscribe() {},
      ping: () => this.heartbeat(),
      terminate() {},
    };
  }

  heartbeat(): void {
    if (!this.isDead) this.#listener({ type: 'frame' });
  }

  price(of: MarketSymbol): void {
    const receivedAt = this.#clock.now() as EpochMs;
    const values = { symbol: of, high24h: decimal('90000'), low24h: decimal('80000'), receivedAt };
    this.heartbeat();
    this.#listener({ type: 'ticker', isSnapshot: false, tickers: [upstreamTicker(values)] });
  }
}

const played = new Map<string, PlayedExchange>();
const BTC = symbol('BTCEUR');
const ETH = symbol('ETHEUR');

/**
 * Two sources of the same markets. Each has a price of a market every this many milliseconds, unless configured
 * otherwise.
 */
async function twoSources(kinds: readonly [string, string], everyMs: { first: number; second: number }) {
  const clock = new FakeClock();
  const sources = kinds.map((kind, index) => `{ id: s${index}, kind: ${kind} }`).join(', ');
  const redis = kinds.includes('redis-stream') ? 'redis: redis://127.0.0.1:1\n' : '';
  const configuration = fromYaml(`${redis}sources: [${sources}]\npricing: { converted: {} }\n`);
  const markets = marketsFor(configuration);
  const market = { markets, feedStatus: new FeedStatus() };
  const followed = { markets: marketsFor(configuration), feedStatus: new FeedStatus() };
  const changes = new MarketChanges(market, clock);
  const take = (parts: FeedTarget, state: MarketState) => takeState(parts, clock, readState(writeState(state))!);
  let reportedMs = Number.NEGATIVE_INFINITY;
  const following = clock.every(50, () => {
    const isDue = clock.monotonicMs() - reportedMs >= 5_000;
    if (isDue) reportedMs = clock.monotonicMs();
    take(followed, changes.next(isDue));
  });
  const reviewed: [id: string, skipped: readonly string[]][] = [];
  const kindsLoaded = new Map(kinds.map((kind) => [kind, PlayedExchange]));
  const feed = createFeed(configuration, kindsLoaded, {
    market,
    review: { loaded: (id, _, gaps) => void reviewed.push([id, gaps?.skipped.map(({ name }) => name) ?? []]) },
    clock,
    randomness: seededRandomness(1),
    log: silentLog,
  });
  feed.start();
  await clock.advance(1_000);
  const everyOf = [everyMs.first, everyMs.second];
  return {
    clock,
    used: (of = BTC) => markets.sources.used(of)?.id,
    status: () => market.feedStatus.path,
    silentMs: () => market.feedStatus.sign(clock.now(), clock.monotonicMs()).silentMs,
    epochs: () => feed.sources().map(({ health }) => health.epoch),
    reviewed: () => reviewed.splice(0),
    reviews: markets.catalogue.reviews,
    /** Lists what waits as a process that follows knows it. */
    followedPending() {
      take(followed, changes.next(false));
      return followed.markets.catalogue.reviews.pending;
    },
    /** Takes over other sources, as a reload does. */
    replace(list: string) {
      const next = fromYaml(`sources: [${list}]\npricing: { converted: {} }\n`);
      markets.replaceSources(rulesOf(next), new Set());
      feed.replace(next.sources);
    },
    async stop() {
      following.cancel();
      await feed.stop();
    },
    /** Lists them as the process that runs the feed does, and as another does. */
    listed(of = BTC) {
      take(followed, changes.next(false));
      return [markets, followed.markets].map((each) => sourceQuotes(each, of, clock.now()));
    },
    /** All sources, as the process shows them that runs the feed, or one that does not. */
    views: (isLeading: boolean) =>
      sourceViews({
        market: isLeading ? market : followed,
        feed,
        clock,
        replication: () => ({ isLeading, isAlone: false, resyncs: 0, leaseTrouble: undefined }),
      }),
    /** Begins another process with the whole state. */
    join() {
      const joined = { markets: marketsFor(configuration), feedStatus: new FeedStatus() };
      take(joined, changes.whole());
      return sourceQuotes(joined.markets, BTC, clock.now());
    },
    /** Milliseconds until the first source is left, from its last price on. Prices of the second come meanwhile. */
    async untilLeft(): Promise<number> {
      for (let ms = 0; ms < 10_000; ms += 50) {
        if (markets.sources.used(BTC)?.id !== 's0') return ms;
        await clock.advance(50);
        if (ms % everyMs.second === 0) played.get('s1')!.price(BTC);
      }
      return Number.POSITIVE_INFINITY;
    },
    /** Lets time pass. Only those sources that are named have prices. */
    async pass(ms: number, who: readonly number[], of = BTC) {
      const startMs = clock.monotonicMs();
      while (clock.monotonicMs() - startMs < ms) {
        await clock.advance(250);
        const passedMs = Math.round(clock.monotonicMs());
        for (const index of who) if (passedMs % everyOf[index]! === 0) played.get(`s${index}`)!.price(of);
      }
    },
  };
}

test('a quiet market on living connections always has a sign of life of the last two seconds, and dead ones give none (fault row 41)', async () => {
  const { pass, clock, silentMs, stop } = await twoSources(['kraken', 'bitvavo'], { first: 500, second: 500 });
  await pass(5_000, [0, 1]);
  for (let ms = 0; ms < 9_000; ms += 100) {
    await clock.advance(100);
    assert.ok(silentMs() <= 2_000, `${silentMs()} ms`);
  }
  await pass(1_000, [0, 1]);
  played.get('s0')!.isDead = true;
  await pass(3_500, []);
  assert.ok(silentMs() <= 2_000, 'the other one lives');
  played.get('s1')!.isDead = true;
  await pass(5_500, []);
  assert.ok(silentMs() > 5_000);
  await stop();
});

test('a list is loaded again once markets of it that waited are accepted; those who follow know what waits (fault row 97)', async () => {
  const { pass, clock, reviewed, reviews, followedPending, stop } = await twoSources(['kraken', 'bitvavo'], {
    first: 500,
    second: 500,
  });
  await pass(31_000, [0, 1]);
  reviewed();
  played.get('s1')!.invented = Array.from({ length: 60 }, (_, index) => `F${index}`);
  reviews.onAccepted('s1');
  await pass(1_000, [0, 1]);
  assert.deepEqual(
    reviewed().map(([id]) => id),
    ['s1'],
  );
  const [waits] = reviews.pending;
  assert.deepEqual([waits?.source, waits?.reason, waits?.count], ['s1', 'growth', 60]);
  assert.deepEqual(followedPending(), [{ ...waits, symbols: waits?.symbols.slice(0, 20) }]);
  const nothing = { rejected: [], kept: [], keptAt: clock.now() as EpochMs };
  reviews.decide([{ source: 's1', accepted: waits!.symbols, ...nothing }]);
  await pass(31_000, [0, 1]);
  assert.deepEqual(
    reviewed().map(([id]) => id),
    ['s1'],
  );
  assert.deepEqual(followedPending(), []);
  await stop();
});

describe('a source whose connection is alive while no price comes', () => {
  test('is left within five seconds when its prices came steadily before and another has newer ones, and is back after a quiet minute', async () => {
    const { pass, used, status, epochs, stop } = await twoSources(['kraken', 'bitvavo'], { first: 500, second: 500 });
    await pass(70_000, [0, 1]);
    assert.deepEqual([used(), status()], ['s0', 'live']);
    await pass(3_500, [1]);
    assert.equal(used(), 's0');
    await pass(1_500, [1]);
    assert.deepEqual([used(), status()], ['s1', 'fallback'], 'degraded, as on any standby');
    assert.deepEqual(epochs(), [1, 1], 'its connection was not ended');
    await pass(55_000, [0, 1]);
    assert.equal(used(), 's1');
    await pass(7_000, [0, 1]);
    assert.deepEqual([used(), status()], ['s0', 'live']);
    await stop();
  });

  for (const silence of ['prices stop', 'everything stops']) {
    test(`is left 4 to 4.5 seconds after its last price, at whatever moment ${silence}`, async () => {
      for (const [offsetMs, everySecondMs] of [
        [0, 500],
        [120, 1_000],
        [250, 1_000],
        [499, 1_500],
      ] as const) {
        const rig = await twoSources(['kraken', 'bitvavo'], { first: 500, second: everySecondMs });
        await rig.pass(70_000, [0, 1]);
        await rig.clock.advance(offsetMs);
        played.get('s0')!.price(BTC);
        played.get('s0')!.isDead = silence === 'everything stops';
        const leftMs = await rig.untilLeft();
        assert.ok(leftMs >= 4_000 && leftMs <= 4_500, `${leftMs} ms, ${offsetMs} ms after a look`);
        await rig.stop();
      }
    });
  }

  test('keeps its markets when the whole market is quiet', async () => {
    const { pass, used, status, stop } = await twoSources(['kraken', 'bitvavo'], { first: 500, second: 500 });
    await pass(70_000, [0, 1]);
    await pass(9_000, []);
    assert.deepEqual([used(), status()], ['s0', 'live']);
    await stop();
  });

  test('keeps its markets when its prices always came now and then, however much the other one has', async () => {
    const { pass, used, status, stop } = await twoSources(['kraken', 'bitvavo'], { first: 3_000, second: 250 });
    await pass(70_000, [0, 1]);
    await pass(6_000, [1]);
    assert.deepEqual([used(), status()], ['s0', 'live']);
    await stop();
  });

  test('keeps its markets when the other one moves in markets of its own', async () => {
    const { pass, used, stop } = await twoSources(['kraken', 'bitvavo'], { first: 500, second: 500 });
    await pass(70_000, [0, 1]);
    await pass(9_000, [1], symbol('XRPEUR'));
    assert.equal(used(), 's0');
    await stop();
  });

  test('keeps a market that pauses while its other markets move', async () => {
    const { pass, used, stop } = await twoSources(['kraken', 'bitvavo'], { first: 500, second: 500 });
    await pass(70_000, [0, 1]);
    await pass(9_000, [0], ETH);
    assert.equal(used(BTC), 's0');
    await stop();
  });

  test('keeps its markets before half a minute of its prices is known', async () => {
    const { pass, used, stop } = await twoSources(['kraken', 'bitvavo'], { first: 500, second: 500 });
    await pass(20_000, [0, 1]);
    await pass(9_000, [1]);
    assert.equal(used(), 's0');
    await stop();
  });

  test('keeps its markets when it is an engine, whose heartbeats prove that no price is missing', async () => {
    const { pass, used, stop } = await twoSources(['push', 'kraken'], { first: 500, second: 500 });
    await pass(70_000, [0, 1]);
    await pass(9_000, [1]);
    assert.equal(used(), 's0');
    await stop();
  });
});

test('what a source left out is no longer shown once it is paused or gone, by the process that runs the feed', async () => {
  const { replace, reviewed, clock, stop } = await twoSources(['kraken', 'bitvavo'], { first: 500, second: 500 });
  assert.deepEqual(reviewed(), [
    ['s0', ['X']],
    ['s1', ['X']],
  ]);
  replace('{ id: s0, kind: kraken }, { id: s1, kind: bitvavo, paused: true }');
  assert.deepEqual(reviewed(), [['s1', []]]);
  replace('{ id: s1, kind: bitvavo }');
  await clock.advance(1_000);
  assert.deepEqual(reviewed(), [
    ['s0', []],
    ['s1', []],
    ['s1', ['X']],
  ]);
  await stop();
  replace('{ id: s0, kind: kraken }');
  assert.deepEqual(reviewed(), []);
});

describe('a process that follows the feed of another', () => {
  test('lists every source of a market as that one does, up to five seconds late, and says how late', async () => {
    const { pass, listed, join, stop } = await twoSources(['kraken', 'bitvavo'], { first: 500, second: 500 });
    await pass(68_000, [0, 1]);
    await pass(3_000, [0]);
    const [leader, follower] = listed();
    const unproved = { provedAt: null, provedAtMs: null, provedAgeMs: null };
    const withoutAge = ([first, second]: typeof leader & object) =>
      [first, second].map((each) => ({ ...each, ...unproved, reportedAgeMs: 0 }));
    assert.deepEqual(withoutAge(follower!), withoutAge(leader!));
    for (const [index, { provedAtMs }] of leader!.entries()) {
      const lateMs = provedAtMs! - follower![index]!.provedAtMs!;
      assert.ok(lateMs >= 0 && lateMs <= 5_000, 'a proof that changes no price is known with the next report');
    }
    assert.deepEqual(
      follower!.map(({ id, state, bid, ageMs }) => [id, state, bid, ageMs! < 6_000]),
      [
        ['s0', 'used', '84209.9', true],
        ['s1', 'standby', '84209.9', true],
      ],
    );
    assert.ok(follower!.every(({ reportedAgeMs }) => reportedAgeMs! > 0 && reportedAgeMs! <= 5_000));
    assert.ok(leader!.every(({ reportedAgeMs }) => reportedAgeMs === null));
    assert.deepEqual(withoutAge(join()), withoutAge(leader!));
    await stop();
  });

  test('counts the markets of each source as that one does, and says nothing of connections', async () => {
    const { pass, views, stop } = await twoSources(['kraken', 'bitvavo'], { first: 500, second: 500 });
    await pass(20_000, [0, 1]);
    const [leader, follower] = [views(true), views(false)];
    assert.deepEqual(
      follower.map(({ markets }) => markets),
      leader.map(({ markets }) => markets),
    );
    assert.deepEqual(leader.map(({ path, connection }) => [path, connection])[0], ['live', 'open']);
    assert.deepEqual(follower.map(({ path, connection }) => [path, connection])[0], [null, null]);
    await stop();
  });

  test('knows at once which source is used after one is left', async () => {
    const { pass, listed, stop } = await twoSources(['kraken', 'bitvavo'], { first: 500, second: 500 });
    await pass(70_000, [0, 1]);
    await pass(5_000, [1]);
    assert.deepEqual(
      listed()[1]!.map(({ id, state }) => [id, state]),
      [
        ['s0', 'stale'],
        ['s1', 'used'],
      ],
    );
    await stop();
  });
});
