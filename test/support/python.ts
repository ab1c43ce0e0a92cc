import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What `tools/python-client.sh` made. */
export interface PythonTools {
  /** The oldest and the newest Python there is, as far as the client supports them. They can be the same. */
  readonly pythons: readonly PythonEnvironment[];
  /** A JavaScript file: the command line of the type checker. */
  readonly pyright: string;
}

/** An environment with the requirements of the tests. */
export interface PythonEnvironment {
  readonly version: string;
  readonly python: string;
  /** Everything that is installed, to install it again without a network. */
  readonly wheels: string;
}

export interface Output {
  readonly out: string;
  readonly err: string;
  readonly code: number | null;
}

const repository = fileURLToPath(new URL('../../', import.meta.url));
const cache = join(repository, 'node_modules', '.cache', 'python-client');

/**
 * Options for `test`: a test that needs Python is skipped without its environments; the runner names it, and in CI
 * fails.
 */
export const pythonNeeds = { ...(readMade() === undefined ? { skip: missing() } : {}) };

/** The environments. Throws where there are none. */
export function pythonTools(): PythonTools {
  const [oldest = '', newest = '', pyright = ''] = readMade() ?? [];
  if (pyright === '') throw new Error(missing());
  const pythons = [...new Set([oldest, newest])].map((version) => ({
    version,
    python: join(cache, version, 'bin', 'python'),
    wheels: join(cache, version, 'wheels'),
  }));
  return { pythons, pyright: join(cache, pyright, 'node_modules', 'pyright', 'index.js') };
}

/** Runs a program until it ends; `stopAt` ends it as soon as it has printed a match. */
export function output(
  program: string,
  argv: readonly string[],
  { env, cwd, stopAt }: { readonly env?: NodeJS.ProcessEnv; readonly cwd?: string; readonly stopAt?: RegExp } = {},
): Promise<Output> {
  const child = spawn(program, [...argv], { env, cwd, stdio: ['ignore', 'pipe', 'pipe'], timeout: 60_000 });
  let [out, err] = ['', ''];
  const look = () => {
    if (stopAt?.test(out + err)) child.kill('SIGKILL');
  };
  child.stderr.on('data', (text) => {
    err += text;
    look();
  });
  child.stdout.on('data', (text) => {
    out += text;
    look();
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ out, err, code }));
  });
}

/** The environment of a Python that leaves nothing behind and talks to no proxy. */
export function pythonEnvironment(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const { PYTHONPATH: _path, ...inherited } = process.env;
  return { ...inherited, PYTHONDONTWRITEBYTECODE: '1', NO_PROXY: '127.0.0.1', no_proxy: '127.0.0.1', ...more };
}

function readMade(): readonly string[] | undefined {
  try {
    return readFileSync(join(cache, 'made'), 'utf8').trim().split('\n');
  } catch {
    return undefined;
  }
}

function missing(): string {
  return 'there are no Python environments: tools/python-client.sh, after apt-get install python3-venv where that is missing';
}
