import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sleep } from '../../src/ground/clock.ts';
import { Scheduler } from './scheduler.ts';

const quiet = () => {};

test('events happen at their instant, those of one instant in the order in which they were made, and time jumps between them', async () => {
  const scheduler = new Scheduler(quiet);
  const lane = scheduler.lane('one');
  const seen: string[] = [];
  for (const [delayMs, name] of [
    [7_200_000, 'c'],
    [5, 'a'],
    [7_200_000, 'd'],
    [6, 'b'],
  ] as const) {
    lane.clock.after(delayMs, () => seen.push(`${name} ${scheduler.nowMs}`));
  }
  lane.clock.after(6, () => seen.push('cancelled')).cancel();
  await scheduler.runTo(7_199_999);
  assert.deepEqual(seen, ['a 5', 'b 6']);
  await scheduler.runTo(7_200_000);
  assert.deepEqual(seen, ['a 5', 'b 6', 'c 7200000', 'd 7200000']);
});

test('in a quiet stretch timers fire seldom, and again as often as they should from its end on', async () => {
  const [from, to] = [100_000, 250_000];
  const scheduler = new Scheduler(quiet, [[from, to]]);
  const lane = scheduler.lane('one');
  lane.isPatient = true;
  const seen: number[] = [];
  lane.clock.every(1_000, () => seen.push(scheduler.nowMs));
  await scheduler.runTo(300_000);
  assert.deepEqual(
    seen.filter((atMs) => atMs > from && atMs <= to + 1_000),
    [160_000, 220_000, to, to + 1_000],
  );
  assert.equal(seen.length, 100 + 3 + 50);
});

test('what is awaited goes on before the next event, with timers of its own', async () => {
  const scheduler = new Scheduler(quiet);
  const lane = scheduler.lane('one');
  const seen: number[] = [];
  lane.later(0, async () => {
    for (let count = 0; count < 3; count++) {
      await sleep(lane.clock, 10, new AbortController().signal);
      seen.push(scheduler.nowMs);
    }
  });
  await scheduler.runTo(25);
  assert.deepEqual(seen, [10, 20]);
});

test('a frozen lane misses nothing, a dead one gets nothing more, and its parts die with it', async () => {
  const scheduler = new Scheduler(quiet);
  const frozen = scheduler.lane('frozen');
  const dead = scheduler.lane('dead');
  const seen: string[] = [];
  frozen.later(10, () => seen.push(`first ${scheduler.nowMs}`));
  frozen.later(20, () => seen.push(`second ${scheduler.nowMs}`));
  scheduler.lane('thread', dead).later(10, () => seen.push('dead'));
  dead.own(() => seen.push('released'));
  frozen.freeze();
  dead.kill();
  await scheduler.runTo(100);
  frozen.thaw();
  await scheduler.runTo(200);
  assert.deepEqual(seen, ['released', 'first 100', 'second 100']);
});

test('each process has clocks of its own, which can be set and run faster', async () => {
  const scheduler = new Scheduler(quiet);
  const [one, other] = [scheduler.lane('one'), scheduler.lane('other')];
  const start = one.clock.now();
  one.stepClock(-5_000);
  other.drift(2);
  const fired: number[] = [];
  other.clock.after(1_000, () => fired.push(scheduler.nowMs));
  await scheduler.runTo(1_000);
  assert.deepEqual(fired, [500]);
  assert.deepEqual([one.clock.now() - start, one.clock.monotonicMs(), one.offMs], [-4_000, 1_000, -5_000]);
  assert.deepEqual([other.clock.now() - start, other.clock.monotonicMs()], [2_000, 2_000]);
});

test('an error in an event is told with its lane, and the others go on', async () => {
  const told: string[] = [];
  const scheduler = new Scheduler((error, lane) => told.push(`${lane.name}: ${(error as Error).message}`));
  scheduler.lane('one').later(1, () => {
    throw new Error('wrong');
  });
  scheduler.lane('other').later(2, () => told.push('on'));
  await scheduler.runTo(10);
  assert.deepEqual(told, ['one: wrong', 'on']);
});
