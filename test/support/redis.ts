import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { createClient } from '@redis/client';
import type { RedisAddress } from '../../src/cluster/redis-connection.ts';
import { eventually } from './eventually.ts';
import { fixedPort } from './fixed-port.ts';
import { findSystemProgram } from './system-program.ts';

/** The Redis or Valkey server that tests run. */
const found = findSystemProgram({
  names: ['redis-server', 'valkey-server'],
  variable: 'MDAPI_REDIS_BIN',
  package: 'redis-server',
  orElse: 'brew install redis',
});

/** What a test that needs a server gives to `test`. */
export const needsRedis: { readonly skip?: string } = found.needs;

/**
 * Runs the server, and kills it when its own input ends: so it is gone with the test process, however that
 * ends, and whether or not the server is frozen.
 */
const keeper = '"$@" >/dev/null 2>&1 <&- & echo $!; read -r end; kill -9 $! 2>/dev/null; wait $!';

/** A real Redis or Valkey server on a free port, without persistence. It ends with its test. */
export class RedisServer {
  readonly port: number;
  readonly #directory: string;
  readonly #settings: readonly string[];
  #keeper: ChildProcess | undefined;
  #pid = 0;

  private constructor(port: number, settings: readonly string[]) {
    this.port = port;
    this.#settings = settings;
    this.#directory = mkdtempSync(join(tmpdir(), 'mdapi-redis-'));
  }

  /** @param settings of the server, as on its command line: `--maxmemory 2mb` is two of them */
  static async start(t: Pick<TestContext, 'after'>, ...settings: readonly string[]): Promise<RedisServer> {
    const server = new RedisServer(await fixedPort(), settings);
    t.after(() => server.#end());
    await server.#run();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** What a connection needs to know. */
  get address(): RedisAddress {
    return { host: '127.0.0.1', port: this.port, tls: false, user: undefined, password: undefined, database: 0 };
  }

  /** Ends it without a word, as a power failure does. What it held is gone. */
  async kill(): Promise<void> {
    process.kill(this.#pid, 'SIGKILL');
    await this.#stopKeeper();
  }

  /** Starts it again, empty, at the same address. */
  async restart(): Promise<void> {
    if (this.#keeper !== undefined) await this.kill();
    await this.#run();
  }

  /** It keeps its connections and answers nothing. */
  freeze(): void {
    process.kill(this.#pid, 'SIGSTOP');
  }

  thaw(): void {
    process.kill(this.#pid, 'SIGCONT');
  }

  /** One command on a connection of its own. */
  async ask(...command: readonly string[]): Promise<unknown> {
    const client = createClient({ url: this.url, RESP: 2, socket: { reconnectStrategy: false } });
    client.on('error', () => {});
    try {
      await client.connect();
      return await client.sendCommand([...command]);
    } finally {
      client.destroy();
    }
  }

  async #run(): Promise<void> {
    const base = ['--port', String(this.port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    const argv = [found.path!, ...base, '--dir', this.#directory, ...this.#settings];
    const child = spawn('/bin/sh', ['-c', keeper, 'keeper', ...argv], {
      stdio: ['pipe', 'pipe', 'ignore'],
      // Ctrl-C reaches this process alone, whose end then ends the server: the keeper would be gone and the server not.
      detached: true,
    });
    this.#keeper = child;
    const [firstLine] = (await once(child.stdout!, 'data')) as [Buffer];
    this.#pid = Number(firstLine.toString());
    await eventually('the Redis server answers', () =>
      this.ask('PING').then(
        () => true,
        // An answer that refuses is one too.
        (error: Error) => /^(NOAUTH|LOADING)/.test(error.message),
      ),
    );
  }

  async #stopKeeper(): Promise<void> {
    const child = this.#keeper;
    this.#keeper = undefined;
    if (child === undefined) return;
    child.stdin?.end();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }

  async #end(): Promise<void> {
    await this.#stopKeeper();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
