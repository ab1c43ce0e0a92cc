import { changeInPercent, type DecimalString, isPositive, ratioOf } from './decimal.ts';

type Value = DecimalString | undefined;

/**
 * The volume weighted average price: what was paid over what was bought, both volumes of one window. `undefined`
 * without a trade.
 */
export function vwapOf(quoteVolume: Value, baseVolume: Value): Value {
  if (quoteVolume === undefined || baseVolume === undefined || !isPositive(baseVolume)) return undefined;
  return ratioOf(quoteVolume, baseVolume);
}

/** The change from `before` to `last` in percent. `before` has to be the price of exactly 24 hours ago. */
export function changePercentOf(last: Value, before: Value): Value {
  if (last === undefined || before === undefined || !isPositive(before)) return undefined;
  return changeInPercent(last, before);
}
