import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { silentLog } from '../ground/log.ts';
import { marketSink } from '../market/feed-target.ts';
import { Guard } from '../market/guard.ts';
import { guardRules, marketsWith, sourceRules } from '../market/market-rig.testing.ts';
import { decimal, upstreamMarket, upstreamTicker } from '../market/samples.testing.ts';
import { runsOf, seed } from '../market/seeded.testing.ts';
import { FeedStatus, serviceStatus } from '../market/service-status.ts';
import type { Reach } from '../market/source-choice.ts';
import { SourceWatch, type WatchedSource } from './source-watch.ts';

const secondMs = 1_000;

/** A supervisor as far as it tells of its source. */
class FakeSource implements WatchedSource {
  isLive = true;
  readonly isAwaited = true;
  heardMs = 0;
  readonly stalled = undefined;
  /** Its reach of markets that it does not have live. */
  readonly others = new Map<string, Reach>();
  /** Markets whose live subscription stands, though nothing came over it. */
  readonly quiet = new Set<string>();

  reach(symbol: string): Reach {
    return this.others.get(symbol) ?? (this.isLive ? 'live' : 'silent');
  }

  isQuiet(symbol: string): boolean {
    return this.isLive && this.quiet.has(symbol);
  }

  isHeard(): boolean {
    return true;
  }

  hasLiveSince(): boolean {
    return false;
  }
}

/** A process with these sources, each with as many markets, and what clients read of its status. */
function process(ids: readonly string[], marketCount = 1) {
  const clock = new FakeClock();
  const feedStatus = new FeedStatus();
  const rules = sourceRules({ ids, returnAfterMs: 1_000 });
  const policy = { converted: new Map() };
  const markets = marketsWith({ sources: rules, policy, guard: new Guard(guardRules) });
  const listed = Array.from({ length: marketCount }, (_, index) => upstreamMarket(`M${index}`));
  const symbols = listed.map(({ symbol }) => symbol);
  const sources = new Map(ids.map((id) => [id, new FakeSource()]));
  const sinks = new Map(
    markets.sources.all.map((source) => [source.id, marketSink({ markets, feedStatus }, clock, source)]),
  );
  for (const id of ids) markets.catalogueLoaded(listed, clock.now(), undefined, id);
  const watch = new SourceWatch({ market: { markets, feedStatus }, clock, log: silentLog }, sources);

  function say(id: string, bid: string, path: 'live' | 'fallback', which = symbols): void {
    const sink = sinks.get(id)!;
    const receivedAt = clock.now();
    let isTaken = false;
    for (const symbol of which) {
      const ask = decimal(`${Number(bid) + 1}`);
      const ticker = upstreamTicker({ symbol, bid: decimal(bid), ask, path, receivedAt, upstreamTime: receivedAt });
      if (sink.tickerReceived(ticker) === undefined) isTaken = true;
    }
    if (isTaken && path === 'live') sink.feedCurrent('live', receivedAt);
  }

  return {
    clock,
    markets,
    sources,
    symbols,
    watch,
    feedStatus,
    /** A live price of a source, of all markets or of these. */
    tick: (id: string, bid: string, which?: typeof symbols) => say(id, bid, 'live', which),
    /** Prices of a source over REST while its live connection goes on. */
    poll: (id: string, bid: string, which?: typeof symbols) => say(id, bid, 'fallback', which),
    used: (symbol = symbols[0]!) => markets.sources.used(symbol)?.id,
    /** Lets time pass, and hears from every live source meanwhile. */
    async pass(ms: number) {
      for (const source of sources.values()) source.heardMs = clock.monotonicMs() + ms;
      await clock.advance(ms);
    },
    read() {
      const { ticker, flow, lastUpdatedAt } = serviceStatus(feedStatus, [], clock.now(), clock.monotonicMs());
      const ageMs = lastUpdatedAt === undefined ? undefined : clock.now() - lastUpdatedAt;
      return { ticker, flow: flow.state, ageMs };
    },
  };
}

test('sources that make no price keep no status fresh: one dies, one is contradicted, one is not comparable (fault row 92)', async () => {
  const { tick, pass, read, watch, sources, used } = process(['first', 'second']);
  tick('first', '84000');
  tick('second', '60000');
  watch.start();
  await pass(2 * secondMs);
  tick('first', '84000');
  await pass(secondMs);
  assert.deepEqual([used(), read().ticker], ['first', 'operational']);
  const firstDied = read().ageMs!;
  sources.get('first')!.isLive = false;
  const seen = new Set<string>();
  for (let second = 1; second <= 330; second++) {
    tick('second', '60000');
    for (const source of sources.values()) if (source.isLive) source.heardMs += secondMs;
    await pass(secondMs);
    const { ticker, ageMs, flow } = read();
    seen.add(ticker);
    assert.equal(used(), 'first', 'the other never agreed');
    assert.equal(ageMs, firstDied + second * secondMs, 'the age is that of the price');
    assert.equal(ticker, ageMs > 300_000 ? 'outage' : 'degraded');
    if (second > 5) assert.equal(flow, 'silent');
  }
  assert.deepEqual([...seen], ['degraded', 'outage']);
  watch.stop();
});

test('a source that makes no price degrades nothing when it falls silent (fault row 92)', async () => {
  const { tick, pass, read, watch, sources } = process(['first', 'second']);
  watch.start();
  for (let second = 0; second < 60; second++) {
    if (second === 30) sources.get('second')!.isLive = false;
    tick('first', '84000');
    if (second < 30) tick('second', '84010');
    await pass(secondMs);
    if (second > 3) assert.deepEqual(read(), { ticker: 'operational', flow: 'flowing', ageMs: secondMs });
  }
  watch.stop();
});

