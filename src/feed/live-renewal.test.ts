import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import type { UpstreamTicker } from '../market/upstream.ts';
import type { LiveEvent, LiveListener } from './connector.ts';
import { FeedCounters } from './health.ts';
import { LiveLink } from './live-link.ts';
import { partsForTest } from './parts.testing.ts';
import { defaultTiming } from './parts.ts';

/** One connection that does what the test says. */
interface Inner {
  readonly emit: LiveListener;
  readonly calls: string[];
}

const a = 'AEUR' as MarketSymbol;
const b = 'BEUR' as MarketSymbol;
const closed: LiveEvent = { type: 'closed', reason: 'closed', detail: '', retryAfterMs: undefined };
const ticker = (symbol: MarketSymbol): LiveEvent => {
  const tickers = [{ symbol } as UpstreamTicker];
  return { type: 'ticker', isSnapshot: true, tickers };
};
const ending: LiveEvent = { type: 'ending', detail: 'upgrade' };
let clock: FakeClock;
let inner: Inner[];
let events: string[];
let counters: FeedCounters;
let link: LiveLink;

beforeEach(() => {
  clock = new FakeClock();
  inner = [];
  events = [];
  counters = new FeedCounters();
  const openLive = (emit: LiveListener) => {
    const calls: string[] = [];
    inner.push({ emit, calls });
    const note = (name: string) => (symbols?: readonly MarketSymbol[]) => {
      calls.push(symbols === undefined ? name : `${name} ${symbols.join()}`);
    };
    const unsubscribe = note('unsubscribe');
    return { subscribe: note('subscribe'), unsubscribe, ping: note('ping'), terminate: note('terminate') };
  };
  const timing = { ...defaultTiming, transportTimeoutMs: 3_600_000, pingEveryMs: 15_000 };
  link = new LiveLink(partsForTest({ clock, counters, timing, connector: { openLive } }), {
    event: ({ type }) => events.push(type),
    ended: () => events.push('ended'),
    subscribed: () => [a, b],
  });
  link.start();
  inner[0]!.emit({ type: 'opened' });
});

afterEach(() => {
  link.stop();
  assert.equal(clock.pendingTimers, 0);
});

/** The exchange announces the end of a connection, and its successor opens. */
async function renew(of: Inner): Promise<Inner> {
  of.emit(ending);
  await clock.advance(0);
  const successor = inner.at(-1)!;
  assert.notEqual(successor, of);
  successor.emit({ type: 'opened' });
  return successor;
}

test('the successor is subscribed and delivers before the old connection ends, ten seconds later', async () => {
  const successor = await renew(inner[0]!);
  assert.deepEqual(successor.calls, [`subscribe ${a},${b}`]);
  assert.equal(link.connections.length, 2);
  await clock.advance(9_999);
  successor.emit(ticker(a));
  inner[0]!.emit(ticker(a));
  assert.ok(!inner[0]!.calls.includes('terminate'));
  await clock.advance(1);
  assert.equal(inner[0]!.calls.at(-1), 'terminate');
  successor.emit(ticker(b));
  assert.deepEqual(events, ['opened', 'ticker', 'ticker', 'ticker']);
  assert.deepEqual([counters.connectionsRenewed, counters.connectionsEnded, counters.epoch], [1, {}, 1]);
  await clock.advance(15_000);
  assert.equal(successor.calls.at(-1), 'ping');
});

test('an old connection that ends early is no fault: the successor is subscribed as soon as it is open', async () => {
  inner[0]!.emit(ending);
  await clock.advance(0);
  inner[0]!.emit(closed);
  assert.deepEqual([link.state, link.connections, counters.connectionsRenewed], ['open', [], 1]);
  inner[1]!.emit({ type: 'opened' });
  assert.deepEqual(inner[1]!.calls, [`subscribe ${a},${b}`]);
  assert.deepEqual([events, counters.connectionsEnded], [['opened'], {}]);
});

test('a successor that fails leaves the old connection in place, and another one is tried a minute later', async () => {
  inner[0]!.emit(ending);
  await clock.advance(0);
  inner[1]!.emit(closed);
  inner[0]!.emit(ending);
  assert.deepEqual(events, ['opened']);
  await clock.advance(60_000);
  assert.equal(inner.length, 3);
  inner[0]!.emit(closed);
  inner[2]!.emit(closed);
  assert.deepEqual(events, ['opened', 'ended']);
  assert.deepEqual(counters.connectionsEnded, { closed: 1 });
});

test('ends that are announced again and again are followed once a minute', async () => {
  const successor = await renew(inner[0]!);
  await clock.advance(10_000);
  successor.emit(ending);
  successor.emit(ending);
  await clock.advance(49_999);
  assert.equal(inner.length, 2);
  await clock.advance(1);
  assert.equal(inner.length, 3);
});

test('an end without an announcement is an end like any other, and nothing of that connection follows it', () => {
  inner[0]!.emit(closed);
  inner[0]!.emit(ticker(a));
  assert.deepEqual(events, ['opened', 'ended']);
});
