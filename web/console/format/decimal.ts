/** Decimal strings as they are: shown and compared digit by digit, never as floating point numbers. */

const groupGap = '\u202f';

/** `-1234567.891` as `−1 234 567.891`, with narrow no-break spaces and a true minus. Other text comes back as it is. */
export function grouped(decimal: string): string {
  const match = /^([+-]?)(\d+)(\.\d+)?$/.exec(decimal);
  if (match === null) return decimal;
  const [, sign = '', whole = '', fraction = ''] = match;
  return `${sign === '-' ? '−' : sign}${whole.replace(/\B(?=(\d{3})+$)/g, groupGap)}${fraction}`;
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

/** `1 key`, `3 keys`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`;
}

/** `12.4 MB`: sizes for people, in units of a thousand. */
export function bytesText(bytes: number): string {
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(0)} kB`;
  return bytes < 1_000_000_000 ? `${(bytes / 1_000_000).toFixed(0)} MB` : `${(bytes / 1_000_000_000).toFixed(1)} GB`;
}
