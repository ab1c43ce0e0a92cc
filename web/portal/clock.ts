/** The only place of the portal's scripts that touches the clocks and timers of the browser. */

/** Epoch milliseconds of the reader's clock, which may be wrong and may jump. */
export function wallClockMs(): number {
  return Date.now();
}

/** Monotonic milliseconds, which may stop while the machine sleeps. */
export function steadyMs(): number {
  return performance.now();
}

/** Calls `run` once after `delayMs`. */
export function after(delayMs: number, run: () => void): void {
  setTimeout(run, delayMs);
}

/** Calls `run` about every `periodMs`; hidden pages are called less often. */
export function every(periodMs: number, run: () => void): void {
  setInterval(run, periodMs);
}

/** Aborts after `timeoutMs`. */
export function timeoutSignal(timeoutMs: number): AbortSignal {
  return AbortSignal.timeout(timeoutMs);
}
