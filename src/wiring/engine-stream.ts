import type { Clock, Randomness } from '../clock.ts';
import { callerWithTimeout } from '../cluster/call-timeout.ts';
import { type RedisAddress, RedisConnection } from '../cluster/redis-connection.ts';
import type { Caller } from '../cluster/redis-lease.ts';
import type { ServiceMessage } from '../feed/push/messages.ts';
import type { EngineStream, StreamEntry, StreamPosition } from '../feed/push/stream-reader.ts';

const entriesPerRead = 500;
const blockMs = 1_000;
const timeoutMs = 1_500;
/** Some minutes of acknowledgements. */
const answersKept = 1_000;

/** The stream that the engine of a source writes. The names of its answers and of the position begin with it. */
export function streamKey(source: string): string {
  return `{mdapi}:source:${source}`;
}

/** The streams of a source in Redis or Valkey. */
export class RedisEngineStream implements EngineStream {
  readonly #key: string;
  readonly #connections: readonly RedisConnection[];
  readonly #ask: Caller;
  readonly #wait: Caller;

  constructor(source: string, address: RedisAddress, clock: Clock, randomness: Randomness) {
    const connect = () => new RedisConnection(address, clock, randomness, { opened: () => {}, lost: () => {} });
    const asking = connect();
    // Apart: a read that waits for entries holds up all behind it.
    const waiting = connect();
    this.#key = streamKey(source);
    this.#connections = [asking, waiting];
    this.#ask = callerWithTimeout(asking, clock, timeoutMs);
    this.#wait = callerWithTimeout(waiting, clock, blockMs + timeoutMs);
  }

  start(): void {
    for (const connection of this.#connections) connection.start();
  }

  stop(): void {
    for (const connection of this.#connections) connection.stop();
  }

  async read(after: string): Promise<readonly StreamEntry[]> {
    const limits = ['COUNT', String(entriesPerRead), 'BLOCK', String(blockMs)];
    const answer = await this.#wait(['XREAD', ...limits, 'STREAMS', this.#key, after]);
    const entries = (answer as [string, [string, string[]][]][] | null)?.[0]?.[1] ?? [];
    return entries.map(([id, members]) => {
      const { epoch = '', message = '' } = fieldsOf(members);
      return { id, epoch: /^[1-9]\d*$/.test(epoch) ? Number(epoch) : Number.NaN, message };
    });
  }

  async has(id: string): Promise<boolean> {
    return ((await this.#ask(['XRANGE', this.#key, id, id])) as unknown[]).length > 0;
  }

  async lastId(): Promise<string | undefined> {
    const entries = (await this.#ask(['XREVRANGE', this.#key, '+', '-', 'COUNT', '1'])) as [string, string[]][];
    return entries[0]?.[0];
  }

  async now(): Promise<number> {
    const [seconds] = (await this.#ask(['TIME'])) as [string, string];
    return Number(seconds) * 1_000;
  }

  async answer(epoch: number, message: ServiceMessage): Promise<void> {
    const fields = ['epoch', String(epoch), 'message', JSON.stringify(message)];
    await this.#ask(['XADD', `${this.#key}:answers`, 'MAXLEN', '~', String(answersKept), '*', ...fields]);
  }

  async position(): Promise<StreamPosition | undefined> {
    const { id, epoch = '0', catalogue = '' } = fieldsOf((await this.#ask(['HGETALL', this.#positionKey])) as string[]);
    return id === undefined ? undefined : { id, epoch: Number(epoch), catalogue };
  }

  async keep(position: Partial<StreamPosition>): Promise<void> {
    await this.#ask(['HSET', this.#positionKey, ...Object.entries(position).flat().map(String)]);
  }

  get #positionKey(): string {
    return `${this.#key}:position`;
  }
}

/** `[name, value, …]` */
function fieldsOf(members: readonly string[]): Readonly<Record<string, string>> {
  const pairs = members.flatMap((name, index) => (index % 2 === 0 ? [[name, members[index + 1] ?? '']] : []));
  return Object.fromEntries(pairs) as Record<string, string>;
}
