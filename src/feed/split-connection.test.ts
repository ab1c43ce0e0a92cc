import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turns } from '../../test/support/eventually.ts';
import { FakeClock } from '../../test/support/fake-clock.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import type { LiveEvent, LiveListener, SubscriptionRefusal } from './connector.ts';
import { SplitConnection } from './split-connection.ts';

const [a, b, c] = ['AEUR', 'BEUR', 'CEUR'] as unknown as [MarketSymbol, MarketSymbol, MarketSymbol];

class Part {
  readonly calls: string[] = [];
  readonly emit: LiveListener;

  constructor(emit: LiveListener) {
    this.emit = emit;
  }

  readonly subscribe = (symbols: readonly MarketSymbol[]) => void this.calls.push(`subscribe ${symbols.join()}`);
  readonly unsubscribe = (symbols: readonly MarketSymbol[]) => void this.calls.push(`unsubscribe ${symbols.join()}`);
  readonly ping = () => void this.calls.push('ping');
  readonly terminate = () => void this.calls.push('terminate');
}

type Openings = ConstructorParameters<typeof SplitConnection>[0]['openings'];

function opened(openings: Openings = { push: ({ begin }) => begin() }) {
  const clock = new FakeClock();
  const bound = { symbolsMax: 2 };
  const parts: Part[] = [];
  const events: LiveEvent[] = [];
  const leading: boolean[] = [];
  const open = (listener: LiveListener, isLeading: boolean) => {
    leading.push(isLeading);
    const part = new Part(listener);
    parts.push(part);
    return part;
  };
  const connection = new SplitConnection({
    clock,
    open,
    bound,
    sessionsMax: 4,
    openings,
    hasAcknowledgements: true,
    listener: (event) => events.push(event),
  });
  parts[0]?.emit({ type: 'opened' });
  return { clock, bound, connection, parts, events, leading };
}

test('a full connection is followed by another, which gets its symbols once it is open', () => {
  const { connection, parts, events } = opened();
  connection.subscribe([a, b, c]);
  assert.deepEqual(
    parts.map(({ calls }) => calls),
    [['subscribe AEUR,BEUR'], []],
  );
  parts[1]?.emit({ type: 'opened' });
  assert.deepEqual(parts[1]?.calls, ['subscribe CEUR']);
  assert.deepEqual(events, [{ type: 'opened' }]);
});

test('the first session opens at once, whatever the pace of those that follow it', () => {
  const waiting: (() => void)[] = [];
  const { connection, parts } = opened({ push: ({ begin }) => void waiting.push(begin) });
  assert.deepEqual([parts.length, waiting.length], [1, 0]);
  connection.subscribe([a, b, c]);
  assert.deepEqual([parts.length, waiting.length], [1, 1]);
  waiting[0]!();
  assert.equal(parts.length, 2);
});

test('each symbol stays with its connection, and one that was given up makes room', () => {
  const { connection, parts } = opened();
  connection.subscribe([a, b, c]);
  connection.unsubscribe([b]);
  connection.subscribe([b]);
  connection.ping();
  const [first, second] = parts.map(({ calls }) => calls);
  assert.deepEqual(first, ['subscribe AEUR,BEUR', 'unsubscribe BEUR', 'subscribe BEUR', 'ping']);
  assert.deepEqual([second, parts.length], [[], 2]);
});

const refusals = (events: readonly LiveEvent[]) =>
  events.flatMap((event) => (event.type === 'rejected' ? [`${event.symbol} ${event.reason}`] : []));
const closed = { type: 'closed', reason: 'network', detail: 'x', retryAfterMs: undefined } as const;
const accepted = (symbol: MarketSymbol) => ({ type: 'accepted', symbol }) as const;
const rejected = (symbol: MarketSymbol, reason: SubscriptionRefusal) => ({ type: 'rejected', symbol, reason }) as const;

test('the end of one session loses its own symbols, that of the last is the end, and nothing follows it', () => {
  const { connection, parts, events } = opened();
  connection.subscribe([a, b, c]);
  parts[1]?.emit({ type: 'opened' });
  parts[1]?.emit(closed);
  assert.deepEqual([refusals(events), connection.sessions], [['CEUR lost'], 1]);
  connection.subscribe([c]);
  parts[2]?.emit({ type: 'opened' });
  assert.deepEqual(parts[2]?.calls, ['subscribe CEUR']);
  parts[0]?.emit(closed);
  assert.deepEqual(refusals(events).slice(1), ['AEUR lost', 'BEUR lost']);
  parts[2]?.emit(closed);
  parts[2]?.emit({ type: 'frame' });
  assert.deepEqual(events.at(-1), closed);
});

test('a session that says it is full keeps what it took, the rest goes to another, and the bound is learnt (fault row 93)', async () => {
  const { bound, connection, parts, events } = opened();
  connection.subscribe([a, b]);
  parts[0]?.emit(accepted(a));
  parts[0]?.emit(rejected(b, 'full'));
  await turns(1);
  parts[1]?.emit({ type: 'opened' });
  assert.deepEqual([parts[1]?.calls, bound.symbolsMax, refusals(events)], [['subscribe BEUR'], 1, []]);
  parts[1]?.emit(accepted(b));
  connection.subscribe([c]);
  assert.equal(parts.length, 3, 'a third, by the bound');
});

test('a symbol refused for no known reason is tried on another session once: it is the session, or it is the symbol', async () => {
  for (const isSession of [true, false]) {
    const { bound, connection, parts, events } = opened();
    connection.subscribe([a, b]);
    parts[0]?.emit(accepted(a));
    parts[0]?.emit(rejected(b, 'unclear'));
    await turns(1);
    parts[1]?.emit({ type: 'opened' });
    parts[1]?.emit(isSession ? accepted(b) : rejected(b, 'unclear'));
    assert.deepEqual(
      [bound.symbolsMax, refusals(events), connection.sessions],
      isSession ? [1, [], 2] : [2, ['BEUR unclear'], 1],
    );
    connection.subscribe([b]);
    parts[0]?.emit(rejected(b, 'unclear'));
    if (!isSession) assert.deepEqual([refusals(events).length, parts.length], [2, 2], 'not a second time');
  }
});

test('where no further session is to be had, the rest is told so, and another is tried later and later', async () => {
  const { clock, connection, parts, events } = opened();
  connection.subscribe([a, b, c]);
  parts[1]?.emit({ ...closed, reason: 'refused', retryAfterMs: 30_000 });
  connection.subscribe([c]);
  assert.deepEqual([refusals(events), parts.length], [['CEUR lost', 'CEUR full'], 2]);
  await clock.advance(29_999);
  connection.subscribe([c]);
  assert.equal(parts.length, 2);
  await clock.advance(1);
  connection.subscribe([c]);
  assert.equal(parts.length, 3);
});

test('a session on which nothing arrives is given up while others go on, and the next one leads', async () => {
  const { clock, connection, parts, events, leading } = opened();
  connection.subscribe([a, b, c]);
  parts[1]?.emit({ type: 'opened' });
  for (let second = 0; second < 12; second++) {
    await clock.advance(1_000);
    parts[1]?.emit({ type: 'frame' });
    connection.ping();
  }
  assert.deepEqual([refusals(events), connection.sessions], [['AEUR lost', 'BEUR lost'], 1]);
  assert.ok(parts[0]?.calls.includes('terminate'));
  connection.subscribe([a]);
  assert.deepEqual(leading, [true, false, true]);
});
