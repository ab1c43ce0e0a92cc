import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { silentLog } from '../ground/log.ts';
import { marketsWith, sourceRules } from '../market/market-rig.testing.ts';
import { symbol, upstreamMarket, upstreamTicker } from '../market/samples.testing.ts';
import { FeedStatus } from '../market/service-status.ts';
import { SourceWatch, type WatchedSource } from './source-watch.ts';

/** A supervisor as far as it tells of its source. */
class FakeSupervisor implements WatchedSource {
  isLive = true;
  hasPrices = true;
  stalled: WatchedSource['stalled'];
  lastAtMs = 0;
  heardMs = 0;

  reach() {
    return this.isLive ? ('live' as const) : ('silent' as const);
  }

  isHeard(): boolean {
    return this.hasPrices;
  }

  isQuiet(): boolean {
    return false;
  }

  hasLiveSince(atMs: number): boolean {
    return this.isLive && this.lastAtMs >= atMs;
  }
}

const warnedOfSilence = 'no prices come although the connection is alive';
const warnedOfChange = 'prices come from another source';

/** Two sources of as many markets, both live, the first of them in use; it is taken back after a second. */
async function watched(t: TestContext, marketCount = 2) {
  const clock = new FakeClock();
  const sources = sourceRules({ ids: ['first', 'second'], returnAfterMs: 1_000 });
  const book = marketsWith({ sources, policy: { converted: new Map() } });
  const feedStatus = new FeedStatus();
  const markets = Array.from({ length: marketCount }, (_, index) => upstreamMarket(`M${index}`));
  for (const source of book.sources.all) {
    book.catalogueLoaded(markets, clock.now(), undefined, source.id);
    for (const market of markets)
      book.tickerReceived(upstreamTicker({ symbol: market.symbol, receivedAt: clock.now() }), source);
  }
  const logged: object[] = [];
  const log = { ...silentLog, warn: (fields: object, message: string) => void logged.push({ ...fields, message }) };
  const feeds = { first: new FakeSupervisor(), second: new FakeSupervisor() };
  const supervisors = new Map<string, WatchedSource>(Object.entries(feeds));
  const watch = new SourceWatch({ market: { markets: book, feedStatus }, clock, log }, supervisors);
  watch.start();
  t.after(() => watch.stop());
  await clock.advance(2_000);
  return {
    clock,
    watch,
    feeds,
    path: () => feedStatus.path,
    states: () => ['first', 'second'].map((id) => feedStatus.source(id).state(clock.now(), clock.monotonicMs())),
    /** Does what a reload does. */
    removeSecond() {
      supervisors.delete('second');
      book.replaceSources({ ...sources, ids: ['first'] }, new Set());
      watch.replaced();
    },
    silentMs: () => feedStatus.sign(clock.now(), clock.monotonicMs()).silentMs,
    used: (name = 'M0EUR') => book.sources.used(symbol(name))?.id,
    told: () => logged.splice(0),
    tick: () => book.tickerReceived(upstreamTicker({ symbol: symbol('M0EUR'), receivedAt: clock.now() })),
  };
}

test('the choice is made twice a second, and not any more after the end', async (t) => {
  const { clock, watch, feeds, used, told } = await watched(t);
  assert.deepEqual([used(), told()], ['first', []], 'the first choice of a start is nothing to report');
  feeds.first.isLive = false;
  await clock.advance(499);
  assert.equal(used(), 'first');
  await clock.advance(1);
  assert.equal(used(), 'second');
  feeds.first.isLive = true;
  watch.stop();
  await clock.advance(60_000);
  assert.equal(used(), 'second');
  assert.equal(clock.pendingTimers, 0);
});

test('a source that gave no price since it was connected is not left to with its older one', async (t) => {
  const { clock, feeds, used, tick } = await watched(t);
  feeds.second.hasPrices = false;
  await clock.advance(1_000);
  tick();
  feeds.first.isLive = false;
  await clock.advance(1_000);
  assert.equal(used(), 'first');
  feeds.second.hasPrices = true;
  await clock.advance(500);
  assert.equal(used(), 'second');
});

