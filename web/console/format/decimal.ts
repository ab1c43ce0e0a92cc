import { type Language, language, type Noun, nounFor } from '../language.ts';

/** Decimal strings as they are: shown and compared digit by digit, never as floating point numbers. */

/** Between thousands, and before the decimals. */
const marks = { en: ['\u202f', '.'], cs: ['\u00a0', ','] } as const;

/**
 * `-1234567.891` as `−1 234 567.891`, with no-break spaces and a true minus; in Czech with a comma. Other text comes
 * back as it is.
 */
export function grouped(decimal: string, of: Language = language): string {
  const match = /^([+-]?)(\d+)(\.\d+)?$/.exec(decimal);
  if (match === null) return decimal;
  const [, sign = '', whole = '', fraction = ''] = match;
  const [groupGap, point] = marks[of];
  return `${sign === '-' ? '−' : sign}${whole.replace(/\B(?=(\d{3})+$)/g, groupGap)}${fraction.replace('.', point)}`;
}

/** A percentage with its sign: `+0.21 %`. */
export function signedPercent(decimal: string): string {
  const sign = decimal.startsWith('-') || isZero(decimal) ? '' : '+';
  return `${sign}${grouped(decimal)}\u00a0%`;
}

function isZero(decimal: string): boolean {
  return /^-?0*\.?0*$/.test(decimal);
}

/** Whether a change is up, down or none. */
export function directionOf(decimal: string): 'up' | 'down' | 'none' {
  if (isZero(decimal)) return 'none';
  return decimal.startsWith('-') ? 'down' : 'up';
}

/** Orders two decimals: negative when the first is smaller. Exact for any length. */
export function compareDecimals(one: string, other: string): number {
  const isOneNegative = one.startsWith('-');
  if (isOneNegative !== other.startsWith('-')) return isZero(one) && isZero(other) ? 0 : isOneNegative ? -1 : 1;
  return isOneNegative ? compareMagnitudes(other, one) : compareMagnitudes(one, other);
}

function compareMagnitudes(one: string, other: string): number {
  const [oneWhole, oneFraction] = parts(one);
  const [otherWhole, otherFraction] = parts(other);
  if (oneWhole.length !== otherWhole.length) return oneWhole.length - otherWhole.length;
  if (oneWhole !== otherWhole) return oneWhole < otherWhole ? -1 : 1;
  if (oneFraction === otherFraction) return 0;
  return oneFraction < otherFraction ? -1 : 1;
}

/** Whole part without leading zeros, fraction without trailing ones. */
function parts(decimal: string): readonly [string, string] {
  const [whole = '', fraction = ''] = decimal.replace(/^[+-]/, '').split('.', 2);
  return [whole.replace(/^0+/, ''), fraction.replace(/0+$/, '')];
}

/** A count of things, grouped. Not for prices. */
export function countText(count: number): string {
  return grouped(String(count));
}

/** A measured figure: `0.4`, `1 204`. Not for prices. */
export function figureText(value: number): string {
  return value < 10 ? grouped(value.toFixed(1)) : countText(Math.round(value));
}

/** `1 key`, `3 keys`. */
export function counted(count: number, noun: Noun): string {
  return `${countText(count)} ${nounFor(count, noun)}`;
}

/** A decimal as it is sent: typed with a comma or a point. */
export function typedDecimal(text: string): string {
  return text.trim().replace(/^([+-]?\d+),(\d+)$/, '$1.$2');
}

/** `12.4 MB`: sizes for people, in units of a thousand. */
export function bytesText(bytes: number): string {
  if (bytes < 1_000_000) return `${countText(Math.round(bytes / 1_000))} kB`;
  return bytes < 1_000_000_000
    ? `${countText(Math.round(bytes / 1_000_000))} MB`
    : `${grouped((bytes / 1_000_000_000).toFixed(1))} GB`;
}
