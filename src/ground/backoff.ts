import type { Randomness } from './clock.ts';

export interface BackoffRange {
  readonly minMs: number;
  readonly maxMs: number;
  /**
   * How much of a delay is left to chance: `full` spreads many clients best, `equal` waits at least half of the bound.
   * `full` when left out.
   */
  readonly jitter?: 'full' | 'equal' | undefined;
}

/**
 * The delay after a number of failures in a row, 1 or more: the bound doubles with each failure, from `minMs` up to
 * `maxMs`.
 */
export function backoffMs(randomness: Randomness, { minMs, maxMs, jitter }: BackoffRange, failures: number): number {
  const boundMs = Math.min(maxMs, minMs * 2 ** Math.min(failures - 1, 30));
  const fraction = randomness.fraction();
  return boundMs * (jitter === 'equal' ? (1 + fraction) / 2 : fraction);
}

/** Exponential back-off that counts the failures itself. */
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
    this.#failures++;
    return backoffMs(this.#randomness, this.#range, this.#failures);
  }

  reset(): void {
    this.#failures = 0;
  }
}
