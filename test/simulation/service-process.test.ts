import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Release } from './release.ts';
import { ServiceProcess } from './service-process.ts';
import { World } from './world.ts';

test('a process that served or stopped was killed; one that could not start is started again, and was not', async (t) => {
  const world = new World(1);
  const directory = mkdtempSync(join(tmpdir(), 'mdapi-'));
  t.after(() => rmSync(directory, { recursive: true }));
  let starts = 0;
  const release = {
    loadConfiguration: () => ({ configuration: {} }),
    startService: () =>
      ++starts === 1 ? Promise.reject(new Error('no store')) : Promise.resolve({ stop: () => new Promise(() => {}) }),
  };
  const process = new ServiceProcess(world, 'process-1', directory, {}, undefined, release as unknown as Release);
  process.start();
  await world.scheduler.runTo(9_999);
  assert.deepEqual([starts, process.isServing, process.killedAtMs], [1, false, Number.NEGATIVE_INFINITY]);
  await world.scheduler.runTo(10_001);
  assert.deepEqual([starts, process.isServing, process.killedAtMs], [2, true, Number.NEGATIVE_INFINITY]);
  await world.scheduler.runTo(20_000);
  process.kill();
  assert.deepEqual([process.isServing, process.killedAtMs], [false, 20_000]);
  process.start();
  await world.scheduler.runTo(30_000);
  process.stop();
  await world.scheduler.runTo(31_000);
  process.kill();
  assert.equal(process.killedAtMs, 31_000, 'as it stopped');
});
