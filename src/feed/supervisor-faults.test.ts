import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { FaultRequest } from '../../exchange-simulator/fault-request.ts';
import { SimulatorRig } from './simulator-rig.testing.ts';

let rig: SimulatorRig;

beforeEach(async () => {
  rig = await SimulatorRig.startLive();
});

afterEach(() => rig.stop());

test('after each fault of the connection the feed is on the fallback, and live again once it is over (fault row 43)', async () => {
  const faults: FaultRequest[] = [
    { fault: 'close' },
    { fault: 'reset' },
    { fault: 'freeze' },
    { fault: 'mute' },
    { fault: 'oversized' },
    { fault: 'garbage', kind: 'frame' },
    { fault: 'accept-then-close' },
    { fault: 'one-message-then-close' },
  ];
  for (const fault of faults) {
    const { length } = rig.sink.paths;
    await rig.simulator.faults.set(fault);
    if (fault.fault.endsWith('then-close')) await rig.simulator.faults.set({ fault: 'close' });
    await rig.pass(`the fallback after ${fault.fault}`, () => rig.sink.paths[length] === 'fallback');
    await rig.simulator.faults.clear();
    await rig.pass(`live after ${fault.fault}`, () => rig.health.path === 'live');
  }
  assert.ok(rig.simulator.state().connectsLastMinute <= 10);
});

test('bad frames of every kind cost nothing but themselves (fault row 45)', async () => {
  for (const kind of ['json', 'binary', 'utf8', 'nested', 'channel', 'symbol']) {
    await rig.simulator.faults.set({ fault: 'garbage', kind });
  }
  const { framesReceived } = rig.health;
  await rig.pass('the frames', () => rig.health.framesReceived >= framesReceived + 10);
  const { framesDropped, connectionsEnded, path } = rig.health;
  const dropped = { malformed: 2, binary: 1, not_utf8: 1, unknown_kind: 1, unknown_symbol: 1 };
  assert.deepEqual(
    { framesDropped, connectionsEnded, path },
    { framesDropped: dropped, connectionsEnded: {}, path: 'live' },
  );
});

test('with the whole exchange gone for six minutes the last prices stay, and everything comes back by itself (fault row 43)', async () => {
  const held = rig.sink.bid('BTCEUR');
  await rig.simulator.faults.set({ fault: 'down' });
  await rig.pass('the fallback', () => rig.health.path === 'fallback');
  const { length } = rig.sink.current;
  await rig.passFor(360_000, 2_000);
  assert.equal(rig.sink.current.length, length);
  assert.ok(held !== undefined && rig.sink.bid('BTCEUR') !== undefined);
  await rig.simulator.faults.clear();
  await rig.pass('live again', () => rig.health.path === 'live');
});
