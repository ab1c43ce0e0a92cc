import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, test } from 'node:test';
import { systemClock } from './clock.ts';

let near: Socket;
let far: Socket;
let close: () => void;

beforeEach(async () => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  near = connect((server.address() as AddressInfo).port, '127.0.0.1');
  [[far]] = await Promise.all([once(server, 'connection') as Promise<[Socket]>, once(near, 'connect')]);
  close = () => {
    near.destroy();
    far.destroy();
    server.close();
  };
});

afterEach(() => close());

/** Stands still for longer than a timer's delay, at the point of the event loop after which timers come first. */
function standStill(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(() => {
      far.write('frame');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
      resolve();
    });
  });
}

for (const kind of ['after', 'every'] as const) {
  test(`a deadline that passes while the process is paused is checked after what arrived meanwhile (${kind})`, async () => {
    const order: string[] = [];
    const read = once(near, 'data').then(() => order.push('frame'));
    const due = new Promise<void>((resolve) => {
      const timer = systemClock[kind](20, () => {
        timer.cancel();
        order.push('deadline');
        resolve();
      });
    });
    await standStill(200);
    await Promise.all([read, due]);
    assert.deepEqual(order, ['frame', 'deadline']);
  });

  test(`what arrived meanwhile can still cancel the timer (${kind})`, async () => {
    let isMissed = false;
    const timer = systemClock[kind](20, () => {
      isMissed = true;
    });
    near.once('data', () => timer.cancel());
    await standStill(200);
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(isMissed, false);
  });
}
