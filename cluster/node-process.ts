import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const launcher = fileURLToPath(new URL('../bin/mdapi.js', import.meta.url));

/**
 * Runs the program and ends with it; kills it, frozen or not, when the input of this script ends, which it does with
 * whoever started it, however that ends.
 */
const keeper = `exec 3<&0
"$@" </dev/null 3<&- & child=$!
echo $child >&4
exec 4>&-
{ read -r end <&3; kill -9 $child; } >/dev/null 2>&1 &
wait $child`;

export type Role = 'feed' | 'api';

export interface NodePlan {
  readonly name: string;
  readonly role: Role;
  /** Where the configuration is, and the log goes. */
  readonly directory: string;
  /** Of the public listener; a feed has none. */
  readonly port: number;
  readonly adminPort: number;
}

/** One `mdapi serve --only …`, at addresses that it keeps however often it is started. */
export class NodeProcess {
  readonly name: string;
  readonly role: Role;
  readonly port: number;
  readonly adminUrl: string;
  readonly #plan: NodePlan;
  #keeper: ChildProcess | undefined;
  #ended: Promise<unknown> = Promise.resolve();
  #pid: number | undefined;
  #isFrozen = false;

  constructor(plan: NodePlan) {
    this.#plan = plan;
    this.name = plan.name;
    this.role = plan.role;
    this.port = plan.port;
    this.adminUrl = `http://127.0.0.1:${plan.adminPort}`;
  }

  /** `undefined` while there is no such process. */
  get pid(): number | undefined {
    return this.#pid;
  }

  get isFrozen(): boolean {
    return this.#isFrozen;
  }

  /** Starts it unless it runs. It is not ready yet when this resolves. */
  async start(): Promise<void> {
    if (this.#pid !== undefined) return;
    const { name, role, directory, port, adminPort } = this.#plan;
    const log = openSync(join(directory, `${name}.log`), 'a');
    const child = spawn('/bin/sh', ['-c', keeper, 'keeper', process.execPath, launcher, 'serve', '--only', role], {
      cwd: directory,
      // Of its own session: Ctrl-C is for the one who started the cluster, who then ends it in order.
      detached: true,
      stdio: ['pipe', log, log, 'ignore', 'pipe'],
      env: { ...ordinaryEnvironment(), MDAPI_SERVER_PORT: String(port), MDAPI_ADMIN_PORT: String(adminPort) },
    });
    closeSync(log);
    this.#keeper = child;
    this.#isFrozen = false;
    const lines = createInterface(child.stdio[4] as NodeJS.ReadableStream);
    this.#pid = Number((await once(lines, 'line'))[0]);
    this.#ended = once(child, 'exit').then(() => {
      this.#pid = undefined;
      this.#isFrozen = false;
    });
  }

  freeze(): void {
    this.#signal('SIGSTOP');
    this.#isFrozen = this.#pid !== undefined;
  }

  thaw(): void {
    this.#signal('SIGCONT');
    this.#isFrozen = false;
  }

  /** Ends it as the loss of its machine does. */
  async kill(): Promise<void> {
    this.#signal('SIGKILL');
    await this.#ended;
  }

  /** Has it end in order: it takes no more, answers what it has, and saves. */
  async stop(): Promise<void> {
    this.thaw();
    this.#signal('SIGTERM');
    await this.#ended;
  }

  /** Ends it, whatever state it is in. */
  async end(): Promise<void> {
    this.#keeper?.stdin?.end();
    await this.#ended;
  }

  #signal(signal: NodeJS.Signals): void {
    try {
      if (this.#pid !== undefined) process.kill(this.#pid, signal);
    } catch {
      // It has just ended by itself.
    }
  }
}

/** Without the settings that whoever starts the cluster has for a service of his own. */
function ordinaryEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('MDAPI_')));
}
