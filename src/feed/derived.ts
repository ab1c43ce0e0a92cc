import { changeInPercent, type DecimalString, isPositive, ratioOf } from '../market/decimal.ts';

/**
 * The volume weighted average price: what was paid over what was bought, which is its definition when both volumes are
 * of one window. `undefined` without a trade.
 */
export function vwapOf(
  quoteVolume: DecimalString | undefined,
  baseVolume: DecimalString | undefined,
): DecimalString | undefined {
  if (quoteVolume === undefined || baseVolume === undefined || !isPositive(baseVolume)) return undefined;
  return ratioOf(quoteVolume, baseVolume);
}

/** The change from `before` to `last` in percent. `before` has to be the price of exactly 24 hours ago. */
export function changePercentOf(
  last: DecimalString | undefined,
  before: DecimalString | undefined,
): DecimalString | undefined {
  if (last === undefined || before === undefined || !isPositive(before)) return undefined;
  return changeInPercent(last, before);
}
