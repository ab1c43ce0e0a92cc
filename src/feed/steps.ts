import type { DecimalString } from '../market/decimal.ts';
import { shortest } from '../market/decimal.ts';
import { asPositive } from './wire.ts';

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
