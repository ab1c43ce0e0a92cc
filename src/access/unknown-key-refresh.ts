import type { Clock } from '../ground/clock.ts';

const readsPerSecond = 50;
const timeoutMs = 250;

/** Changes in the store. */
export interface StoreChanges {
  /** Applies to the directory whatever was written before the call. Never rejects. */
  look(): Promise<void>;
  reachable(): boolean;
}

/**
 * Reads what changed in the store before an unknown key is refused, so that a key that another process made works from
 * the moment it is shown. Guessing costs the store almost nothing: all requests that wait share the next read, there
 * are at most 50 a second, and none while the store cannot be reached. The time reveals nothing about a key: whatever
 * is wrong with one, the same read is made or none.
 */
export class UnknownKeyRefresh {
  readonly #source: StoreChanges;
  readonly #clock: Pick<Clock, 'after' | 'monotonicMs'>;
  #running: Promise<void> | undefined;
  /** Begins when the running one ends. */
  #next: Promise<void> | undefined;
  #left = readsPerSecond;
  #countedMs = 0;

  constructor(source: StoreChanges, clock: Pick<Clock, 'after' | 'monotonicMs'>) {
    this.#source = source;
    this.#clock = clock;
  }

  /** Resolves once the directory has what was written before the call, or after 250 ms; `undefined`: no read now. */
  refresh(): Promise<void> | undefined {
    if (!this.#source.reachable()) return undefined;
    if (this.#running === undefined) return this.#begin();
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      return this.#begin();
    });
    return this.#next;
  }

  #begin(): Promise<void> | undefined {
    if (!this.#mayBegin()) return undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = this.#clock.after(timeoutMs, resolve);
    void this.#source.look().then(resolve);
    this.#running = promise.then(() => {
      timer.cancel();
      this.#running = undefined;
    });
    return this.#running;
  }

  #mayBegin(): boolean {
    const nowMs = this.#clock.monotonicMs();
    const regained = ((nowMs - this.#countedMs) * readsPerSecond) / 1_000;
    this.#left = Math.min(readsPerSecond, this.#left + regained);
    this.#countedMs = nowMs;
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }
}
