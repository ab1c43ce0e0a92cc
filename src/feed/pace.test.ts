import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { PacedQueue } from './pace.ts';

test('frames leave in order, a burst at once and the rest at the mean pace', async () => {
  const clock = new FakeClock();
  const sent: string[] = [];
  const queue = new PacedQueue(clock, { intervalMs: 250, burst: 2 });
  const push = (text: string) => queue.push({ begin: () => sent.push(text) });
  for (const text of ['a', 'b', 'c', 'd']) push(text);
  assert.deepEqual(sent, ['a', 'b']);
  await clock.advance(249);
  assert.equal(sent.length, 2);
  await clock.advance(1);
  assert.deepEqual(sent, ['a', 'b', 'c']);
  await clock.advance(250);
  assert.deepEqual(sent, ['a', 'b', 'c', 'd']);
  await clock.advance(10_000);
  for (const text of ['e', 'f', 'g']) push(text);
  assert.equal(sent.join(''), 'abcdef');
  queue.stop();
  await clock.advance(10_000);
  assert.equal(sent.join(''), 'abcdef');
  assert.equal(clock.pendingTimers, 0);
});
