import Big from 'big.js';

declare const decimalString: unique symbol;

/** An exact decimal in plain notation: optional `-`, digits, optionally `.` and digits. Never an exponent, never `-0`. */
export type DecimalString = string & { readonly [decimalString]: true };

/** `half-even` is for statistics, `up` and `down` for prices a client trades at. */
type Rounding = 'up' | 'down' | 'half-even';

const plain = /^-?\d+(\.\d+)?$/;
const scientific = /^-?\d+(\.\d+)?[eE][+-]?\d{1,3}$/;
const negativeZero = /^-0*(\.0*)?$/;
const digitsMax = 64;
/** Decimal places of a quotient, far more than any price is rounded to later. */
const quotientPlaces = 20;
const scale = 10n ** BigInt(quotientPlaces);

/** `Big.roundUp` rounds away from zero; every amount rounded up or down here is positive. */
const bigRounding = { up: Big.roundUp, down: Big.roundDown, 'half-even': Big.roundHalfEven } as const;

/**
 * Reads a number from its source text without losing a digit: plain notation is kept as it is (trailing zeros too), an exponent is expanded.
 * `undefined` for anything that is not a finite decimal of at most 64 characters, expanded or not (`NaN`, `1,5`, an empty string, `0x10`, `1e99`).
 */
export function parseDecimal(text: unknown): DecimalString | undefined {
  if (typeof text !== 'string' || text.length > digitsMax) return undefined;
  if (plain.test(text)) return (negativeZero.test(text) ? text.slice(1) : text) as DecimalString;
  if (!scientific.test(text)) return undefined;
  const expanded = new Big(text).toFixed();
  return expanded.length > digitsMax ? undefined : (expanded as DecimalString);
}

export function toBig(decimal: DecimalString): Big {
  return new Big(decimal);
}

/** Above zero. */
export function isPositive(decimal: DecimalString): boolean {
  // The first digit of nearly all says it.
  if (decimal >= '1' && decimal < ':') return true;
  return !decimal.startsWith('-') && /[1-9]/.test(decimal);
}

/** Below zero where `one` is less than `other`, of two that are not negative; zero where they are equal. */
export function compare(one: DecimalString, other: DecimalString): number {
  if (one === other) return 0;
  // Digits in the same places compare as texts, in a tenth of the time, but for zeros at the end of one of them.
  const areAligned = wholeDigits(one) === wholeDigits(other);
  const isPrefix =
    one.length < other.length ? other.startsWith(one) : one.length > other.length && one.startsWith(other);
  if (areAligned && !isPrefix) return one < other ? -1 : 1;
  const [left, right] = inOneUnit(one, other);
  return Number(left - right);
}

function wholeDigits(decimal: DecimalString): number {
  const point = decimal.indexOf('.');
  return point < 0 ? decimal.length : point;
}

/** Whether one is greater than the other, of two that are not negative. */
export function isAbove(one: DecimalString, other: DecimalString): boolean {
  return compare(one, other) > 0;
}

/** Exactly `places` decimals, plain notation, no sign on zero (`toFixed` writes none). `up` and `down` take values that are not negative. */
export function roundTo(value: Big, places: number, rounding: Rounding): DecimalString {
  return value.round(places, bigRounding[rounding]).toFixed(places) as DecimalString;
}

/** The shortest plain form of the same value: `0.10` becomes `0.1`, `5.000` becomes `5`. */
export function shortest(decimal: DecimalString): DecimalString {
  return new Big(decimal).toFixed() as DecimalString;
}

/** 10 to the power of −`places`, for example `0.001` for 3 and `1` for 0. */
export function unitAt(places: number): DecimalString {
  return (places === 0 ? '1' : `0.${'0'.repeat(places - 1)}1`) as DecimalString;
}

/** How many times `divisor`, which is above zero, is in `dividend`: in its shortest form, with up to 20 decimals. */
export function ratioOf(dividend: DecimalString, divisor: DecimalString): DecimalString {
  return quotient(...inOneUnit(dividend, divisor));
}

/** The change from `before`, which is above zero, to `last` in percent, in the same form. */
export function changeInPercent(last: DecimalString, before: DecimalString): DecimalString {
  const [now, then] = inOneUnit(last, before);
  return quotient((now - then) * 100n, then);
}

/** Two decimals as whole numbers of the same decimal unit. */
export function inOneUnit(one: DecimalString, other: DecimalString): [bigint, bigint] {
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
  const digits = String(roundedQuotient(scaled, divisor)).padStart(quotientPlaces + 1, '0');
  const part = digits.slice(-quotientPlaces).replace(/0+$/, '');
  const text = part === '' ? digits.slice(0, -quotientPlaces) : `${digits.slice(0, -quotientPlaces)}.${part}`;
  return (isNegative && /[1-9]/.test(text) ? `-${text}` : text) as DecimalString;
}

/** Half to even, of two that are not negative. @param divisor above zero */
export function roundedQuotient(dividend: bigint, divisor: bigint): bigint {
  const cut = dividend / divisor;
  const rest = 2n * (dividend % divisor);
  return rest > divisor || (rest === divisor && cut % 2n === 1n) ? cut + 1n : cut;
}
