import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Limits } from '../../src/access/limits.ts';
import { eventually } from '../support/eventually.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { openSocket } from '../support/http-client.ts';
import { ListenerHarness } from '../support/listener-harness.ts';
import { Wire } from '../support/wire.ts';

const minuteMs = 60_000;

/** A listener that is being closed, and connections on it that were idle at that moment. */
async function closing(count: number) {
  const clock = new FakeClock();
  const api = await ListenerHarness.start({ clock });
  const ask = api.requestText('/v1/time', { headers: { Connection: 'keep-alive' } });
  const wires = await Promise.all(Array.from({ length: count }, () => Wire.open(api.port)));
  for (const wire of wires) assert.equal((await wire.ask(ask)).status, 200);
  let isClosed = false;
  const closed = api.listener.close(minuteMs).then(() => {
    isClosed = true;
  });
  return { clock, api, ask, wires, closed, isClosed: () => isClosed };
}

test('a request that is on its way on an idle connection while the listener closes is answered, and ends the connection (fault row 48)', async () => {
  const { ask, wires, closed, api } = await closing(10);
  await assert.rejects(openSocket(api.port), { code: 'ECONNREFUSED' });
  for (const wire of wires) {
    const { status, headers } = await wire.ask(ask);
    assert.deepEqual([status, headers.connection], [200, 'close']);
  }
  await closed;
});

test('a connection on which nothing comes is closed half a second later, not at the deadline (fault row 48)', async () => {
  const { clock, wires, closed, isClosed } = await closing(10);
  await clock.advance(499);
  assert.deepEqual([isClosed(), wires.some((wire) => wire.isClosed)], [false, false]);
  await clock.advance(1);
  await closed;
  await eventually('the clients see it', () => wires.every((wire) => wire.isClosed));
});

test('repeated requests that wait for their count while the listener closes are answered, however long that takes (fault row 111)', async () => {
  const clock = new FakeClock();
  let counted: (() => void) | undefined;
  const slow = new Promise<void>((resolve) => {
    counted = resolve;
  });
  let isSlow = false;
  const api = await ListenerHarness.start({
    clock,
    sharedLimits(memory) {
      const limits: Limits = memory;
      const takeForKey = memory.takeForKey.bind(memory);
      limits.takeForKey = (match, now) => {
        const verdict = takeForKey(match, now);
        return isSlow ? slow.then(() => verdict) : verdict;
      };
      return limits;
    },
  });
  const ask = api.requestText('/v1/time', { headers: { Connection: 'keep-alive' } });
  const wires = await Promise.all(Array.from({ length: 8 }, () => Wire.open(api.port)));
  for (const wire of wires) for (let count = 0; count < 2; count++) assert.equal((await wire.ask(ask)).status, 200);
  isSlow = true;
  const answers = Promise.all(wires.map((wire) => wire.ask(ask)));
  await eventually('all are being counted', () => api.listener.connections.isRepeating);
  const closed = api.listener.close(minuteMs);
  await clock.advance(2_000);
  counted!();
  for (const { status, headers } of await answers) assert.deepEqual([status, headers.connection], [200, 'close']);
  await closed;
});
