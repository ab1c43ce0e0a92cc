import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { KeptRun } from './options.ts';

const program = fileURLToPath(new URL('run.ts', import.meta.url));
const directory = new URL('seeds/', import.meta.url);

function simulate(options: Readonly<Record<string, number | string>>, args: readonly string[] = []) {
  const given = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  return spawnSync(process.execPath, ['--max-semi-space-size=64', program, ...given, ...args], {
    encoding: 'utf8',
    maxBuffer: 1e9,
  });
}

/** In one process: starting one takes as long as most of them. */
test('every seed that once failed is well now', async (t) => {
  const files = readdirSync(directory).filter((name) => name.endsWith('.json'));
  const paths = files.map((name) => fileURLToPath(new URL(name, directory)));
  const { stdout, stderr } = simulate(
    { shrink: 0 },
    paths.flatMap((path) => ['--kept', path]),
  );
  const outputs = stdout.split(/^trace .*\n/m);
  for (const [index, path] of paths.entries()) {
    const { seed, found } = JSON.parse(readFileSync(path, 'utf8')) as KeptRun;
    await t.test(`${seed}: ${found}`, () => {
      // What explains a failure comes after its trace.
      const output = outputs.slice(index, index + 2).join('');
      assert.match(output, new RegExp(`^seed ${seed}: .* 0 violations;`, 'm'), output.slice(-20_000) + stderr);
    });
  }
});

/**
 * A seed that fails is printed with the command that runs it again. In CI a change must not fail for a seed that nobody
 * ran before.
 */
test('seeds find nothing: new ones for three minutes, and in CI always the same few', () => {
  const seed = 1_000 * (1 + (Math.floor(Date.now() / 1_000) % 1_000_000));
  const chosen =
    process.env.CI === 'true' ? { seed: 466_345_000, seeds: 2, days: 0.05 } : { seed, minutes: 2.5, days: 0.5 };
  const { status, stdout, stderr } = simulate({ ...chosen, shrink: 0 });
  process.stdout.write(`${stdout.trim().split('\n').slice(-3).join('\n')}\n`);
  assert.equal(status, 0, stdout.slice(-20_000) + stderr);
});
