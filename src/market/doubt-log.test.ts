import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '../log.ts';
import { doubtLog } from './doubt-log.ts';
import type { Doubt } from './guard.ts';
import { symbol } from './samples.testing.ts';

test('the log says once when the guard begins to hold a price and once when it no longer does', () => {
  const lines: string[] = [];
  const line = (_: object, message: string) => void lines.push(message);
  const { doubtChanged: heldChanged } = doubtLog({ ...silentLog, info: line, warn: line });
  const doubt = { reason: 'jump', values: {} } as never as Doubt;
  const BTCEUR = symbol('BTCEUR');
  heldChanged!(BTCEUR, doubt, undefined);
  heldChanged!(BTCEUR, { ...doubt }, doubt);
  heldChanged!(BTCEUR, undefined, doubt);
  assert.deepEqual(lines, ['held by the guard: the last good value stays', 'no longer held by the guard']);
});
