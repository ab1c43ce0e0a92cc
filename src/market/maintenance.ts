import type { EpochMs } from '../clock.ts';
import { maintenanceRetryAfterSeconds } from '../contract/limits.ts';

/** An announced maintenance window (contract, MaintenanceWindow). It runs while `from ≤ now < to`. */
export interface MaintenanceWindow {
  readonly from: EpochMs;
  readonly to: EpochMs;
  /** What it is about, in English. */
  readonly description: string;
}

/** The running window; of several the one that ends last, because nothing is served before that. */
export function runningWindow(windows: readonly MaintenanceWindow[], now: EpochMs): MaintenanceWindow | undefined {
  let running: MaintenanceWindow | undefined;
  for (const window of windows) {
    if (window.from <= now && now < window.to && (running === undefined || window.to > running.to)) running = window;
  }
  return running;
}

/** The window that the status shows: the running one, else the nearest announced one. */
export function shownWindow(windows: readonly MaintenanceWindow[], now: EpochMs): MaintenanceWindow | undefined {
  const running = runningWindow(windows, now);
  if (running !== undefined) return running;
  let nearest: MaintenanceWindow | undefined;
  for (const window of windows) {
    if (window.from > now && (nearest === undefined || window.from < nearest.from)) nearest = window;
  }
  return nearest;
}

/** The first instant at which no window runs any more: windows that touch or overlap follow each other. `undefined` while none runs. */
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
