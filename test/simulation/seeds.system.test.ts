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
  /** The kinds of faults that it has; all where it is absent. */
  readonly only?: string;
  /** Where it is not the one that the seed gives. */
  readonly store?: 'postgres';
  readonly found: string;
}

function simulate(options: Readonly<Record<string, number | string>>): void {
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    encoding: 'utf8',
    maxBuffer: 1e9,
  });
  process.stdout.write(`${stdout.trim().split('\n').slice(-3).join('\n')}\n`);
  assert.equal(status, 0, stdout.slice(-20_000) + stderr);
}

for (const file of readdirSync(directory).filter((name) => name.endsWith('.json'))) {
  const { found, ...kept } = JSON.parse(readFileSync(new URL(file, directory), 'utf8')) as KeptSeed;
  test(`seed ${kept.seed} finds no more: ${found}`, () => simulate({ ...kept, shrink: 0 }));
}

/** A seed that fails is printed with the command that runs it again. In CI a change must not fail for a seed that nobody ran before. */
test('seeds find nothing: new ones for three minutes, and in CI always the same few', () => {
  const seed = 1_000 * (1 + (Math.floor(Date.now() / 1_000) % 1_000_000));
  const chosen =
    process.env.CI === 'true' ? { seed: 466_345_000, seeds: 2, days: 0.08 } : { seed, minutes: 2.5, days: 0.15 };
  simulate({ ...chosen, shrink: 0 });
});
