import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { SendQueue } from './live-socket.ts';

test('frames leave in order, a burst at once and the rest at the mean pace, and each tells when it left', async () => {
  const clock = new FakeClock();
  const sent: string[] = [];
  const queue = new SendQueue(clock, { intervalMs: 250, burst: 2 }, (text) => sent.push(text));
  let lastSentMs: number | undefined;
  for (const text of ['a', 'b', 'c']) queue.push(text);
  queue.push('d', () => {
    lastSentMs = clock.monotonicMs();
  });
  assert.deepEqual(sent, ['a', 'b']);
  await clock.advance(249);
  assert.equal(sent.length, 2);
  await clock.advance(1);
  assert.deepEqual(sent, ['a', 'b', 'c']);
  await clock.advance(250);
  assert.equal(lastSentMs, 500);
  await clock.advance(10_000);
  for (const text of ['e', 'f', 'g']) queue.push(text);
  assert.equal(sent.join(''), 'abcdef');
  queue.stop();
  await clock.advance(10_000);
  assert.equal(sent.join(''), 'abcdef');
  assert.equal(clock.pendingTimers, 0);
});
