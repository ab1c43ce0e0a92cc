import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { enableCompileCache, getCompileCacheDir } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { threadEnvironment } from './thread-environment.ts';

test('a thread has the environment and the compile cache of its process', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'mdapi-cache-'));
  t.after(() => rmSync(directory, { recursive: true }));
  if (getCompileCacheDir() === undefined) {
    assert.equal(threadEnvironment(), process.env);
    enableCompileCache(directory);
  }
  const source = `
    import { getCompileCacheDir } from 'node:module';
    import { parentPort } from 'node:worker_threads';
    parentPort.postMessage([getCompileCacheDir(), process.env.PATH]);`;
  const url = new URL(`data:text/javascript,${encodeURIComponent(source)}`);
  const worker = new Worker(url, { env: threadEnvironment() });
  // Listened for at once: both events come in one turn if this thread was busy.
  const exited = once(worker, 'exit');
  assert.deepEqual(await once(worker, 'message'), [[getCompileCacheDir(), process.env.PATH]]);
  await exited;
});
