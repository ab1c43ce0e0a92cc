/**
 * `npm test`: what a change needs, in minutes, with nothing but what npm brings. `npm run test:system`: the files named
 * `*.system.test.ts`, which need other programs or take long. Options go to Node's test runner, anything else picks files
 * by a part of their path: `npm test -- src/market --test-name-pattern=fallback`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Most tests wait for something more than they work, so that two files at a time suit even one core. */
const filesAtATimeMin = 2;
const perTestMsMax = { quick: 120_000, system: 600_000 };

const root = fileURLToPath(new URL('..', import.meta.url));
const argv = process.argv.slice(2);
const isSystem = argv.includes('--system');
const options = argv.filter((argument) => argument.startsWith('-') && argument !== '--system');
const parts = argv.filter((argument) => !argument.startsWith('-'));

const files = globSync('{src,exchange-simulator,test,client/test}/**/*.test.ts', { cwd: root })
  .filter((file) => file.endsWith('.system.test.ts') === isSystem)
  .filter((file) => parts.length === 0 || parts.some((part) => file.includes(part)))
  .sort();
if (files.length === 0) throw new Error(`no test file has ${parts.join(' or ')} in its path`);

const directory = mkdtempSync(join(tmpdir(), 'mdapi-tests-'));
const skippedFile = join(directory, 'skipped');
process.exitCode = await run();
for (const [reason, count] of skipped()) {
  process.stdout.write(`skipped ${count} ${count === 1 ? 'test' : 'tests'}: ${reason}\n`);
  if (process.env.CI === 'true') process.exitCode = 1;
}
rmSync(directory, { recursive: true });

async function run(): Promise<number> {
  const child = spawn(
    process.execPath,
    [
      '--test',
      `--test-concurrency=${Math.max(filesAtATimeMin, availableParallelism() - 1)}`,
      `--test-timeout=${perTestMsMax[isSystem ? 'system' : 'quick']}`,
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      '--test-reporter=./test/support/skipped-reporter.ts',
      `--test-reporter-destination=${skippedFile}`,
      ...options,
      ...files,
    ],
    { cwd: root, stdio: 'inherit' },
  );
  // Ctrl-C reaches both processes: the runner ends in its own way, and this process after it.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  const [code] = await once(child, 'exit');
  return code ?? 1;
}

/** How many tests were skipped, by reason. */
function skipped(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const reason of readFileSync(skippedFile, 'utf8').split('\n').filter(Boolean)) {
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return counts;
}
