/** A running timer. Cancelling one that has fired does nothing. */
export interface Timer {
  cancel(): void;
}

/** The only source of time. Pass your own to test what you build on the client. */
export interface Clock {
  /** Wall clock, milliseconds since the Unix epoch. */
  now(): number;
  /** Milliseconds since an arbitrary origin; never goes back. */
  monotonicMs(): number;
  /** Calls `run` once, about `delayMs` from now. */
  after(delayMs: number, run: () => void): Timer;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, run) {
    const handle = setTimeout(run, delayMs);
    return { cancel: () => clearTimeout(handle) };
  },
};

/** Uniform in [0, 1): for jitter only. */
export const systemRandom = (): number => Math.random();

/** Platforms keep a timer's delay in 31 bits: a longer one would fire at once. */
const longestTimerMs = 2 ** 30;

/**
 * Calls `run` once the monotonic clock has reached `dueMs`, and never before: platform timers can
 * fire a millisecond early, and a request in the old window would be refused.
 */
export function at(clock: Clock, dueMs: number, run: () => void): Timer {
  let timer: Timer;
  const arm = () => {
    const leftMs = dueMs - clock.monotonicMs();
    timer = clock.after(Math.min(longestTimerMs, Math.max(0, Math.ceil(leftMs))), fire);
  };
  const fire = () => (clock.monotonicMs() < dueMs ? arm() : run());
  arm();
  return { cancel: () => timer.cancel() };
}

/** Resolves once `dueMs` of the monotonic clock is reached; rejects with the signal's reason when that aborts. */
export function sleepUntil(clock: Clock, dueMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = at(clock, dueMs, () => {
      signal?.removeEventListener('abort', stop);
      resolve();
    });
    const stop = () => {
      timer.cancel();
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', stop, { once: true });
  });
}
