import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { Loop, Watchdog } from './timers.ts';

class TestLoop extends Loop {
  readonly #task: () => Promise<number>;

  constructor(clock: FakeClock, task: () => Promise<number>) {
    super(clock);
    this.#task = task;
  }

  protected run(): Promise<number> {
    return this.#task();
  }
}

function setUp(takesMs: number, restsMs: number) {
  const clock = new FakeClock();
  const runs: number[] = [];
  let active = 0;
  let activeMax = 0;
  const loop = new TestLoop(clock, async () => {
    runs.push(clock.monotonicMs());
    active++;
    activeMax = Math.max(activeMax, active);
    await new Promise<void>((resolve) => clock.after(takesMs, resolve));
    active--;
    return restsMs;
  });
  return { clock, loop, runs, activeMax: () => activeMax };
}

test('a loop waits as long as its task asks, counted from the end of a run', async () => {
  const { clock, loop, runs } = setUp(100, 1_000);
  loop.start();
  await clock.advance(2_500);
  assert.deepEqual(runs, [0, 1_100, 2_200]);
});

test('waking a loop brings its next run forward, never delays it and never runs two at a time', async () => {
  const { clock, loop, runs, activeMax } = setUp(100, 1_000);
  loop.start();
  await clock.advance(50);
  loop.wakeWithin(0);
  loop.wakeWithin(500);
  await clock.advance(150);
  assert.deepEqual(runs, [0, 100]);
  await clock.advance(50);
  loop.wakeWithin(5_000);
  loop.wakeWithin(300);
  await clock.advance(1_000);
  assert.deepEqual(runs, [0, 100, 550]);
  assert.equal(activeMax(), 1);
});

test('a task that throws is run again, and a stopped loop leaves no timer', async () => {
  const clock = new FakeClock();
  let runs = 0;
  const loop = new TestLoop(clock, () => {
    runs++;
    return Promise.reject(new Error('no'));
  });
  loop.start();
  await clock.advance(5_000);
  assert.equal(runs, 2);
  loop.stop();
  loop.wakeWithin(0);
  assert.equal(clock.pendingTimers, 0);
});

test('a watchdog times out exactly `timeoutMs` after the last touch, and once', async () => {
  const clock = new FakeClock();
  const timeouts: number[] = [];
  const watchdog = new Watchdog(clock, 10_000, () => timeouts.push(clock.monotonicMs()));
  watchdog.start();
  await clock.advance(3_500);
  watchdog.touch();
  await clock.advance(9_999);
  assert.deepEqual(timeouts, []);
  await clock.advance(30_000);
  assert.deepEqual(timeouts, [13_500]);
  watchdog.start();
  watchdog.stop();
  assert.equal(clock.pendingTimers, 0);
});
