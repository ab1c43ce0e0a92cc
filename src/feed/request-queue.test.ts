import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { RequestQueue } from './request-queue.ts';
import { UpstreamError } from './wire.ts';

const never = new AbortController().signal;

function setUp() {
  const clock = new FakeClock();
  const queue = new RequestQueue(clock, { intervalMs: 1_000, burst: 2 });
  const started: [string, number][] = [];
  const ask = (name: string, priority: 'urgent' | 'background', takesMs = 0, weight = 1) =>
    queue.run(
      priority,
      () => {
        started.push([name, clock.monotonicMs()]);
        return new Promise<void>((resolve) => clock.after(takesMs, resolve));
      },
      never,
      weight,
    );
  return { clock, queue, started, ask };
}

test('after a pause two urgent requests go out at once, then one a second', async () => {
  const { clock, started, ask } = setUp();
  for (const name of ['a', 'b', 'c', 'd']) void ask(name, 'urgent');
  await clock.advance(5_000);
  assert.deepEqual(started, [
    ['a', 0],
    ['b', 0],
    ['c', 1_000],
    ['d', 2_000],
  ]);
});

test('a heavy request costs as much of the pace as it weighs', async () => {
  const { clock, started, ask } = setUp();
  void ask('heavy', 'urgent', 0, 2);
  void ask('light', 'urgent');
  void ask('heavy again', 'urgent', 0, 2);
  await clock.advance(5_000);
  assert.deepEqual(started, [
    ['heavy', 0],
    ['light', 1_000],
    ['heavy again', 3_000],
  ]);
});

test('background requests go one a second, one at a time, and never delay an urgent one', async () => {
  const { clock, started, ask } = setUp();
  for (const name of ['x', 'y', 'z']) void ask(name, 'background', 100);
  await clock.advance(1_000);
  void ask('now', 'urgent');
  await clock.advance(10);
  assert.deepEqual(started, [
    ['x', 0],
    ['y', 1_000],
    ['now', 1_000],
  ]);
  await clock.advance(5_000);
  assert.deepEqual(started.at(-1), ['z', 3_000]);
});

test('no background request starts while urgent requests use the whole rate limit', async () => {
  const { clock, started, ask } = setUp();
  void ask('first', 'urgent');
  void ask('second', 'urgent');
  void ask('background', 'background');
  for (let turn = 0; turn < 10; turn++) {
    void ask(`u${turn}`, 'urgent');
    await clock.advance(1_000);
  }
  assert.ok(started.every(([name]) => name !== 'background'));
  await clock.advance(2_000);
  assert.equal(started.at(-1)?.[0], 'background');
});

test('at most four requests are in flight, however slow they are', async () => {
  const { clock, started, ask } = setUp();
  for (let turn = 0; turn < 6; turn++) void ask(`u${turn}`, 'urgent', 60_000);
  await clock.advance(30_000);
  assert.equal(started.length, 4);
  await clock.advance(60_000);
  assert.equal(started.length, 6);
});

test('a pause asked for by the upstream holds back everything', async () => {
  const { clock, queue, started, ask } = setUp();
  queue.pause(7_000);
  void ask('a', 'urgent');
  await clock.advance(6_999);
  assert.deepEqual(started, []);
  await clock.advance(1);
  assert.deepEqual(started, [['a', 7_000]]);
});

test('a waiting request can be cancelled, and a full queue refuses more', async () => {
  const { clock, queue, ask } = setUp();
  queue.pause(60_000);
  const controller = new AbortController();
  const givenUp = queue.run('urgent', async () => 1, controller.signal);
  controller.abort();
  await assert.rejects(givenUp, UpstreamError);
  for (let turn = 0; turn < 64; turn++) void ask('waits', 'urgent');
  await assert.rejects(ask('one too many', 'urgent'), UpstreamError);
  await clock.advance(180_000);
  assert.equal(clock.pendingTimers, 0);
});

test('a request that is cancelled while it waits leaves no timer', async () => {
  const { clock, queue, ask } = setUp();
  for (const name of ['a', 'b']) void ask(name, 'urgent');
  await clock.advance(1);
  const controller = new AbortController();
  const cancelled = queue.run('background', () => Promise.resolve(), controller.signal);
  assert.equal(clock.pendingTimers, 1);
  controller.abort();
  await assert.rejects(cancelled, UpstreamError);
  assert.equal(clock.pendingTimers, 0);
});

test('a request that fails frees its place', async () => {
  const { clock, queue, started, ask } = setUp();
  const failed = queue.run('urgent', () => Promise.reject(new UpstreamError('status', 'HTTP status 500')), never);
  await assert.rejects(failed, UpstreamError);
  for (let turn = 0; turn < 4; turn++) void ask(`u${turn}`, 'urgent', 60_000);
  await clock.advance(10_000);
  assert.equal(started.length, 4);
});
