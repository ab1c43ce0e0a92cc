/**
 * Lets Stryker run test files of Node's runner: once each to learn which mutants it reaches, then for each mutant those
 * that reach it, in one process that ends with the first failure. A process for each file, as its own runner for TAP
 * starts, takes ten times as long.
 */
import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import type { CoverageData } from '@stryker-mutator/api/core';
import {
  type DryRunResult,
  DryRunStatus,
  type MutantRunOptions,
  type MutantRunResult,
  MutantRunStatus,
  type TestResult,
  type TestRunner,
  type TestRunnerCapabilities,
  TestStatus,
} from '@stryker-mutator/api/test-runner';

interface Ended {
  /** The first test that failed, with its file; or how the process ended. */
  readonly failure: { readonly file: string | undefined; readonly name: string } | undefined;
  readonly isTimedOut: boolean;
}

const noteCoverage = new URL('note-coverage.ts', import.meta.url).href;
const failed = /^\s*not ok \d+ - (.*)$/m;

class TestFilesRunner implements TestRunner {
  readonly #files = JSON.parse(process.env.MDAPI_MUTATION_TESTS ?? '[]') as readonly string[];

  capabilities(): TestRunnerCapabilities {
    return { reloadEnvironment: true };
  }

  async dryRun({ timeout }: { readonly timeout: number }): Promise<DryRunResult> {
    const reached = new Map<string, CoverageData>();
    const tests: TestResult[] = [];
    for (const file of this.#files) {
      const noted = `${process.cwd()}/.coverage-${process.pid}.json`;
      const startedMs = performance.now();
      const env = { MDAPI_MUTANT_COVERAGE: noted, NODE_OPTIONS: `--import=${noteCoverage}` };
      const { failure, isTimedOut } = await run([file], timeout, env);
      if (failure !== undefined || isTimedOut)
        return { status: DryRunStatus.Error, errorMessage: `${file}: ${failure?.name ?? 'took too long'}` };
      reached.set(file, JSON.parse(readFileSync(noted, 'utf8')));
      rmSync(noted);
      const timeSpentMs = performance.now() - startedMs;
      const fileName = `${process.cwd()}/${file}`;
      tests.push({ id: file, name: file, fileName, timeSpentMs, status: TestStatus.Success });
    }
    // In this order they run against each mutant, and most mutants are killed by any of them.
    tests.sort((one, other) => one.timeSpentMs - other.timeSpentMs);
    const perTest = Object.fromEntries(tests.map(({ id }) => [id, reached.get(id)!]));
    return { status: DryRunStatus.Complete, tests, mutantCoverage: { static: {}, perTest } };
  }

  async mutantRun({ activeMutant, testFilter, timeout }: MutantRunOptions): Promise<MutantRunResult> {
    const files = testFilter ?? this.#files;
    const env = { __STRYKER_ACTIVE_MUTANT__: activeMutant.id };
    const { failure, isTimedOut } = await run(files, timeout, env);
    const nrOfTests = files.length;
    if (isTimedOut) return { status: MutantRunStatus.Timeout };
    if (failure === undefined) return { status: MutantRunStatus.Survived, nrOfTests };
    const killedBy = failure.file === undefined ? [...files] : [failure.file];
    return { status: MutantRunStatus.Killed, nrOfTests, killedBy, failureMessage: failure.name };
  }
}

/** Runs test files in one process, until one test has failed. */
function run(files: readonly string[], timeoutMs: number, env: Record<string, string>): Promise<Ended> {
  const options = ['--test', '--test-isolation=none', '--test-force-exit', '--test-reporter=tap'];
  const child = spawn(process.execPath, [...options, 'test/support/batch.ts'], {
    env: { ...process.env, ...env, MDAPI_TEST_FILES: JSON.stringify(files) },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let output = '';
  let isTimedOut = false;
  const timer = setTimeout(() => {
    isTimedOut = true;
    child.kill('SIGKILL');
  }, timeoutMs);
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk;
    if (failed.test(output)) child.kill('SIGKILL');
  });
  const { promise, resolve } = Promise.withResolvers<Ended>();
  child.once('close', (code, signal) => {
    clearTimeout(timer);
    const failure =
      failureIn(output, files) ?? (code === 0 ? undefined : { file: undefined, name: `${signal ?? code}` });
    resolve({ failure, isTimedOut });
  });
  return promise;
}

function failureIn(output: string, files: readonly string[]): Ended['failure'] {
  const found = failed.exec(output);
  if (found === null) return undefined;
  const begun = output.slice(0, found.index).matchAll(/^# Subtest: (.*)$/gm);
  const file = [...begun].map(([, name]) => name!).findLast((name) => files.includes(name));
  return { file, name: found[1]! };
}

export const strykerPlugins = [{ kind: 'TestRunner', name: 'test-files', injectableClass: TestFilesRunner }];
