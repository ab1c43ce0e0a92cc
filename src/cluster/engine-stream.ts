import type { Clock, Randomness } from '../ground/clock.ts';
import { RedisCalls, readFields, readStreamEntries } from './redis-calls.ts';
import type { RedisAddress } from './redis-connection.ts';

const entriesPerRead = 500;
const blockMs = 1_000;
/** Some minutes of acknowledgements. */
const answersKept = 1_000;

/** The stream that the engine of a source writes. The names of its answers and of the position begin with it. */
export function streamKey(source: string): string {
  return `{mdapi}:source:${source}`;
}

/** The streams of a source in Redis or Valkey, as `EngineStream` of the feed wants them. */
export class RedisEngineStream {
  readonly #key: string;
  readonly #positionKey: string;
  readonly #redis: RedisCalls;

  constructor(source: string, address: RedisAddress, clock: Clock, randomness: Randomness) {
    this.#key = streamKey(source);
    this.#positionKey = `${this.#key}:position`;
    this.#redis = new RedisCalls(address, clock, randomness, blockMs);
  }

  start(): void {
    void this.#redis.start();
  }

  stop(): void {
    this.#redis.stop();
  }

  async read(after: string) {
    const limits = ['COUNT', String(entriesPerRead), 'BLOCK', String(blockMs)];
    const answer = await this.#redis.wait(['XREAD', ...limits, 'STREAMS', this.#key, after]);
    return readStreamEntries(answer).map(({ id, fields: { epoch = '', message = '' } }) => {
      return { id, epoch: /^[1-9]\d*$/.test(epoch) ? Number(epoch) : Number.NaN, message };
    });
  }

  async has(id: string): Promise<boolean> {
    return ((await this.#redis.ask(['XRANGE', this.#key, id, id])) as unknown[]).length > 0;
  }

  async lastId(): Promise<string | undefined> {
    const entries = (await this.#redis.ask(['XREVRANGE', this.#key, '+', '-', 'COUNT', '1'])) as [string, string[]][];
    return entries[0]?.[0];
  }

  async now(): Promise<number> {
    const [seconds] = (await this.#redis.ask(['TIME'])) as [string, string];
    return Number(seconds) * 1_000;
  }

  async answer(epoch: number, message: object): Promise<void> {
    const fields = ['epoch', String(epoch), 'message', JSON.stringify(message)];
    await this.#redis.ask(['XADD', `${this.#key}:answers`, 'MAXLEN', '~', String(answersKept), '*', ...fields]);
  }

  async position() {
    const { id, epoch = '0', catalogue = '' } = readFields(await this.#redis.ask(['HGETALL', this.#positionKey]));
    return id === undefined ? undefined : { id, epoch: Number(epoch), catalogue };
  }

  async keep(position: object): Promise<void> {
    await this.#redis.ask(['HSET', this.#positionKey, ...Object.entries(position).flat().map(String)]);
  }
}
