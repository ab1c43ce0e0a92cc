import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const launcher = fileURLToPath(new URL('../bin/mdapi.js', import.meta.url));

/** Runs the program, and kills it when the input of this script ends: with its parent, however that ends. */
const keeper = `exec 3<&0
"$@" </dev/null 3<&- & child=$!
echo $child >&4
exec 4>&-
{ read -r end <&3; kill -9 $child; } >/dev/null 2>&1 &
wait $child`;

/** One `mdapi serve --only …`, on ports that it keeps over restarts. */
export class ServeProcess {
  readonly name: string;
  readonly role: 'feed' | 'api';
  readonly port: number;
  readonly adminUrl: string;
  /** `undefined` while it does not run. */
  pid: number | undefined;
  readonly #directory: string;
  #keeper: ChildProcess | undefined;
  #ended: Promise<unknown> = Promise.resolve();

  /** @param directory where the configuration is and the log goes */
  constructor(name: string, directory: string, port: number, adminPort: number) {
    this.name = name;
    this.role = name.startsWith('feed') ? 'feed' : 'api';
    this.port = port;
    this.adminUrl = `http://127.0.0.1:${adminPort}`;
    this.#directory = directory;
  }

  /** Resolves before the process is ready. */
  async start(): Promise<void> {
    const log = openSync(join(this.#directory, `${this.name}.log`), 'a');
    const ports = { MDAPI_SERVER_PORT: String(this.port), MDAPI_ADMIN_PORT: new URL(this.adminUrl).port };
    const command = [process.execPath, launcher, 'serve', '--only', this.role];
    const child = spawn('/bin/sh', ['-c', keeper, 'keeper', ...command], {
      cwd: this.#directory,
      // A session of its own: Ctrl-C reaches the cluster command alone, which then stops everything in order.
      detached: true,
      stdio: ['pipe', log, log, 'ignore', 'pipe'],
      env: { ...ordinary, ...ports },
    });
    closeSync(log);
    this.#keeper = child;
    this.pid = Number(String((await once(child.stdio[4]!, 'data'))[0]));
    this.#ended = once(child, 'exit').then(() => {
      this.pid = undefined;
    });
  }

  /** Ends it as the loss of its machine would. */
  async kill(): Promise<void> {
    this.#keeper?.stdin?.end();
    await this.#ended;
  }

  /** Whether it is ready and, as an API process, has prices. */
  async serves(key: string): Promise<boolean> {
    const [ready] = await ask(`${this.adminUrl}/readyz`);
    if (ready !== '200' || this.role === 'feed') return ready === '200';
    return (await ask(`http://127.0.0.1:${this.port}/v1/tickers`, key))[0] === '200';
  }
}

/** Settings of the shell that starts the cluster are for another service. */
const ordinary = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('MDAPI_')));

const timeoutMs = 900;

export async function ask(url: string, key = ''): Promise<readonly [status: string, body: string]> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, { headers: { 'X-EXCHANGE-APIKEY': key }, signal });
    return [String(response.status), await response.text()];
  } catch {
    return ['no answer', ''];
  }
}
