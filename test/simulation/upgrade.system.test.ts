import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('run.ts', import.meta.url));
const tree = fileURLToPath(new URL('../../', import.meta.url));

/** A tree whose service is this one, loaded from elsewhere: a clone need not have an older state. */
function formerTree(): string {
  const former = mkdtempSync(join(tmpdir(), 'mdapi-former-'));
  cpSync(join(tree, 'src'), join(former, 'src'), { recursive: true });
  const others = readdirSync(tree).filter((name) => name !== 'src' && !name.startsWith('.'));
  for (const name of others) symlinkSync(join(tree, name), join(former, name));
  return former;
}

test('processes of two releases work side by side while one after the other is upgraded, and back', () => {
  const former = formerTree();
  try {
    const args = ['--seed', '7', '--days', '0.012', '--processes', '3', '--only', '^rolling upgrade', '--notes'];
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args, '--former', former], {
      encoding: 'utf8',
    });
    assert.equal(status, 0, stdout + stderr);
    const started = stdout.split('\n').filter((line) => / process-1 starts/.test(line));
    const releases = new Set(started.map((line) => line.replace(/^.*process-1 /, '')));
    assert.deepEqual([...releases], ['starts as the former release', 'starts']);
    assert.match(stdout, /process-1 starts$[\s\S]*process-2 serves$[\s\S]*process-1 starts as the former release$/m);
    assert.doesNotMatch(stdout, /does not start/);
  } finally {
    rmSync(former, { recursive: true, force: true });
  }
});
