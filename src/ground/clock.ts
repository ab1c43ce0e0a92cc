import { randomBytes } from 'node:crypto';

declare const epochMs: unique symbol;

/** A point in time: whole milliseconds since the Unix epoch, UTC. */
export type EpochMs = number & { readonly [epochMs]: true };

/** A running timer. Cancelling one that has fired or was cancelled does nothing. */
export interface Timer {
  cancel(): void;
}

/**
 * The only source of time. The wall clock can jump either way; the monotonic clock never goes back
 * but has no relation to the calendar. An age needs both (see `market/service-status.ts`). A due timer runs
 * once what has arrived by then is handled: after a pause of the whole process a deadline is missed only by what is not
 * there.
 */
export interface Clock {
  /** The wall clock. */
  now(): EpochMs;
  /** Milliseconds (with a fraction) since an arbitrary origin; never decreases within a process. */
  monotonicMs(): number;
  /** Calls `run` once, no sooner than `delayMs` from now. */
  after(delayMs: number, run: () => void): Timer;
  /** Calls `run` about every `periodMs`, first after one period. Never holds the process open. */
  every(periodMs: number, run: () => void): Timer;
}

/** The only source of randomness. */
export interface Randomness {
  /** Uniform in [0, 1). For jitter and sampling, never for secrets. */
  fraction(): number;
  /** Cryptographically strong bytes. */
  bytes(count: number): Uint8Array;
}

export const systemClock: Clock = {
  now: () => Date.now() as EpochMs,
  monotonicMs: () => performance.now(),
  // The event loop runs timers before it reads sockets, and immediates after.
  after(delayMs, run) {
    let reading: NodeJS.Immediate | undefined;
    const handle = setTimeout(() => {
      reading = setImmediate(run);
    }, delayMs);
    return {
      cancel() {
        clearTimeout(handle);
        clearImmediate(reading);
      },
    };
  },
  every(periodMs, run) {
    let reading: NodeJS.Immediate | undefined;
    const handle = setInterval(() => {
      reading = setImmediate(run).unref();
    }, periodMs);
    handle.unref();
    return {
      cancel() {
        clearInterval(handle);
        clearImmediate(reading);
      },
    };
  },
};

export const systemRandomness: Randomness = {
  fraction: () => Math.random(),
  bytes: (count) => randomBytes(count),
};

/** Marks a whole number of epoch milliseconds as an instant. Throws `RangeError` on anything else. */
export function asEpochMs(milliseconds: number): EpochMs {
  if (!Number.isSafeInteger(milliseconds)) throw new RangeError(`not a whole number of milliseconds: ${milliseconds}`);
  return milliseconds as EpochMs;
}

/**
 * Resolves after `delayMs`, or at once when `signal` aborts: the caller looks at the signal, so that a stopped loop
 * ends without an exception.
 */
export function sleep(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const finish = () => {
      timer.cancel();
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const timer = clock.after(delayMs, finish);
    signal.addEventListener('abort', finish);
  });
}

/** Runs `work` with a signal that aborts after `timeoutMs`, with an error that says so. */
export async function withTimeout<T>(
  clock: Clock,
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const timeout = clock.after(timeoutMs, () => late.abort(new Error(`no answer in ${timeoutMs} ms`)));
  try {
    return await work(late.signal);
  } finally {
    timeout.cancel();
  }
}
