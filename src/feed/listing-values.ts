import type { DecimalString } from '../market/decimal.ts';
import { shortest } from '../market/decimal.ts';
import { asCount, asPositive, UpstreamError, type WireObject } from './wire.ts';

/** The smallest step of a price or an amount. */
export interface Step {
  /** In its shortest plain form. */
  readonly size: DecimalString;
  /** Its decimal places, 0 to 18. */
  readonly places: number;
}

const placesMax = 18;

/** Reads a step such as `0.01000000`; `undefined` unless it is a decimal above zero with at most 18 places. */
export function asStep(value: unknown): Step | undefined {
  const positive = asPositive(value);
  if (positive === undefined) return undefined;
  const size = shortest(positive);
  const point = size.indexOf('.');
  const places = point === -1 ? 0 : size.length - point - 1;
  return places > placesMax ? undefined : { size, places };
}

/** A count of decimal places, 0 to 18, that a market needs. Throws `UpstreamError` with the reason for skipping the pair. */
export function requirePlaces(entry: WireObject, member: string): number {
  return required(asCount(entry[member], placesMax), `${member} is missing or out of range`);
}

/** A decimal above zero that a market needs. Throws `UpstreamError` with the reason for skipping the pair. */
export function requirePositive(entry: WireObject, member: string): DecimalString {
  return required(asPositive(entry[member]), `${member} is missing or not a positive decimal`);
}

/** A step or a smallest size that a market needs. Throws `UpstreamError` with the reason for skipping the pair. */
export function requireStep(entry: WireObject, member: string): Step {
  return required(asStep(entry[member]), `${member} is missing or not a positive decimal`);
}

/** Throws `UpstreamError` with the reason for skipping the pair where the value is `undefined`. */
export function required<Value>(value: Value | undefined, reason: string): Value {
  if (value === undefined) throw new UpstreamError('malformed', reason);
  return value;
}
