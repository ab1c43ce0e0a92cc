import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import type { UpstreamTicker } from '../market/upstream.ts';
import type { LiveConnection, LiveEvent, LiveListener } from './connector.ts';
import { RenewedConnection } from './renewed-connection.ts';

/** One inner connection that does what the test says. */
interface Inner {
  readonly emit: LiveListener;
  readonly announceEnd: (detail: string) => void;
  readonly calls: string[];
}

const a = 'AEUR' as MarketSymbol;
const b = 'BEUR' as MarketSymbol;
const closed: LiveEvent = { type: 'closed', reason: 'closed', detail: '', retryAfterMs: undefined };
const ticker = (symbol: MarketSymbol): LiveEvent => {
  const tickers = [{ symbol } as UpstreamTicker];
  return { type: 'ticker', isSnapshot: true, tickers };
};
let clock: FakeClock;
let inner: Inner[];
let events: string[];
let connection: LiveConnection;

function open(lifetimeMs?: number): void {
  clock = new FakeClock();
  inner = [];
  events = [];
  const openInner = (emit: LiveListener, announceEnd: (detail: string) => void) => {
    const calls: string[] = [];
    inner.push({ emit, announceEnd, calls });
    const note = (name: string) => (symbols?: readonly MarketSymbol[]) => {
      calls.push(symbols === undefined ? name : `${name} ${symbols.join()}`);
    };
    const names = ['subscribe', 'unsubscribe', 'resubscribe', 'ping', 'terminate'];
    return Object.fromEntries(names.map((name) => [name, note(name)])) as unknown as LiveConnection;
  };
  const options = { clock, ...(lifetimeMs === undefined ? {} : { lifetimeMs }) };
  connection = new RenewedConnection(openInner, options, ({ type }) => events.push(type));
  inner[0]!.emit({ type: 'opened' });
  connection.subscribe([a, b]);
}

beforeEach(() => open());

test('the successor is subscribed before the old connection ends, and takes over once it delivered every symbol', () => {
  inner[0]!.announceEnd('upgrade');
  inner[1]!.emit({ type: 'opened' });
  assert.deepEqual(inner[1]!.calls, [`subscribe ${a},${b}`]);
  inner[1]!.emit(ticker(a));
  inner[0]!.emit(ticker(a));
  assert.deepEqual(inner[0]!.calls, [`subscribe ${a},${b}`]);
  inner[1]!.emit(ticker(b));
  assert.equal(inner[0]!.calls.at(-1), 'terminate');
  assert.deepEqual(events, ['opened', 'ticker', 'ticker', 'ticker', 'renewed']);
  connection.ping();
  assert.equal(inner[1]!.calls.at(-1), 'ping');
});

test('quiet symbols hold the takeover back for ten seconds at most', async () => {
  inner[0]!.announceEnd('upgrade');
  inner[1]!.emit({ type: 'opened' });
  await clock.advance(9_999);
  assert.deepEqual(events, ['opened']);
  await clock.advance(1);
  assert.deepEqual(events, ['opened', 'renewed']);
});

test('the successor is asked for what the old connection did not answer in time, and not for what was refused', () => {
  inner[0]!.emit({ type: 'rejected', symbol: a, reason: 'unanswered' });
  inner[0]!.emit({ type: 'rejected', symbol: b, reason: 'refused' });
  inner[0]!.announceEnd('upgrade');
  inner[1]!.emit({ type: 'opened' });
  assert.deepEqual(inner[1]!.calls, [`subscribe ${a}`]);
});

test('an old connection that ends early is no fault: the successor is subscribed as soon as it is open', () => {
  inner[0]!.announceEnd('upgrade');
  inner[0]!.emit(closed);
  inner[1]!.emit({ type: 'opened' });
  assert.deepEqual(events, ['opened', 'renewed']);
  assert.deepEqual(inner[1]!.calls, [`subscribe ${a},${b}`]);
});

test('a successor that fails leaves the old connection in place, and another one is tried a minute later', async () => {
  inner[0]!.announceEnd('upgrade');
  inner[1]!.emit(closed);
  assert.deepEqual(events, ['opened']);
  await clock.advance(60_000);
  assert.equal(inner.length, 3);
  inner[0]!.emit(closed);
  inner[2]!.emit(closed);
  assert.deepEqual(events, ['opened', 'renewed', 'closed']);
  assert.equal(clock.pendingTimers, 0);
});

test('ends that are announced again and again are followed once a minute', async () => {
  inner[0]!.announceEnd('upgrade');
  inner[1]!.emit({ type: 'opened' });
  inner[1]!.emit(ticker(a));
  inner[1]!.emit(ticker(b));
  inner[1]!.announceEnd('upgrade');
  inner[1]!.announceEnd('upgrade');
  await clock.advance(59_999);
  assert.equal(inner.length, 2);
  await clock.advance(1);
  assert.equal(inner.length, 3);
});

test('a connection is replaced before it reaches the age at which the exchange ends it', async () => {
  open(23 * 3_600_000);
  await clock.advance(23 * 3_600_000);
  assert.equal(inner.length, 2);
  inner[1]!.emit({ type: 'opened' });
  inner[1]!.emit(ticker(a));
  inner[1]!.emit(ticker(b));
  assert.deepEqual(events.slice(-1), ['renewed']);
  await clock.advance(23 * 3_600_000);
  assert.equal(inner.length, 3, 'its successor has an age of its own');
});

test('an end without an announcement is an end like any other, and nothing is left after it', () => {
  inner[0]!.emit(closed);
  assert.deepEqual(events, ['opened', 'closed']);
  inner[0]!.emit(ticker(a));
  assert.deepEqual(events, ['opened', 'closed']);
  assert.equal(clock.pendingTimers, 0);
});
