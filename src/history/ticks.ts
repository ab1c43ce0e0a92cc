import type { DecimalString } from '../market/decimal.ts';

/** A decimal as a whole number of its last place: `0.10` is 10 ticks of 2 places. */
export interface Ticks {
  readonly ticks: number;
  readonly places: number;
}

/** Digits that a double holds exactly, whatever they are. */
const digitsMax = 15;

/**
 * Splits a decimal so that `decimalOf` gives the same text again. `undefined` for one that it would not: with too many
 * digits, or with zeros in front.
 */
export function ticksOf(decimal: string): Ticks | undefined {
  const point = decimal.indexOf('.');
  const places = point === -1 ? 0 : decimal.length - point - 1;
  const digits = point === -1 ? decimal : decimal.slice(0, point) + decimal.slice(point + 1);
  if (digits.length > digitsMax) return undefined;
  const ticks = Number(digits);
  return decimalOf(ticks, places) === decimal ? { ticks, places } : undefined;
}

export function decimalOf(ticks: number, places: number): DecimalString {
  if (places === 0) return String(ticks) as DecimalString;
  const digits = String(Math.abs(ticks)).padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places);
  return `${ticks < 0 ? '-' : ''}${whole}.${digits.slice(digits.length - places)}` as DecimalString;
}
