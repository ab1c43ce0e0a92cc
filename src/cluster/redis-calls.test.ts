import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { FakeClock, seededRandomness } from '../../test/support/fake-clock.ts';
import { RedisCalls } from './redis-calls.ts';

test('a server that is reached delays a start no longer, and one that is not delays it by a second', async (context) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const clock = new FakeClock();
  /** @returns what has happened */
  const start = () => {
    const address = { host: '127.0.0.1', port, tls: false, user: undefined, password: undefined, database: 0 };
    const calls = new RedisCalls(address, clock, seededRandomness(1), 1_000);
    context.after(() => calls.stop());
    const seen = { isStarted: false, started: Promise.resolve() };
    seen.started = calls.start().then(() => {
      seen.isStarted = true;
    });
    return seen;
  };
  await start().started;
  assert.equal(clock.monotonicMs(), 0);
  server.close();
  const late = start();
  await clock.advance(999);
  assert.equal(late.isStarted, false);
  await clock.advance(1);
  await late.started;
});
