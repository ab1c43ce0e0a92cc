import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { fixedPort } from './fixed-port.ts';

/** So many of 8,000 that two processes which know nothing of each other would take the same ones a dozen times. */
const count = 300;

const other = `
  import { fixedPort } from ${JSON.stringify(new URL('fixed-port.ts', import.meta.url))};
  const ports = [];
  while (ports.length < ${count}) ports.push(await fixedPort());
  process.stdout.write(JSON.stringify(ports));
  process.stdin.resume();
`;

test('a port is given to one process only, though nobody listens on it yet', async (t) => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', other]);
  t.after(() => child.kill());
  const [listed] = (await once(child.stdout, 'data')) as [Buffer];
  const theirs = new Set(JSON.parse(String(listed)) as number[]);
  const ours = new Set<number>();
  for (let taken = 0; taken < count; taken++) ours.add(await fixedPort());
  assert.deepEqual([theirs.size, ours.size], [count, count]);
  assert.ok(ours.isDisjointFrom(theirs));
});

test('a server can listen on it, go and come back', async (t) => {
  const port = await fixedPort();
  for (let times = 0; times < 2; times++) {
    const server = createServer().listen(port, '127.0.0.1');
    t.after(() => server.close());
    await once(server, 'listening');
    await new Promise((resolve) => server.close(resolve));
  }
});
