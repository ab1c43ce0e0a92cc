import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '../log.ts';
import type { Held } from './guard.ts';
import { heldLog } from './held-log.ts';
import { symbol } from './samples.testing.ts';

test('the log says once when the guard begins to hold a price and once when it no longer does', () => {
  const lines: string[] = [];
  const line = (_: object, message: string) => void lines.push(message);
  const { heldChanged } = heldLog({ ...silentLog, info: line, warn: line });
  const held = { reason: 'jump', values: {} } as never as Held;
  const BTCEUR = symbol('BTCEUR');
  heldChanged!(BTCEUR, held, undefined);
  heldChanged!(BTCEUR, { ...held }, held);
  heldChanged!(BTCEUR, undefined, held);
  assert.deepEqual(lines, ['held by the guard: the last good value stays', 'no longer held by the guard']);
});
