import type { Randomness } from './clock.ts';

export interface BackoffRange {
  readonly minMs: number;
  readonly maxMs: number;
}

/** Exponential back-off with full jitter: each delay is uniform between 0 and a bound that doubles up to `maxMs`. */
export class Backoff {
  readonly #randomness: Randomness;
  readonly #range: BackoffRange;
  #failures = 0;

  constructor(randomness: Randomness, range: BackoffRange) {
    this.#randomness = randomness;
    this.#range = range;
  }

  /** The milliseconds to wait after one more failure. */
  nextMs(): number {
    const boundMs = Math.min(this.#range.maxMs, this.#range.minMs * 2 ** Math.min(this.#failures, 30));
    this.#failures += 1;
    return this.#randomness.fraction() * boundMs;
  }

  reset(): void {
    this.#failures = 0;
  }
}
