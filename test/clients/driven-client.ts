import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** What a generated client made of an answer: values of its body, or the code of the problem. `broken`: neither. */
export interface Outcome {
  readonly status?: number;
  readonly values?: readonly string[];
  readonly code?: string;
  readonly broken?: string;
}

/** One request through the client. `-` is no key. */
export type Ask = (operation: string, key: string, symbol?: string) => Promise<Outcome>;

/** A client that tools/clients/build.sh made, as a program. */
export interface BuiltClient {
  /** Its folder in tools/clients. */
  readonly folder: string;
  /** Below tools/clients/build. */
  readonly command: readonly string[];
  /** What building it takes. */
  readonly wants: string;
}

const tools = fileURLToPath(new URL('../../tools/clients/', import.meta.url));

/**
 * What a test of the client gives to `test`: it is skipped, with the command that makes the client, unless it is up to
 * date.
 */
export function needsOf({ folder, wants }: BuiltClient): { skip?: string } {
  const { status } = spawnSync(`${tools}build.sh`, ['--check', folder]);
  if (status === 0) return {};
  return {
    skip: `the client is not made from today's document: tools/clients/build.sh ${folder}, which wants ${wants}`,
  };
}

/** The program, for one base URL. */
export class DrivenClient {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor({ command: [program = '', ...args] }: BuiltClient, baseUrl: string) {
    this.#child = spawn(program, [...args, baseUrl], {
      cwd: `${tools}build`,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#lines = createInterface({ input: this.#child.stdout! })[Symbol.asyncIterator]();
  }

  readonly ask: Ask = async (operation, key, symbol = '') => {
    this.#child.stdin!.write(`${operation} ${key} ${symbol}\n`);
    const { value, done } = await this.#lines.next();
    return done ? { broken: 'the program has ended' } : JSON.parse(value);
  };

  stop(): void {
    this.#child.stdin!.end();
    this.#child.kill();
  }
}
