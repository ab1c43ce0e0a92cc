import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('run.ts', import.meta.url));

test('where nothing goes wrong no process has anything to report, though its timers fire seldom', () => {
  const args = ['--seed', '8', '--days', '0.006', '--processes', '2', '--only', '^nothing', '--notes'];
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
  const notes = stdout.split('\n').filter((line) => / process-\d /.test(line));
  const seconds = (note: string) => Number.parseFloat(note);
  assert.ok(notes.some((note) => seconds(note) < 60));
  assert.deepEqual(
    notes.filter((note) => seconds(note) > 60 && seconds(note) < 510),
    [],
  );
});
