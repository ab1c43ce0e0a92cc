import type { EpochMs } from '../clock.ts';
import { limitWindowMs } from '../contract/limits.ts';

/** A clock that goes back by no more than this does not open a window again. */
const heldBackMs = 5 * 60 * 1_000;

/**
 * Which minute of the wall clock a request counts in. A wall clock that steps back, by a correction or an
 * operator's hand, must not give anybody a spent minute again: the newest minute seen stays the current one until the
 * clock has caught up. Only a step of more than five minutes is believed, so that a clock that once ran far
 * ahead does not stop the counting for good. The three limiters share one of these.
 */
export class MinuteWindow {
  #newestMs = Number.NEGATIVE_INFINITY;
  #number = -1;

  /** The number of the current window: minutes since the Unix epoch. */
  at(now: EpochMs): number {
    if (now > this.#newestMs || this.#newestMs - now > heldBackMs) {
      this.#newestMs = now;
      this.#number = Math.floor(now / limitWindowMs);
    }
    return this.#number;
  }
}
