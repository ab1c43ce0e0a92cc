import { span } from '../report/format.ts';
import { median } from '../report/statistics.ts';

/** One line of the section. */
export interface Finding {
  readonly measured: string;
  readonly with: string;
  readonly median: string;
  /** The tail or the spread, with its name. */
  readonly tail: string;
  /** The number of measurements; absent for what was not measured. */
  readonly samples?: number;
  /** Unrounded, for programs. */
  readonly figures?: unknown;
}

/** A line that says why there is no figure. */
export function notMeasured(measured: string, why: string): Finding {
  return { measured, with: why, median: '-', tail: '-' };
}

/** A line of how long something took. @param times in milliseconds, at least one */
export function durations(measured: string, name: string, times: readonly number[]): Finding {
  const tail = `longest ${span(Math.max(...times))}`;
  return { measured, with: name, median: span(median(times)), tail, samples: times.length, figures: times };
}
