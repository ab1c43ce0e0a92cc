import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import pg from 'pg';
import { eventually } from './eventually.ts';
import { fixedPort } from './fixed-port.ts';
import type { PostgresServer } from './postgres.ts';
import { findSystemProgram } from './system-program.ts';

const found = findSystemProgram({ names: ['pgbouncer'], package: 'pgbouncer', orElse: 'brew install pgbouncer' });

/** What a test that needs PgBouncer gives to `test`. */
export const needsPgBouncer: { readonly skip?: string } = found.needs;

/** Its modes that hold transactions together; `session` is its default. */
export type PoolMode = 'session' | 'transaction';

/** It refuses to run as root. Whoever is root lends it nobody’s user. */
const unprivileged = process.geteuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** Ends it when its own input ends: so it is gone with the test process, however that ends. */
const keeper = '"$@" <&- & read -r end; kill $! 2>/dev/null; wait $!';

/** A real PgBouncer before a PostgreSQL, with its defaults for all that is not an address. It ends with its test. */
export class PgBouncer {
  readonly port: number;

  private constructor(port: number) {
    this.port = port;
  }

  static async start(
    t: Pick<TestContext, 'after'>,
    { port: serverPort }: Pick<PostgresServer, 'port'>,
    mode: PoolMode,
  ): Promise<PgBouncer> {
    const directory = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
    t.after(() => rmSync(directory, { recursive: true, force: true }));
    const port = await fixedPort();
    const users = place(directory, 'userlist.txt', '"postgres" "secret"\n"nobody_there" "secret"\n');
    const settings = place(
      directory,
      'pgbouncer.ini',
      `[databases]
* = host=127.0.0.1 port=${serverPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = md5
auth_file = ${users}
logfile = ${join(directory, 'log')}
pool_mode = ${mode}
`,
    );
    if (unprivileged.uid !== undefined) chownSync(directory, unprivileged.uid, unprivileged.gid);
    const child = spawn('/bin/sh', ['-c', keeper, 'keeper', found.path!, settings], {
      ...unprivileged,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const ended = once(child, 'exit');
    t.after(async () => {
      child.stdin.end();
      await ended;
    });
    const bouncer = new PgBouncer(port);
    await eventually('PgBouncer answers', async () => {
      if (child.exitCode !== null) throw new Error(readFileSync(join(directory, 'log'), 'utf8'));
      return answers(bouncer.urlOf('postgres'));
    });
    return bouncer;
  }

  /** @param user with its password, where it is another than `postgres` */
  urlOf(database: string, user = 'postgres:secret'): string {
    return `postgres://${user}@127.0.0.1:${this.port}/${database}`;
  }
}

function place(directory: string, name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text, { mode: 0o600 });
  if (unprivileged.uid !== undefined) chownSync(path, unprivileged.uid, unprivileged.gid);
  return path;
}

async function answers(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}
