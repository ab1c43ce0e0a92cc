import { maintenanceRetryAfterSeconds } from '../contract/limits.ts';
import type { EpochMs } from '../ground/clock.ts';

/** An announced maintenance window (contract, MaintenanceWindow). It runs while `from ≤ now < to`. */
export interface MaintenanceWindow {
  readonly from: EpochMs;
  readonly to: EpochMs;
  /** Its subject, in English. */
  readonly description: string;
}

/** The running window; of several the one that ends last, because nothing is served before that. */
export function runningWindow(windows: readonly MaintenanceWindow[], now: EpochMs): MaintenanceWindow | undefined {
  return windows.filter(({ from, to }) => from <= now && now < to).sort((one, other) => other.to - one.to)[0];
}

/** The window that the status shows: the running one, else the nearest announced one. */
export function shownWindow(windows: readonly MaintenanceWindow[], now: EpochMs): MaintenanceWindow | undefined {
  const toCome = windows.filter(({ from }) => from > now).sort((one, other) => one.from - other.from);
  return runningWindow(windows, now) ?? toCome[0];
}

/**
 * The first instant at which no window runs any more: windows that touch or overlap follow each other. `undefined`
 * while none runs.
 */
export function maintenanceUntil(windows: readonly MaintenanceWindow[], now: EpochMs): EpochMs | undefined {
  let until = runningWindow(windows, now)?.to;
  while (until !== undefined) {
    const following = runningWindow(windows, until);
    if (following === undefined) break;
    until = following.to;
  }
  return until;
}

/** Whole seconds to the end of maintenance, 1 to 3600 (the `Retry-After` of SERVICE_MAINTENANCE). */
export function retryAfterSeconds(until: EpochMs, now: EpochMs): number {
  const { min, max } = maintenanceRetryAfterSeconds;
  return Math.min(max, Math.max(min, Math.ceil((until - now) / 1000)));
}
