import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('run.ts', import.meta.url));

test('a seed runs the same twice, byte for byte, and nothing goes wrong in it', () => {
  const args = ['--seed', '7', '--days', '0.0014', '--processes', '2', '--twice'];
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
  assert.match(stdout, /both runs are the same/);
});
