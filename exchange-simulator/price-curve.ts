import { mix32 } from './randomness.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** Swings that add up: the period of each, and its amplitude as a share of the price. */
const swings: readonly (readonly [periodMs: number, share: number])[] = [
  [90 * dayMs, 0.3],
  [14 * dayMs, 0.1],
  [2 * dayMs, 0.03],
  [dayMs / 4, 0.01],
  [45 * minuteMs, 0.004],
  [5 * minuteMs, 0.0012],
  [minuteMs / 2, 0.0003],
];

/**
 * A price at every instant, past and future, from a seed alone: smooth noise on several time
 * scales. History needs no memory, candles of every interval agree with each other, and the live
 * walk stays near the curve, so a market can run for months.
 */
export class PriceCurve {
  readonly #seed: number;
  readonly #originMs: number;
  readonly #startPrice: number;
  readonly #volatility: number;
  readonly #atOrigin: number;

  /** The curve passes through `startPrice` at `originMs`. `volatility` scales every swing; 1 suits a common coin. */
  constructor(seed: number, originMs: number, startPrice: number, volatility: number) {
    this.#seed = seed;
    this.#originMs = originMs;
    this.#startPrice = startPrice;
    this.#volatility = volatility;
    this.#atOrigin = this.#swing(0);
  }

  /** The price at an instant of the wall clock, always positive. */
  at(epochMs: number): number {
    return this.#startPrice * Math.exp(this.#volatility * (this.#swing(epochMs - this.#originMs) - this.#atOrigin));
  }

  #swing(elapsedMs: number): number {
    let sum = 0;
    for (let index = 0; index < swings.length; index++) {
      const [periodMs, share] = swings[index]!;
      const position = elapsedMs / periodMs;
      const step = Math.floor(position);
      const part = position - step;
      const from = this.#lattice(index, step);
      sum += share * (from + (this.#lattice(index, step + 1) - from) * part * part * (3 - 2 * part));
    }
    return sum;
  }

  /** A value in [−1, 1) that depends on the seed, the swing and the step only. */
  #lattice(swing: number, step: number): number {
    return mix32(this.#seed ^ Math.imul(step, 0x9e3779b1) ^ Math.imul(swing + 1, 0x7feb352d)) / 2 ** 31 - 1;
  }
}
