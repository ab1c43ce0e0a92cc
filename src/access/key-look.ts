import type { Clock } from '../clock.ts';

const looksPerSecond = 50;
const timeoutMs = 250;

/** The store, as far as it can be asked for what changed. */
export interface LookSource {
  /** Applies to the directory whatever was written before the call. Never rejects. */
  look(): Promise<void>;
  reachable(): boolean;
}

/**
 * Looks for what changed in the store before a key that nobody here knows is refused, so that a key that another process made
 * works from the moment it is shown. Guessing costs the store nothing to speak of: everybody who waits shares the next look,
 * there are at most 50 a second, and none while the store cannot be reached. It says nothing about a key either: whatever is wrong
 * with one, the same look is made or none.
 */
export class KeyLook {
  readonly #source: LookSource;
  readonly #clock: Pick<Clock, 'after' | 'monotonicMs'>;
  #running: Promise<void> | undefined;
  /** Begins when the running one ends. */
  #next: Promise<void> | undefined;
  #left = looksPerSecond;
  #countedMs = 0;

  constructor(source: LookSource, clock: Pick<Clock, 'after' | 'monotonicMs'>) {
    this.#source = source;
    this.#clock = clock;
  }

  /** Resolves once the directory has what was written before the call, or after 250 ms; `undefined`: no look now. */
  look(): Promise<void> | undefined {
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
    const regained = ((nowMs - this.#countedMs) * looksPerSecond) / 1_000;
    this.#left = Math.min(looksPerSecond, this.#left + regained);
    this.#countedMs = nowMs;
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }
}
