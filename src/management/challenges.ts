import { randomBase62 } from '../ground/base62.ts';
import type { Clock, Randomness } from '../ground/clock.ts';

/** 190 random bits. */
const length = 32;
const validForMs = 30_000;
/** Whoever asks for more at a time makes the oldest ones void. */
const keptMax = 100;

/** The texts that this process gave to commands that want something of it, each good for one use. */
export class Challenges {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #randomness: Randomness;
  /** When each was made, in that order. */
  readonly #made = new Map<string, number>();

  constructor(clock: Pick<Clock, 'monotonicMs'>, randomness: Randomness) {
    this.#clock = clock;
    this.#randomness = randomness;
  }

  make(): string {
    const [oldest] = this.#made.keys();
    if (oldest !== undefined && this.#made.size === keptMax) this.#made.delete(oldest);
    const challenge = randomBase62(length, this.#randomness);
    this.#made.set(challenge, this.#clock.monotonicMs());
    return challenge;
  }

  /** Uses one up. Says whether this process made it within the last half minute. */
  use(challenge: string): boolean {
    const madeMs = this.#made.get(challenge);
    this.#made.delete(challenge);
    return madeMs !== undefined && this.#clock.monotonicMs() - madeMs <= validForMs;
  }
}
