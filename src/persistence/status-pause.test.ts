import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock, seededRandomness } from '../../test/support/fake-clock.ts';
import { ServiceBoard } from '../board/service-board.ts';
import type { Clock, EpochMs } from '../ground/clock.ts';
import { silentLog } from '../ground/log.ts';
import { FeedStatus } from '../market/service-status.ts';
import { openStore } from '../store/store.ts';
import { StatusRecorder } from './status-recorder.ts';

const minuteMs = 60_000;

test('a time in which the process stood still is an outage, from its last sign of life on: nobody was answered', async (t) => {
  const running = new FakeClock();
  let stoodStillMs = 0;
  const clock: Clock = {
    now: () => (running.now() + stoodStillMs) as EpochMs,
    monotonicMs: () => running.monotonicMs() + stoodStillMs,
    after: (delayMs, run) => running.after(delayMs, run),
    every: (periodMs, run) => running.every(periodMs, run),
  };
  const store = await openStore({ url: 'sqlite::memory:', clock, randomness: seededRandomness(5) });
  const feed = new FeedStatus();
  const service = new ServiceBoard(feed, clock);
  const recorder = new StatusRecorder({
    store,
    service,
    clock,
    log: silentLog,
    randomness: seededRandomness(6),
    isWriter: () => true,
  });
  t.after(async () => {
    await recorder.stop();
    await store.close();
  });
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      feed.feedCurrent('live', clock.now(), clock.monotonicMs());
      await running.advance(1_000);
    }
  };
  await recorder.start();
  await pass(120);
  stoodStillMs += 10 * minuteMs;
  await pass(121);
  await recorder.stop();
  const [first] = await store.statusRecords.days(0 as EpochMs);
  assert.deepEqual(first!.states, { operational: 240_000, degraded: 0, maintenance: 0, outage: 610_000 });
});
