import { type DecimalString, isPositive } from '../market/decimal.ts';

/** Decimal places of a quotient, far more than any price is rounded to later. */
const places = 20;
const scale = 10n ** BigInt(places);

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

/** How many times `divisor`, which is above zero, is in `dividend`: in its shortest form, with up to 20 decimals. */
export function ratioOf(dividend: DecimalString, divisor: DecimalString): DecimalString {
  return quotient(...inOneUnit(dividend, divisor));
}

/** The change from `before` to `last` in percent. `before` has to be the price of exactly 24 hours ago. */
export function changePercentOf(
  last: DecimalString | undefined,
  before: DecimalString | undefined,
): DecimalString | undefined {
  if (last === undefined || before === undefined || !isPositive(before)) return undefined;
  const [now, then] = inOneUnit(last, before);
  return quotient((now - then) * 100n, then);
}

/** Two decimals as whole numbers of the same decimal unit. */
function inOneUnit(one: DecimalString, other: DecimalString): [bigint, bigint] {
  const [wholeOne, partOne = ''] = one.split('.');
  const [wholeOther, partOther = ''] = other.split('.');
  const digits = Math.max(partOne.length, partOther.length);
  return [BigInt(wholeOne + partOne.padEnd(digits, '0')), BigInt(wholeOther + partOther.padEnd(digits, '0'))];
}

/**
 * Rounded half to even, in its shortest form. Some exchanges send all markets in one frame, and all wait for the divisions of
 * all: by integers they take a tenth of what they take by `big.js`.
 *
 * @param divisor above zero
 */
function quotient(dividend: bigint, divisor: bigint): DecimalString {
  const isNegative = dividend < 0n;
  const scaled = (isNegative ? -dividend : dividend) * scale;
  const cut = scaled / divisor;
  const rest = 2n * (scaled % divisor);
  const isUp = rest > divisor || (rest === divisor && cut % 2n === 1n);
  const digits = String(isUp ? cut + 1n : cut).padStart(places + 1, '0');
  const part = digits.slice(-places).replace(/0+$/, '');
  const text = part === '' ? digits.slice(0, -places) : `${digits.slice(0, -places)}.${part}`;
  return (isNegative && /[1-9]/.test(text) ? `-${text}` : text) as DecimalString;
}
