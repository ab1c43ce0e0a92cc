import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client, type Witnessed } from './clients.ts';
import type { ServiceProcess } from './service-process.ts';
import { enter, type PublicServer, World } from './world.ts';

test('a client that asks twice does so each time, the second time soon, and not while the world is quiet', async () => {
  const world = enter(new World(1, [[60_000, 120_000]]));
  const lane = world.scheduler.lane('process-1');
  const connection = { destroyed: false, reads() {}, destroy() {} };
  const server: PublicServer = {
    connect: () => connection,
    request: (_connection, _target, _headers, answered) => answered({ status: 200, headers: {}, body: '{}' }),
  };
  world.listeners.set('process-1', server);
  const asked: number[] = [];
  const process = { name: 'process-1', isRunning: true, lane } as ServiceProcess;
  const saw = ({ askedAtMs }: Witnessed) => void asked.push(askedAtMs);
  new Client(world, 'one', 'key', [process], saw).poll('/v1/status', 10_000, 1_500);
  await world.scheduler.runTo(300_000);
  assert.ok(asked.length > 30, `${asked.length}`);
  assert.deepEqual(
    asked.filter((atMs) => atMs >= 60_000 && atMs < 120_000),
    [],
  );
  const before = asked.filter((atMs) => atMs < 58_000);
  for (let index = 0; index + 1 < before.length; index += 2)
    assert.ok(before[index + 1]! - before[index]! <= 1_500, `${before}`);
});
