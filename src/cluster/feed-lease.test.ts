import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { ModelNode, ModelServer } from './feed-lease.testing.ts';

const steady = { skewMs: 0, speed: 1 };

/** A node that holds the lease, with its server. */
async function holding(delays = () => 1) {
  const clock = new FakeClock();
  const server = new ModelServer(clock);
  const node = new ModelNode(clock, server, 'holder', steady, delays);
  await clock.advance(100);
  assert.deepEqual(node.told.splice(0), ['gained 1']);
  return { clock, server, node };
}

test('a holder whose clock is slow, and who can ask nobody, has stopped before the server gives the lease to another', async () => {
  const clock = new FakeClock();
  const server = new ModelServer(clock);
  const slow = new ModelNode(clock, server, 'slow', { skewMs: 0, speed: 0.92 }, () => 1);
  await clock.advance(100);
  assert.notEqual(slow.acts, undefined);
  const other = new ModelNode(clock, server, 'other', { skewMs: 0, speed: 1 }, () => 1);
  slow.isCutOff = true;
  let handedOverMs: number | undefined;
  for (let passedMs = 0; passedMs < 5_000; passedMs += 10) {
    await clock.advance(10);
    assert.ok(slow.acts === undefined || other.acts === undefined, `both act after ${passedMs} ms`);
    if (other.acts !== undefined) handedOverMs ??= passedMs;
  }
  assert.ok(handedOverMs! < 4_000, `the other acts after ${handedOverMs} ms`);
});

test('a lease whose answer comes so late that it must not be used any more is not gained, and is given back', async () => {
  const clock = new FakeClock();
  const server = new ModelServer(clock);
  const delaysMs = [1_400, 1_400];
  const node = new ModelNode(clock, server, 'far', { skewMs: 0, speed: 1 }, () => delaysMs.shift() ?? 1);
  await clock.advance(2_800);
  assert.deepEqual([node.fences, node.acts, server.accepts(1)], [[], undefined, true]);
  await clock.advance(600);
  assert.deepEqual(
    [node.fences, node.acts],
    [[2], 2],
    'it had been given back, and is gained when it is asked for again',
  );
});

test('a holder renews every 750 ms, and whoever is not asks every half second', async () => {
  const { clock, server, node } = await holding();
  const other = new ModelNode(clock, server, 'other', steady, () => 1);
  await clock.advance(100);
  for (const { asked } of [node, other]) asked.length = 0;
  await clock.advance(7_500);
  assert.deepEqual([node.asked.length, other.asked.length], [10, 15]);
  assert.deepEqual([new Set(node.asked), new Set(other.asked)], [new Set(['renew']), new Set(['acquire'])]);
  assert.deepEqual([node.told, other.told], [[], ['elsewhere']], 'each is told what changes, and once');
});

test('a server that cannot be asked is told at once, once and with why, and after two seconds that nobody knows who acts', async () => {
  const { clock, server, node } = await holding();
  server.isReachable = false;
  await clock.advance(1_900);
  assert.deepEqual([node.told.splice(0), node.lease.lastError], [['failed: lost'], 'lost']);
  await clock.advance(1_000);
  assert.deepEqual([node.told.splice(0), node.acts], [['unreachable: lost'], undefined]);
  await clock.advance(10_000);
  assert.deepEqual(node.told, []);
  server.isReachable = true;
  await clock.advance(1_000);
  assert.deepEqual([node.told, node.acts, node.lease.lastError], [['gained 2'], 2, undefined]);
});

test('a server that was never reached has not failed, and one that never answers says nothing', async () => {
  const clock = new FakeClock();
  const server = new ModelServer(clock);
  server.isReachable = false;
  const never = new ModelNode(clock, server, 'never', steady, () => 1);
  const mute = new ModelNode(clock, server, 'mute', steady, () => 1e9);
  await clock.advance(3_000);
  assert.deepEqual([never.told, mute.told], [['unreachable: lost'], ['unreachable: no answer within 2000 ms']]);
  assert.equal(mute.asked.length, 1, 'nothing queues behind an answer that never comes');
});

test('a process that stood still asks anew before it takes the server for gone', async () => {
  const { clock, node } = await holding();
  node.clock.isFrozen = true;
  await clock.advance(60_000);
  node.clock.wake();
  await clock.advance(1_900);
  assert.deepEqual([node.told, node.acts], [['gained 2'], 2], 'a lease that ran out meanwhile is another');
});

test('a holder whose lease the server gave away goes on asking for another at once, and is told who acts', async () => {
  const { clock, server, node } = await holding();
  server.release('holder', 1);
  assert.equal(server.acquire('thief', 3_000), 2);
  await clock.advance(800);
  assert.deepEqual([node.told, node.acts], [['elsewhere'], undefined]);
  await clock.advance(3_000);
  assert.deepEqual([node.told.slice(1), node.acts], [['gained 3'], 3]);
});

test('whoever stops gives the lease back, asks for nothing and is told nothing any more', async () => {
  const { clock, server, node } = await holding();
  node.asked.length = 0;
  const stopped = node.lease.stop();
  await clock.advance(10);
  await stopped;
  assert.equal(node.lease.fence, undefined);
  assert.notEqual(server.acquire('next', 1_000), undefined);
  const late = new ModelNode(clock, server, 'late', steady, () => 100);
  await clock.advance(50);
  await late.lease.stop();
  node.lease.refused();
  await clock.advance(10_000);
  assert.deepEqual([node.asked, node.told, late.told, clock.pendingTimers], [['release'], [], [], 0]);
});
