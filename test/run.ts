/**
 * `npm test`: every test of the repository, as many files at a time as the machine has room for. Arguments go to Node's
 * test runner: `npm test -- --test-name-pattern=fallback`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

/** Most tests wait for something more than they work, so that two files at a time suit even one core. */
const filesAtATimeMin = 2;
const perTestMsMax = 120_000;

const files = ['src', 'exchange-simulator', 'test', 'client/test'].map((folder) => `${folder}/**/*.test.ts`);
const options = [
  '--test',
  `--test-concurrency=${Math.max(filesAtATimeMin, availableParallelism() - 1)}`,
  `--test-timeout=${perTestMsMax}`,
  '--test-reporter=spec',
];
const child = spawn(process.execPath, [...options, ...process.argv.slice(2), ...files], {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  stdio: 'inherit',
});
// Ctrl-C reaches both: the runner ends as it wants to, and this with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
const [code] = await once(child, 'exit');
process.exitCode = code ?? 1;
