/** One line of the section. */
export interface Finding {
  readonly measured: string;
  readonly with: string;
  readonly median: string;
  /** The tail or the spread, with its name. */
  readonly tail: string;
  /** How many measurements stand behind it; absent for what was not measured. */
  readonly samples?: number;
  /** Unrounded, for programs. */
  readonly figures?: unknown;
}

/** A line that says why nothing stands there. */
export function notMeasured(measured: string, why: string): Finding {
  return { measured, with: why, median: '-', tail: '-' };
}
