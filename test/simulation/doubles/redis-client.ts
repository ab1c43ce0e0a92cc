import { EventEmitter } from 'node:events';
import { type RedisReached, theWorld } from '../world.ts';

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

/** A connection of the client library, as far as the service uses it. */
class Client extends EventEmitter {
  isReady = false;
  readonly #waiting: Waiting[] = [];
  #connection: ReturnType<RedisReached['connect']> | undefined;
  #isEnded = false;

  connect(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const world = theWorld();
    const { lane, redis } = world;
    // A frozen server accepts connections and does not answer.
    redis.lane.later(2 * redis.wayMs, () =>
      lane.later(redis.wayMs, () => {
        if (this.#isEnded) return;
        if (!redis.reaches(lane))
          return reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
        this.#connection = redis.connect({
          lane,
          answered: (answer, error) => {
            const waiting = this.#waiting.shift();
            if (error === undefined) waiting?.resolve(answer);
            else waiting?.reject(error);
          },
          lost: () => this.#lost(new Error('Socket closed unexpectedly')),
        });
        lane.own(() => this.#connection?.end());
        this.isReady = true;
        resolve();
      }),
    );
    return promise;
  }

  sendCommand(command: readonly string[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#connection?.send(command);
    });
  }

  destroy(): void {
    this.#isEnded = true;
    this.isReady = false;
    this.#connection?.end();
    for (const { reject } of this.#waiting.splice(0)) reject(new Error('Disconnects client'));
  }

  #lost(error: Error): void {
    if (this.#isEnded) return;
    this.isReady = false;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
    this.emit('error', error);
  }
}

export const createClient = () => new Client();
