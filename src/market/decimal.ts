import Big from 'big.js';

declare const decimalString: unique symbol;

/**
 * An exact decimal in plain notation: optional `-`, digits, optionally `.` and digits. Never an exponent, never `-0`.
 */
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

/**
 * A decimal as a whole number of units of 10 to the power of −`places`: multiplied and rounded in a quarter of the
 * time of `big.js`.
 */
export type FixedPoint = Readonly<{ units: bigint; places: number }>;

const one: FixedPoint = { units: 1n, places: 0 };

/**
 * Reads a number from its source text without losing a digit: plain notation is kept as it is (trailing zeros too), an
 * exponent is expanded. `undefined` for anything that is not a finite decimal of at most 64 characters, expanded or not
 * (`NaN`, `1,5`, an empty string, `0x10`, `1e99`).
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
  // More whole digits are more, but for zeros in front. Digits in the same places compare as texts, in a tenth of the
  // time, but for zeros at the end of one of them.
  const moreDigits = wholeDigits(one) - wholeDigits(other);
  if (moreDigits !== 0 && !(moreDigits > 0 ? one : other).startsWith('0')) return moreDigits;
  const isPrefix =
    one.length < other.length ? other.startsWith(one) : one.length > other.length && one.startsWith(other);
  if (moreDigits === 0 && !isPrefix) return one < other ? -1 : 1;
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

export function toFixedPoint(decimal: DecimalString): FixedPoint {
  const point = decimal.indexOf('.');
  if (point < 0) return { units: BigInt(decimal), places: 0 };
  return { units: BigInt(decimal.slice(0, point) + decimal.slice(point + 1)), places: decimal.length - point - 1 };
}

/**
 * The value times `factor` with exactly `places` decimals, plain notation, no sign on zero. `up` is away from zero,
 * `down` towards it.
 */
export function roundTo(value: DecimalString, places: number, rounding: Rounding, factor = one): DecimalString {
  const { units, places: exactPlaces } = toFixedPoint(value);
  const unit = 10n ** BigInt(exactPlaces + factor.places);
  return plainOf(divide(units * factor.units * 10n ** BigInt(places), unit, rounding), places);
}

/** @param divisor above zero */
function divide(dividend: bigint, divisor: bigint, rounding: Rounding): bigint {
  const cut = dividend / divisor;
  const rest = dividend % divisor;
  if (rest === 0n || rounding === 'down') return cut;
  const doubled = rest < 0n ? -2n * rest : 2n * rest;
  const isAway = rounding === 'up' || doubled > divisor || (doubled === divisor && cut % 2n !== 0n);
  return !isAway ? cut : dividend < 0n ? cut - 1n : cut + 1n;
}

/** In plain notation, with exactly `places` decimals. */
function plainOf(units: bigint, places: number): DecimalString {
  if (units < 0n) return `-${plainOf(-units, places)}` as DecimalString;
  const digits = String(units).padStart(places + 1, '0');
  const whole = digits.length - places;
  return (places === 0 ? digits : `${digits.slice(0, whole)}.${digits.slice(whole)}`) as DecimalString;
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

/** The change from one price to another in percent, two decimals, `-0.12` form. `from` is above zero. */
export function percentChange(from: DecimalString, to: DecimalString): DecimalString {
  const [now, then] = inOneUnit(to, from);
  return plainOf(divide((now - then) * 10_000n, then, 'half-even'), 2);
}

/** Two decimals as whole numbers of the same decimal unit. */
export function inOneUnit(one: DecimalString, other: DecimalString): [bigint, bigint] {
  const [wholeOne, partOne = ''] = one.split('.');
  const [wholeOther, partOther = ''] = other.split('.');
  const digits = Math.max(partOne.length, partOther.length);
  return [BigInt(wholeOne + partOne.padEnd(digits, '0')), BigInt(wholeOther + partOther.padEnd(digits, '0'))];
}

/** Rounded half to even, in its shortest form. @param divisor above zero */
function quotient(dividend: bigint, divisor: bigint): DecimalString {
  const exact = plainOf(divide(dividend * scale, divisor, 'half-even'), quotientPlaces);
  return exact.replace(/\.?0+$/, '') as DecimalString;
}
