/** The only place of the portal's scripts that touches the clocks and timers of the browser. */

/** Epoch milliseconds of the reader's clock, which may be wrong and may jump. */
export function wallClockMs(): number {
  return Date.now();
}

/** Milliseconds that never go back, and that may stand still while the machine sleeps. */
export function steadyMs(): number {
  return performance.now();
}

/** Calls `run` once after `delayMs`. Returns what calls it off. */
export function after(delayMs: number, run: () => void): () => void {
  const handle = setTimeout(run, delayMs);
  return () => clearTimeout(handle);
}

/** Calls `run` about every `periodMs`; hidden pages are called less often. */
export function every(periodMs: number, run: () => void): void {
  setInterval(run, periodMs);
}
