import type Big from 'big.js';
import { type DecimalString, isAbove, toBig } from './decimal.ts';

/** The best prices. */
export interface Quote {
  readonly bid: DecimalString;
  readonly ask: DecimalString;
}

/** Bid plus ask. */
export function levelOf({ bid, ask }: Quote): Big {
  return toBig(bid).plus(ask);
}

/** Prices so close that nothing between them is doubted: most ticks. By the texts of the prices that is seen without arithmetic. */
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
