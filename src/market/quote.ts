import type Big from 'big.js';
import { type DecimalString, isAbove, toBig } from './decimal.ts';
import type { FeedPath } from './upstream.ts';

/** The best prices. */
export interface Quote {
  readonly bid: DecimalString;
  readonly ask: DecimalString;
}

/** Bid plus ask. */
export function levelOf({ bid, ask }: Quote): Big {
  return toBig(bid).plus(ask);
}

/**
 * Prices so close that nothing between them is doubted: most ticks. By the texts of the prices that is seen without
 * arithmetic.
 */
export interface PriceBand {
  readonly low: DecimalString;
  readonly high: DecimalString;
}

/**
 * @param level bid plus ask, amidst the band
 * @param reach how many times the lowest price the highest is
 */
export function bandAround(level: Big, reach: Big): PriceBand {
  const low = level.div(reach.plus(1));
  return { low: low.toFixed() as DecimalString, high: low.times(reach).toFixed() as DecimalString };
}

export function isWithin(band: PriceBand, { bid, ask }: Quote): boolean {
  return !isAbove(band.low, bid) && !isAbove(ask, band.high);
}

/**
 * Gives the most that the higher of two levels is of the lower where they lie within `percent` of each other: 1.02
 * for 2.
 */
export function reachOf(percent: DecimalString): Big {
  return toBig(percent).times('0.01').plus(1);
}

/** Whether the higher of two levels, above zero, is at most `reach` times the lower. */
export function areClose(one: Big, other: Big, reach: Big): boolean {
  return one.lt(other) ? other.lte(one.times(reach)) : one.lte(other.times(reach));
}

/** The best prices of one source as they arrived, accepted or not. */
export class SourceQuote implements Quote {
  readonly bid: DecimalString;
  readonly ask: DecimalString;
  /** `undefined` for one from before a restart, or of another process. */
  readonly path: FeedPath | undefined;
  #level: Big | undefined;

  constructor({ bid, ask }: Quote, path?: FeedPath) {
    this.bid = bid;
    this.ask = ask;
    this.path = path;
  }

  /** Bid plus ask. */
  get level(): Big {
    this.#level ??= levelOf(this);
    return this.#level;
  }

  /** Whether nothing is new in another one. */
  isSameAs({ bid, ask }: Quote, path: FeedPath): boolean {
    return this.bid === bid && this.ask === ask && this.path === path;
  }
}
