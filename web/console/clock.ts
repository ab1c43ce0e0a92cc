/**
 * The one file of the console that touches the browser's clock, timers and calendar. All instants are epoch
 * milliseconds.
 */

/** What stops a timer or a subscription. Calling it again does nothing. */
export type Stop = () => void;

/** The wall clock of this computer: for what people type and read, never for ages. */
export function nowMs(): number {
  return Date.now();
}

/** Runs on evenly whatever happens to the wall clock: for ages and waiting times. */
export function monotonicMs(): number {
  return performance.now();
}

export function after(delayMs: number, run: () => void): Stop {
  const timer = setTimeout(run, delayMs);
  return () => clearTimeout(timer);
}

export function every(periodMs: number, run: () => void): Stop {
  const timer = setInterval(run, periodMs);
  return () => clearInterval(timer);
}

/** Reads `2026-12-01T22:00`, local time, as a `datetime-local` field gives it; `undefined` when it is no instant. */
export function parseLocal(text: string): number | undefined {
  const ms = new Date(text).getTime();
  return text === '' || Number.isNaN(ms) ? undefined : ms;
}

/** The local calendar's `2026-12-01T22:00`, as a `datetime-local` field takes it. */
export function localFieldText(atMs: number): string {
  const at = new Date(atMs);
  const pad = (part: number, width = 2) => String(part).padStart(width, '0');
  const day = `${pad(at.getFullYear(), 4)}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`;
  return `${day}T${pad(at.getHours())}:${pad(at.getMinutes())}`;
}

/** `2026-11-21T10:00:00.123Z` */
export function isoText(atMs: number): string {
  return new Date(atMs).toISOString();
}

/** Milliseconds of an instant in ISO 8601 with its zone. */
export function instantMs(iso: string): number {
  return Date.parse(iso);
}

/** Seconds that local time is ahead of UTC at an instant. */
export function localOffsetSeconds(atMs: number): number {
  return -new Date(atMs).getTimezoneOffset() * 60;
}
