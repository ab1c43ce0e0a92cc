import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('run.ts', import.meta.url));
const directory = new URL('seeds/', import.meta.url);

/** A seed that once found something. */
interface KeptSeed {
  readonly seed: number;
  readonly days: number;
  readonly processes: number;
  readonly found: string;
}

function simulate(options: Readonly<Record<string, number>>): void {
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    encoding: 'utf8',
    maxBuffer: 1e9,
  });
  process.stdout.write(`${stdout.trim().split('\n').slice(-3).join('\n')}\n`);
  assert.equal(status, 0, stdout.slice(-20_000) + stderr);
}

for (const file of readdirSync(directory).filter((name) => name.endsWith('.json'))) {
  const { seed, days, processes, found } = JSON.parse(readFileSync(new URL(file, directory), 'utf8')) as KeptSeed;
  test(`seed ${seed} finds no more: ${found}`, () => simulate({ seed, days, processes, shrink: 0 }));
}

/** Others each day, and on each machine: those that fail are printed with the command that runs them again. */
test('new seeds find nothing in three minutes', () => {
  const seed = 1_000 * (1 + (Math.floor(Date.now() / 1_000) % 1_000_000));
  simulate({ seed, minutes: 2.5, days: 0.15, shrink: 0 });
});