test('the ticker is degraded while more than a tenth of the priced markets are polled because their subscription is refused (fault row 92)', async () => {
  for (const [polled, ticker] of [
    [184, 'degraded'],
    [21, 'degraded'],
    [20, 'operational'],
  ] as const) {
    const { tick, poll, pass, read, watch, sources, symbols } = process(['only'], 200);
    const refused = symbols.slice(0, polled);
    for (const symbol of refused) sources.get('only')!.others.set(symbol, 'polled');
    poll('only', '84000', refused);
    tick('only', '84000', symbols.slice(polled));
    watch.start();
    await pass(secondMs);
    assert.equal(read().ticker, ticker, `${polled} of 200`);
    for (const symbol of refused) sources.get('only')!.quiet.add(symbol);
    await pass(secondMs);
    assert.equal(read().ticker, 'operational', 'a market whose subscription stands is merely quiet');
    watch.stop();
  }
});

test('a live standby in place of a subscription that the first source refuses counts, and in place of a quiet one does not (fault row 92)', async () => {
  const { tick, pass, read, watch, sources, symbols, used } = process(['first', 'second'], 200);
  const refused = symbols.slice(0, 184);
  for (const symbol of refused) sources.get('first')!.others.set(symbol, 'polled');
  tick('first', '84000', symbols.slice(184));
  tick('second', '84001');
  watch.start();
  await pass(3 * secondMs);
  assert.deepEqual([used(refused[0]), used(symbols[199])], ['second', 'first']);
  assert.equal(read().ticker, 'degraded');
  for (const symbol of refused) sources.get('first')!.quiet.add(symbol);
  await pass(secondMs);
  assert.equal(read().ticker, 'operational');
  watch.stop();
});

test('there is no update before the first price, and from then on always one, no older than the newest price', async () => {
  const { tick, pass, read, watch, markets, symbols, clock } = process(['first', 'second']);
  watch.start();
  const ageOfPrice = () => {
    const price = markets.acceptedTicker(symbols[0]!);
    return price && clock.now() - price.capturedAt;
  };
  tick('first', '84000');
  assert.deepEqual([ageOfPrice(), read().ageMs], [undefined, undefined], 'the first price waits for another source');
  for (let half = 1; half <= 20 && ageOfPrice() === undefined; half++) {
    assert.equal(read().ageMs, undefined);
    await pass(secondMs / 2);
  }
  assert.ok(ageOfPrice()! >= 2 * secondMs);
  assert.equal(read().ageMs, ageOfPrice(), 'made by a review, it is as old as the values it is made of');
  watch.stop();
});

test('after a restart the update is that of the price from before, until the wait for another source is over', async () => {
  const before = process(['first', 'second']);
  before.tick('first', '84000');
  before.tick('second', '84000');
  const { tick, pass, read, watch, markets, symbols, clock, feedStatus } = process(['first', 'second']);
  const ageOfPrice = () => clock.now() - markets.acceptedTicker(symbols[0]!)!.capturedAt;
  markets.restore(before.markets.contents());
  feedStatus.restore(before.feedStatus.lastUpdatedAt);
  await pass(44 * secondMs);
  watch.start();
  tick('first', '84010');
  assert.deepEqual([ageOfPrice(), read().ageMs], [44 * secondMs, 44 * secondMs]);
  tick('second', '84010');
  await pass(secondMs);
  assert.deepEqual([ageOfPrice(), read().ageMs], [secondMs, secondMs], 'as soon as the sources are reviewed');
  watch.stop();
});

type Act = { readonly id: string; readonly say: number } | { readonly id: string; readonly isLive: boolean } | number;

const anyId = fc.constantFrom('first', 'second', 'third');
/** Mostly one level; now and then a source says something else, or dies, or is back. */
const anyAct: fc.Arbitrary<Act> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ id: anyId, say: fc.constantFrom(84_000, 84_010, 84_100, 60_000, 200_000) }) },
  { weight: 1, arbitrary: fc.record({ id: anyId, isLive: fc.boolean() }) },
  { weight: 4, arbitrary: fc.constantFrom(100, 500, 2_000, 12_000, 61_000) },
);

/** Does to three sources what is said, and compares after each step what is shown with what was served. */
async function agrees(acts: readonly Act[]): Promise<void> {
  const { tick, pass, watch, sources, markets, symbols, clock, feedStatus } = process(['first', 'second', 'third']);
  const price = () => markets.acceptedTicker(symbols[0]!);
  let provedAt: number | undefined;
  watch.start();
  for (const act of acts) {
    const before = feedStatus.lastUpdatedAt;
    if (typeof act === 'number') {
      await pass(act);
    } else if ('isLive' in act) {
      sources.get(act.id)!.isLive = act.isLive;
    } else if (sources.get(act.id)!.isLive) {
      tick(act.id, `${act.say}`);
      // Served is what the price is made of: it is of this source, with these very values.
      const { source, liveReceivedAt } = price() ?? {};
      if (source === act.id && liveReceivedAt === clock.now()) provedAt = clock.now();
    }
    const newest = Math.max(provedAt ?? 0, price()?.capturedAt ?? 0);
    assert.equal(feedStatus.lastUpdatedAt ?? 0, newest, 'the last instant at which a price that is served was current');
    assert.ok((before ?? 0) <= (feedStatus.lastUpdatedAt ?? 0), 'it went back');
    assert.equal(feedStatus.lastUpdatedAt === undefined, price() === undefined);
  }
  watch.stop();
}

test('whatever sources say, agreeing, lying, dying and coming back, the last update is that of the price served (fault row 92)', async (t) => {
  t.diagnostic(`TEST_SEED=${seed}`);
  await fc.assert(fc.asyncProperty(fc.array(anyAct, { maxLength: 40 }), agrees), { seed, numRuns: runsOf(1_000) });
});