test('all markets that change over together make one line, with twenty of them by name and their number', async (t) => {
  const { clock, feeds, told } = await watched(t, 25);
  feeds.first.isLive = false;
  await clock.advance(500);
  const [line, ...others] = told() as { symbols: readonly string[] }[];
  assert.deepEqual(others, []);
  const { symbols, ...rest } = line!;
  assert.equal(symbols.length, 20);
  assert.deepEqual(rest, { source: 'second', from: 'first', count: 25, message: warnedOfChange });
});

test('the feed is live while every market has its first source, and not while none of its sources is', async (t) => {
  const { clock, feeds, path } = await watched(t);
  assert.equal(path(), 'live');
  feeds.first.isLive = false;
  await clock.advance(500);
  assert.equal(path(), 'fallback');
  feeds.first.isLive = true;
  await clock.advance(2_000);
  assert.equal(path(), 'live');
  feeds.first.isLive = false;
  feeds.second.isLive = false;
  await clock.advance(500);
  assert.equal(path(), 'fallback');
});

test('a source without prices is left once another has some two seconds newer, which is reported once', async (t) => {
  const { clock, feeds, used, told } = await watched(t);
  feeds.first.stalled = { atMs: clock.monotonicMs(), symbols: [] };
  feeds.second.lastAtMs = clock.monotonicMs() + 1_999;
  await clock.advance(2_500);
  assert.deepEqual([used(), told()], ['first', []], 'the market itself may be quiet');
  feeds.second.lastAtMs += 1;
  await clock.advance(2_000);
  assert.equal(used(), 'second');
  assert.deepEqual(told(), [
    { source: 'first', message: warnedOfSilence },
    { source: 'second', from: 'first', symbols: ['M0EUR', 'M1EUR'], count: 2, message: warnedOfChange },
  ]);
  feeds.first.stalled = undefined;
  await clock.advance(2_000);
  assert.equal(used(), 'first');
});

test('the latest sign of life of a source that makes prices is that of the feed', async (t) => {
  const { clock, feeds, silentMs } = await watched(t);
  feeds.first.heardMs = clock.monotonicMs() - 1_000;
  feeds.second.heardMs = clock.monotonicMs() - 100;
  await clock.advance(500);
  assert.equal(silentMs(), 1_500, 'the second makes none');
  feeds.first.isLive = false;
  await clock.advance(500);
  assert.equal(silentMs(), 1_100, 'the first makes none any more');
});

test('a source that lost its connection, or is gone, does not deliver any more', async (t) => {
  const { clock, feeds, states, removeSecond } = await watched(t);
  feeds.first.heardMs = clock.monotonicMs();
  feeds.second.heardMs = clock.monotonicMs();
  await clock.advance(500);
  assert.deepEqual(states(), ['flowing', 'flowing']);
  feeds.first.isLive = false;
  await clock.advance(500);
  assert.deepEqual(states(), ['polled', 'flowing']);
  removeSecond();
  assert.deepEqual(states(), ['polled', 'polled']);
});

test('what is heard over a connection that does not deliver is no sign that data flows', async (t) => {
  const { clock, feeds, states } = await watched(t);
  feeds.first.isLive = false;
  for (let second = 0; second < 6; second++) {
    feeds.first.heardMs = feeds.second.heardMs = clock.monotonicMs();
    await clock.advance(1_000);
  }
  assert.deepEqual(states(), ['silent', 'flowing']);
});

test('a source is not compared with itself', async (t) => {
  const { clock, feeds, used } = await watched(t);
  feeds.second.isLive = false;
  feeds.first.stalled = { atMs: 0, symbols: [] };
  feeds.first.lastAtMs = 5_000;
  await clock.advance(2_000);
  assert.equal(used(), 'first');
});
