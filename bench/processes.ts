import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';

/**
 * What is measured has a processor core to itself; whatever feeds or asks it runs on another. What needs several has
 * all.
 */
export type Core = 'measured' | 'others' | 'all';

const coreNumbers: Record<Core, string> = { measured: '0', others: '1', all: `0-${availableParallelism() - 1}` };
const stopTimeoutMs = 15_000;
/** Clock ticks a second in `/proc`, the same on every Linux (`USER_HZ`). */
const ticksPerSecond = 100;

const children = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** The full path of a program, `undefined` when it is not installed. System directories are looked into as well. */
export function findProgram(name: string): string | undefined {
  const directories = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return directories.map((directory) => join(directory, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Whether processes are bound to a core each: needs `taskset` and two cores. */
export const pinned = findProgram('taskset') !== undefined && availableParallelism() > 1;

export interface ProcessOptions {
  readonly core: Core;
  readonly command: string;
  readonly args: readonly string[];
  /** Opens a channel for `ask`. */
  readonly channel?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts Node on a TypeScript file, or on whatever else `args` begin with. */
export function startNode(options: Omit<ProcessOptions, 'command'>): MeasuredProcess {
  return new MeasuredProcess({ ...options, command: process.execPath });
}

/** A child process with what the operating system knows of it. */
export class MeasuredProcess {
  readonly #child: ChildProcess;
  readonly #name: string;
  #stderr = '';
  #stopping = false;

  constructor({ core, command, args, channel, env }: ProcessOptions) {
    this.#name = [command, ...args].join(' ');
    const line = pinned ? ['taskset', '-c', coreNumbers[core], command, ...args] : [command, ...args];
    this.#child = spawn(line[0]!, line.slice(1), {
      stdio: ['pipe', 'pipe', 'pipe', ...(channel ? (['ipc'] as const) : [])],
      env: { ...process.env, ...env },
    });
    children.add(this.#child);
    this.#child.once('exit', (code, signal) => {
      children.delete(this.#child);
      // Whoever asks it next sees only a lost connection: here is why.
      if (code !== 0 && !this.#stopping) this.#log(`ended with ${code ?? signal}`);
    });
    this.#child.stderr!.on('data', (text: Buffer) => {
      this.#stderr = (this.#stderr + text.toString()).slice(-2_000);
    });
  }

  /** The first line it prints: what it has to say once it is ready. Throws with its last words when it ends before. */
  async firstLine(): Promise<string> {
    const ended = once(this.#child, 'close').then(() => undefined);
    const line = await Promise.race([once(createInterface({ input: this.#child.stdout! }), 'line'), ended]);
    if (line === undefined) throw new Error(`ended before it was ready: ${this.#name}\n${this.#stderr}`);
    return line[0] as string;
  }

  /** All it prints, once it has ended well. */
  async output(): Promise<string> {
    let text = '';
    this.#child.stdout!.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    const [code] = await once(this.#child, 'close');
    if (code !== 0) throw new Error(`ended with ${code}: ${this.#name}\n${this.#stderr}${text}`);
    return text;
  }

  /** Sends a message over the channel and waits for the answer. One at a time. */
  async ask(message: object): Promise<unknown> {
    const answer = once(this.#child, 'message');
    this.#child.send(message);
    return (await answer)[0];
  }

  /** Processor time of all its threads so far; `undefined` on a system that does not report it. */
  processorSeconds(): number | undefined {
    return secondsIn(`/proc/${this.#child.pid}/stat`);
  }

  /** That of its first thread, which serves. */
  servingSeconds(): number | undefined {
    return secondsIn(`/proc/${this.#child.pid}/task/${this.#child.pid}/stat`);
  }

  /** Memory it holds in RAM now; `undefined` on a system that does not report it. */
  residentBytes(): number | undefined {
    const path = `/proc/${this.#child.pid}/status`;
    if (!existsSync(path)) return undefined;
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(path, 'utf8'))?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  }

  /** Stands still until `resume`. */
  pause(): void {
    this.#child.kill('SIGSTOP');
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#stopping = true;
    this.resume();
    this.#child.kill('SIGTERM');
    const timeout = setTimeout(() => this.#child.kill('SIGKILL'), stopTimeoutMs);
    await exited;
    clearTimeout(timeout);
  }

  #log(what: string): void {
    process.stderr.write(`${what}: ${this.#name}\n${this.#stderr}\n`);
  }
}

function secondsIn(path: string): number | undefined {
  if (!existsSync(path)) return undefined;
  const text = readFileSync(path, 'utf8');
  // The second field, the name in brackets, may hold blanks: counted is from behind it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}
