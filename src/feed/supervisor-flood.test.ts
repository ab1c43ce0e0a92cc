import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { FeedRig } from './feed-rig.testing.ts';

let rig: FeedRig;

afterEach(() => rig.stop());

/** Blocks the event loop, as a long computation would. */
function stall(forMs: number): void {
  const endMs = performance.now() + forMs;
  while (performance.now() < endMs);
}

test('ten thousand updates amid stalls of the event loop: the newest values win at once and nothing is held (fault row 46)', async () => {
  rig = new FeedRig({ pairs: 20 });
  await rig.startLive();
  const takenBefore = rig.sink.taken.length;
  const heldBefore = process.memoryUsage().heapUsed;
  for (let burst = 0; burst < 5; burst++) {
    for (let turn = 0; turn < 100; turn++) {
      for (const name of rig.names) rig.update(name, `1.${burst}${String(turn).padStart(2, '0')}`);
    }
    stall(200);
  }
  // Processor time, not time: other work on the machine is not ours to judge.
  const before = process.cpuUsage();
  await rig.arrive();
  const { user, system } = process.cpuUsage(before);
  assert.ok(user + system < 1_000_000, 'freshness does not recover within a second');
  assert.equal(rig.sink.taken.length - takenBefore, 10_000);
  assert.ok(rig.names.every((name) => rig.sink.bid(`${name}EUR`) === '1.499'));
  assert.equal(rig.health.path, 'live');
  rig.sink.taken.length = 0;
  assert.ok(process.memoryUsage().heapUsed - heldBefore < 100 * 1024 * 1024);
});

test('a frame is handled to its end before the next: the sink sees every update in the order it was sent (fault row 46)', async () => {
  rig = new FeedRig({ pairs: 1 });
  await rig.startLive();
  rig.sink.taken.length = 0;
  for (let turn = 0; turn < 2_000; turn++) rig.update('C0', `1.${String(turn).padStart(4, '0')}`);
  await rig.arrive();
  const bids = rig.sink.taken.map(({ bid }) => bid ?? '');
  assert.deepEqual(bids, bids.toSorted());
  assert.equal(bids.length, 2_000);
});

test('a sink that throws costs one frame and is counted, and the connection stays (fault row 45)', async () => {
  rig = new FeedRig();
  await rig.startLive();
  const { sink } = rig;
  const original = sink.tickerReceived.bind(sink);
  sink.tickerReceived = () => {
    throw new Error('the market room failed');
  };
  rig.update('C0', '1.20');
  await rig.arrive();
  sink.tickerReceived = original;
  rig.update('C0', '1.30');
  await eventually('the next update', () => sink.bid('C0EUR') === '1.30');
  assert.equal(rig.health.framesDropped.failed, 1);
  assert.deepEqual(rig.health.connectionsEnded, {});
});
