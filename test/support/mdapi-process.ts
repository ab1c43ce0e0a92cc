import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { ExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { ApiClient } from './api-client.ts';
import { eventually } from './eventually.ts';
import { fixedPort } from './fixed-port.ts';
import { krakenAt } from './kraken-at.ts';
import { laxGuard, offered } from './service-harness.ts';

export const launcher = fileURLToPath(new URL('../../bin/mdapi.js', import.meta.url));

type Cleanup = Pick<TestContext, 'after'>;

/** How a process ended. */
export interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ProcessOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** A process group of its own, as a shell gives to a job: what Ctrl-C reaches. */
  readonly ownGroup?: boolean;
}

/** A child process whose output is kept. It does not outlive its test. */
export class Child {
  readonly child: ChildProcess;
  readonly ended: Promise<End>;
  stdout = '';
  stderr = '';

  constructor(t: Cleanup, file: string, argv: readonly string[], { cwd, env = {}, ownGroup = false }: ProcessOptions) {
    this.child = spawn(file, [...argv], {
      cwd,
      env: { PATH: process.env.PATH, HOME: cwd, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: ownGroup,
    });
    this.child.stdout?.on('data', (chunk: Buffer) => {
      this.stdout += chunk.toString();
    });
    this.child.stderr?.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString();
    });
    this.ended = once(this.child, 'close').then(([code, signal]) => ({ code, signal }) as End);
    t.after(async () => {
      if (ownGroup && this.running) process.kill(-this.child.pid!, 'SIGKILL');
      this.child.kill('SIGKILL');
      await this.ended;
    });
  }

  get running(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Everything it said. */
  get output(): string {
    return this.stdout + this.stderr;
  }

  /** Resolves with the first line on stdout. Fails when the process ends before. */
  async firstLine(): Promise<string> {
    await eventually('a line on stdout', () => this.stdout.includes('\n') || !this.running, 60_000);
    assert.ok(this.stdout.includes('\n'), `the process said nothing on stdout: ${this.stderr}`);
    return this.stdout.split('\n', 1)[0]!;
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** What Ctrl-C does: the signal goes to every process of the group. */
  interrupt(): void {
    process.kill(-this.child.pid!, 'SIGINT');
  }
}

/** What `mdapi serve --json` prints. */
interface Addresses {
  readonly baseUrl: string;
  readonly adminUrl: string;
}

/** `mdapi serve` as an operator runs it: a configuration file, a database beside it, a process of its own. */
export class Installation {
  readonly directory: string;
  /** Of the environment of every process. */
  readonly env: Record<string, string> = {};
  /** What starts every process, where something else does: a program and its first arguments. */
  startedBy: readonly string[] = [];
  readonly #t: Cleanup;

  private constructor(t: Cleanup, directory: string) {
    this.#t = t;
    this.directory = directory;
  }

  /** @param more settings as they are in the file, section by section */
  static for(t: Cleanup, exchange: ExchangeSimulator, more: Readonly<Record<string, object>> = {}): Installation {
    const directory = mkdtempSync(join(tmpdir(), 'mdapi-serve-'));
    t.after(() => rmSync(directory, { recursive: true, force: true }));
    const configuration: Record<string, object> = {
      server: { port: 0, shutdownDeadline: '1s', overloadDelay: '10s' },
      admin: { port: 0 },
      sources: [krakenAt(exchange.restUrl, exchange.wsUrl)],
      markets: { symbols: offered },
      rates: { source: 'cnb', url: exchange.cnbUrl, compare: { source: 'ecb', url: exchange.ecbUrl } },
      guard: laxGuard,
      limits: { key: 1_000_000, address: 1_000_000, failedAuthentication: 1_000_000 },
      logs: { level: 'trace' },
    };
    for (const [section, settings] of Object.entries(more)) {
      configuration[section] = Array.isArray(settings) ? settings : { ...configuration[section], ...settings };
    }
    // JSON is YAML.
    writeFileSync(join(directory, 'mdapi.yaml'), JSON.stringify(configuration));
    return new Installation(t, directory);
  }

  /** Starts a command without waiting for it. */
  start(...argv: readonly string[]): Child {
    const [file, ...args] = [...this.startedBy, process.execPath, launcher, ...argv];
    return new Child(this.#t, file!, args, { cwd: this.directory, env: this.env });
  }

  /** Runs a command to its end. */
  async run(...argv: readonly string[]): Promise<{ exitCode: number; stdout: string; stderr: string }> {
    const child = this.start(...argv);
    const { code } = await child.ended;
    return { exitCode: code ?? -1, stdout: child.stdout, stderr: child.stderr };
  }

  /** The one object that a command prints with `--json`; it has to end with 0. */
  async json<Body = Record<string, unknown>>(...argv: readonly string[]): Promise<Body> {
    const { exitCode, stdout, stderr } = await this.run(...argv, '--json');
    assert.equal(exitCode, 0, `mdapi ${argv.join(' ')}: ${stderr}`);
    return JSON.parse(stdout) as Body;
  }

  /** `mdapi serve`, once it listens. Commands find its private listener, and after its end nobody there. */
  async serve(): Promise<{ server: Child; baseUrl: string; adminUrl: string }> {
    this.env.MDAPI_ADMIN_PORT = String(await fixedPort());
    const server = this.start('serve', '--json');
    const { baseUrl, adminUrl } = JSON.parse(await server.firstLine()) as Addresses;
    return { server, baseUrl, adminUrl };
  }

  /** An account with one key, made on the command line. */
  async makeKey(): Promise<{ accountId: string; keyId: string; key: string }> {
    const account = await this.json<{ id: string }>('accounts', 'create', '--email', 'client@example.com');
    const { id, key } = await this.json<{ id: string; key: string }>('keys', 'create', '--account', account.id);
    return { accountId: account.id, keyId: id, key };
  }

  /** The server running, with a key, and every market priced. */
  async serveLive() {
    const made = await this.makeKey();
    const { server, baseUrl, adminUrl } = await this.serve();
    const api = await ApiClient.of(baseUrl, made.key);
    await untilLive(api);
    return { ...made, server, baseUrl, adminUrl, api };
  }
}

export function untilLive(api: ApiClient): Promise<unknown> {
  return eventually('live prices', async () => {
    if ((await api.status()).status !== 'operational') return false;
    return (await api.tickers()).size === 2 * offered.length;
  });
}
