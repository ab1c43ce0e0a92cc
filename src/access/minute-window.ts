import type { EpochMs } from '../clock.ts';
import { limitWindowMs } from '../contract/limits.ts';
import { sharedWords } from './thread-lock.ts';

/** A clock that goes back no further than this before the newest window does not open one again. */
const heldBackMs = 5 * 60 * 1_000;

/**
 * Which minute of the wall clock a request counts in. A wall clock that steps back, by a correction or an
 * operator's hand, must not give anybody a spent minute again: the newest window seen stays the current one until the
 * clock has caught up. Only a step to more than five minutes before it is believed, so that a clock that once ran far
 * ahead does not stop the counting for good. The three limiters share one of these, and so do threads: all that is
 * known is one word, the newest window's number.
 */
export class MinuteWindow {
  readonly #newest: Int32Array<SharedArrayBuffer>;

  /** @param memory of another thread's `MinuteWindow`, to go by the same windows as that one */
  constructor(memory: Int32Array<SharedArrayBuffer> = sharedWords(1)) {
    this.#newest = memory;
  }

  get memory(): Int32Array<SharedArrayBuffer> {
    return this.#newest;
  }

  /** The newest window that any request counted in. */
  get newest(): number {
    return Atomics.load(this.#newest, 0);
  }

  /** The number of the current window: minutes since the Unix epoch. */
  at(now: EpochMs): number {
    const own = Math.floor(now / limitWindowMs);
    for (;;) {
      const newest = Atomics.load(this.#newest, 0);
      if (own === newest) return own;
      if (own < newest && newest * limitWindowMs - now <= heldBackMs) return newest;
      if (Atomics.compareExchange(this.#newest, 0, newest, own) === newest) return own;
    }
  }
}
