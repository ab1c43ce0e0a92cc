import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { FakeClock, seededRandomness } from '../../test/support/fake-clock.ts';
import { type Clock, systemClock } from '../ground/clock.ts';
import type { Context } from './command.ts';
import { run } from './run.ts';

/** The outcome of one run of the program. */
export interface Outcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** An operator in an empty working directory. */
export interface Operator {
  readonly directory: string;
  /** Runs `bin/mdapi.js` as a process of its own. */
  process(...argv: readonly string[]): Promise<Outcome>;
  /** Runs the same inside this process, which starts none. */
  mdapi(...argv: readonly string[]): Promise<Outcome>;
  /** Gives what `mdapi` prints on stdout, in a run that has to end with 0. */
  text(...argv: readonly string[]): Promise<string>;
  /** Gives the one object on stdout of `mdapi` with `--json`, in a run that has to end with 0. */
  json<Shape = Record<string, unknown>>(...argv: readonly string[]): Promise<Shape>;
}

const executable = fileURLToPath(new URL('../../bin/mdapi.js', import.meta.url));

export function newDirectory(t: Pick<TestContext, 'after'>): string {
  const directory = mkdtempSync(join(tmpdir(), 'mdapi-cli-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

export function newOperator(t: Pick<TestContext, 'after'>, env: Readonly<Record<string, string>> = {}): Operator {
  const directory = newDirectory(t);
  const mdapi = (...argv: readonly string[]) => runInside(argv, { cwd: directory, env, clock: systemClock });
  async function text(...argv: readonly string[]): Promise<string> {
    const { exitCode, stdout, stderr } = await mdapi(...argv);
    if (exitCode !== 0) throw new Error(`mdapi ${argv.join(' ')} ended with ${exitCode}: ${stderr}`);
    return stdout;
  }
  return {
    directory,
    process: (...argv) => runProcess(process.execPath, [executable, ...argv], directory, env),
    mdapi,
    text,
    json: async <Shape>(...argv: readonly string[]) => JSON.parse(await text(...argv, '--json')) as Shape,
  };
}

/** Nothing of the tester's own environment reaches the process but what it needs to start. */
export function runProcess(
  file: string,
  argv: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(file, [...argv], { cwd, env: { PATH: process.env.PATH, ...env } }, (error, stdout, stderr) => {
      const exitCode = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ exitCode, stdout, stderr });
    });
  });
}

/** Settings of a run inside this process, for what a child process cannot have: a terminal, a chosen instant. */
export interface Inside {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly isTerminal?: boolean;
  /** The answer typed at the question; the end of input when left out. */
  readonly typed?: string;
  readonly clock?: Clock;
}

export async function runInside(argv: readonly string[], inside: Inside): Promise<Outcome> {
  const { cwd, env = {}, isTerminal = false, typed, clock = new FakeClock() } = inside;
  const written = { stdout: '', stderr: '' };
  const output = (name: 'stdout' | 'stderr') => ({
    isTerminal,
    write: (text: string) => {
      written[name] += text;
    },
  });
  const stream = new PassThrough();
  stream.end(typed ?? '');
  const context: Context = {
    stdout: output('stdout'),
    stderr: output('stderr'),
    stdin: { stream, isTerminal },
    env,
    cwd,
    user: 'tester',
    clock,
    randomness: seededRandomness(nextSeed++),
    signal: new AbortController().signal,
  };
  return { exitCode: await run(argv, context), ...written };
}

/** Each run draws other ids and keys. */
let nextSeed = 1;
