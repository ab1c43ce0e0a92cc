import Big from 'big.js';
import { type DecimalString, isPositive } from '../market/decimal.ts';

/** Far more places than any price is rounded to later. */
const Exact = Big();
Exact.DP = 20;
Exact.RM = Big.roundHalfEven;

/**
 * The volume weighted average price: what was paid over what was bought, which is its definition when both volumes are
 * of one window. `undefined` without a trade.
 */
export function vwapOf(
  quoteVolume: DecimalString | undefined,
  baseVolume: DecimalString | undefined,
): DecimalString | undefined {
  if (quoteVolume === undefined || baseVolume === undefined || !isPositive(baseVolume)) return undefined;
  return new Exact(quoteVolume).div(baseVolume).toFixed() as DecimalString;
}

/** The change from `before` to `last` in percent. `before` has to be the price of exactly 24 hours ago. */
export function changePercentOf(
  last: DecimalString | undefined,
  before: DecimalString | undefined,
): DecimalString | undefined {
  if (last === undefined || before === undefined || !isPositive(before)) return undefined;
  return new Exact(last).minus(before).times(100).div(before).toFixed() as DecimalString;
}
