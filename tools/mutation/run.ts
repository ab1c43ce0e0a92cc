/**
 * `npm run mutants -- src/market`: changes the code of a room in small ways, one at a time, and runs the room's quick
 * tests against each change. One that no test notices survives: docs/contributors/mutation.md says what survives and
 * why that is harmless. What was found stays in `.mutants/`, so that the next run tries only survivors and what
 * changed; `--afresh` tries everything.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { MutantResult } from '@stryker-mutator/api/core';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** A pattern that the paths of the files to change match. */
    only: { type: 'string', default: '' },
    concurrency: { type: 'string', default: '2' },
    /**
     * How long the tests of a mutant may take beyond one and a half times what they take without one. A busy machine
     * needs more.
     */
    'timeout-ms': { type: 'string', default: '3000' },
    afresh: { type: 'boolean', default: false },
  },
});
const room = positionals[0]?.replace(/\/$/, '');
if (room === undefined)
  throw new Error('usage: npm run mutants -- src/ROOM [--only=PATTERN] [--concurrency=2] [--afresh]');

const isCode = (file: string) => !/\.(test|testing)\.ts$/.test(file) && new RegExp(values.only).test(file);
const mutated = globSync(`${room}/**/*.ts`, { cwd: root }).filter(isCode).sort();
const tests = globSync(`{${room},test/${basename(room)}}/**/*.test.ts`, { cwd: root })
  .filter((file) => !file.endsWith('.system.test.ts'))
  .sort();
if (mutated.length === 0 || tests.length === 0) throw new Error(`no code or no tests: ${room}`);

const here = fileURLToPath(new URL('.', import.meta.url));
if (!existsSync(`${here}node_modules`)) {
  process.stderr.write('mutants: installing what only they need\n');
  execFileSync('npm', ['ci', '--no-audit', '--prefix', here], { stdio: ['ignore', 'ignore', 'inherit'] });
}
const { Stryker } = await import('@stryker-mutator/core');
const directory = '.mutants';
const report = `${directory}/${room.replaceAll('/', '-')}`;
process.chdir(root);
mkdirSync(directory, { recursive: true });
process.env.MDAPI_MUTATION_TESTS = JSON.stringify(tests);
// The code of a run is read some thousand times, and stripped of its types once.
process.env.NODE_COMPILE_CACHE = `${root}${directory}/compiled`;
const results = await new Stryker({
  testRunner: 'test-files',
  plugins: [fileURLToPath(new URL('test-files-runner.ts', import.meta.url))],
  mutate: mutated,
  coverageAnalysis: 'perTest',
  concurrency: Number(values.concurrency),
  timeoutMS: Number(values['timeout-ms']),
  timeoutFactor: 1.5,
  // It would rewrite the compiler's configuration, through a compiler older than ours.
  ignorePatterns: ['.git', '/bench', '/client-python/*/**', '/ops', '/tools/clients', 'tsconfig.json'],
  tempDirName: `${directory}/sandboxes`,
  incremental: true,
  incrementalFile: `${report}.incremental.json`,
  force: values.afresh,
  reporters: ['clear-text', 'html', 'progress-append-only'],
  htmlReporter: { fileName: `${report}.html` },
  clearTextReporter: { logTests: false, reportTests: false, allowColor: process.stdout.isTTY === true },
  thresholds: { high: 90, low: 85, break: null },
  allowConsoleColors: process.stdout.isTTY === true,
}).runMutationTest();
process.stdout.write(`\n${room}: ${figures(results)}\n`);

function figures(all: readonly MutantResult[]): string {
  const judged = all.filter(({ status }) => status !== 'Ignored' && status !== 'CompileError');
  const noticed = judged.filter(({ status }) => status === 'Killed' || status === 'Timeout');
  const share = ((noticed.length / judged.length) * 100).toFixed(1);
  return `${noticed.length} of ${judged.length} mutants killed, ${share} %`;
}
