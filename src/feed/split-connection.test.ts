import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MarketSymbol } from '../market/symbol.ts';
import type { LiveEvent, LiveListener } from './connector.ts';
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

function opened() {
  const parts: Part[] = [];
  const events: LiveEvent[] = [];
  const open = (listener: LiveListener) => {
    const part = new Part(listener);
    parts.push(part);
    return part;
  };
  const connection = new SplitConnection(open, 2, (event) => events.push(event));
  parts[0]?.emit({ type: 'opened' });
  return { connection, parts, events };
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

test('the end of one connection is the end of all, and nothing follows it', () => {
  const { connection, parts, events } = opened();
  connection.subscribe([a, b, c]);
  parts[1]?.emit({ type: 'closed', reason: 'network', detail: 'x', retryAfterMs: undefined });
  parts[0]?.emit({ type: 'frame' });
  assert.deepEqual(events.at(-1)?.type, 'closed');
  assert.ok(parts.every(({ calls }) => calls.includes('terminate')));
});
