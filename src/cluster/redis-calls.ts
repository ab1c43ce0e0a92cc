import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Clock, Randomness } from '../ground/clock.ts';
import { type RedisAddress, RedisConnection } from './redis-connection.ts';

/** Sends one command and gives its answer. */
export type Caller = (command: readonly string[]) => Promise<unknown>;

/** After this time without an answer the connection is replaced. */
const timeoutMs = 1_500;
/** A server that is there is reached in milliseconds; one that is not delays a start by so much. */
const reachedWithinMs = 1_000;

/** Two connections to a server, each replaced when it stops answering. */
export class RedisCalls {
  readonly ask: Caller;
  /** For reads that wait for something to answer: such a read holds up all behind it. */
  readonly wait: Caller;
  readonly #connections: readonly RedisConnection[];
  readonly #clock: Clock;
  readonly #opened: Promise<unknown>;

  /** @param blockMs how long the server may keep a read of `wait` */
  constructor(address: RedisAddress, clock: Clock, randomness: Randomness, blockMs: number) {
    const askingOpened = Promise.withResolvers<void>();
    const waitingOpened = Promise.withResolvers<void>();
    const asking = new RedisConnection(address, clock, randomness, { opened: askingOpened.resolve });
    const waiting = new RedisConnection(address, clock, randomness, { opened: waitingOpened.resolve });
    this.#connections = [asking, waiting];
    this.#clock = clock;
    this.#opened = Promise.all([askingOpened.promise, waitingOpened.promise]);
    this.ask = callerWithTimeout(asking, clock, timeoutMs);
    this.wait = callerWithTimeout(waiting, clock, blockMs + timeoutMs);
  }

  /** Resolves once commands can be sent, or after a second. */
  start(): Promise<unknown> {
    for (const connection of this.#connections) connection.start();
    const late = Promise.withResolvers<void>();
    const timer = this.#clock.after(reachedWithinMs, late.resolve);
    return Promise.race([this.#opened, late.promise]).finally(() => timer.cancel());
  }

  stop(): void {
    for (const connection of this.#connections) connection.stop();
  }
}

/**
 * A caller whose every promise settles: after `timeoutMs` of silence the connection is made again and the call rejects.
 */
export function callerWithTimeout(connection: RedisConnection, clock: Clock, timeoutMs: number): Caller {
  return (command) => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const timer = clock.after(timeoutMs, () => {
      const reason = `no answer within ${timeoutMs} ms`;
      // First: the end of the connection rejects it as well, for no reason of its own.
      reject(new Error(reason));
      connection.reopen(reason);
    });
    connection.call(command).then(resolve, (error) => reject(connection.isOpen ? error : connection.notConnected()));
    return promise.finally(() => timer.cancel());
  };
}

/** The text of a Lua script, by the name of its file. */
export function scriptText(name: string): string {
  return readFileSync(new URL(`scripts/${name}.lua`, import.meta.url), 'utf8');
}

const digests = new Map<string, string>();

/** Runs a script by its digest, and sends it whole where the server does not know it. */
export async function runScript(
  call: Caller,
  script: string,
  keys: readonly string[],
  values: readonly string[],
): Promise<unknown> {
  const digest = digests.getOrInsertComputed(script, () => hash('sha1', script));
  const rest = [String(keys.length), ...keys, ...values];
  try {
    return await call(['EVALSHA', digest, ...rest]);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
    return call(['EVAL', script, ...rest]);
  }
}

/** An entry of a stream. */
export interface StreamEntry {
  readonly id: string;
  readonly fields: Fields;
}

/** By their names. */
type Fields = Readonly<Record<string, string | undefined>>;

/** Reads the answer to `XREAD` of one stream: `[[key, [[id, [name, value, …]], …]]]`, or nothing. */
export function readStreamEntries(answer: unknown): readonly StreamEntry[] {
  const entries = (answer as [string, [string, string[]][]][] | null)?.[0]?.[1] ?? [];
  return entries.map(([id, members]) => ({ id, fields: readFields(members) }));
}

/** Reads `[name, value, …]`. */
export function readFields(members: unknown): Fields {
  const given = members as readonly string[];
  return Object.fromEntries(given.flatMap((name, index) => (index % 2 === 0 ? [[name, given[index + 1]]] : [])));
}
