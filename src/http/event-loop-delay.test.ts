import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { EventLoopDelay, thisThread } from './event-loop-delay.ts';

/** A thread whose last seconds a test makes up. */
async function busyShareAfter(activePart: number, processorPart: number, beforeMs = 0): Promise<number> {
  const clock = new FakeClock();
  const worked = { active: 0, processor: 0 };
  const delay = new EventLoopDelay(clock, () => ({ activeMs: worked.active, processorMs: worked.processor }));
  let share = 0;
  for (let ms = 0; ms < 6_000; ms += 250) {
    await clock.advance(250);
    if (ms >= beforeMs) {
      worked.active += 250 * activePart;
      worked.processor += 250 * processorPart;
    }
    share = delay.read().busyShare;
  }
  delay.stop();
  return share;
}

test('a thread is busy as long as its loop is active and has a processor', async () => {
  assert.equal(await busyShareAfter(1, 1), 1);
  assert.equal(await busyShareAfter(0.5, 0.75), 0.5);
});

test('a thread that is stopped or has to wait for a processor is not busy, however active its loop (fault row 67)', async () => {
  assert.equal(await busyShareAfter(1, 0.25), 0.25);
});

test('the processor time of a thread grows while it works, and not while it waits', () => {
  const processorMs = () => thisThread().processorMs;
  const startedMs = processorMs();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  assert.ok(processorMs() - startedMs < 100);
  while (processorMs() - startedMs < 100);
});

test('the busy share is that of the last two to four seconds, and nothing is said before', async () => {
  const clock = new FakeClock();
  const delay = new EventLoopDelay(clock, () => ({ activeMs: clock.monotonicMs(), processorMs: clock.monotonicMs() }));
  await clock.advance(1_999);
  assert.equal(delay.read().busyShare, 0);
  await clock.advance(1);
  assert.equal(delay.read().busyShare, 1);
  delay.restart();
  assert.equal(delay.read().busyShare, 0);
  delay.stop();
  assert.equal(await busyShareAfter(1, 1, 2_000), 1);
});
