import { limitWindowMs } from '../contract/limits.ts';
import type { EpochMs } from '../ground/clock.ts';

/** A clock that goes back no further than this before the newest window does not open one again. */
const heldBackMs = 5 * 60 * 1_000;

/**
 * Which minute of the wall clock a request counts in. A wall clock that steps back, by a correction or by hand, must
 * not open a spent minute again: the newest window seen stays the current one until the clock has caught up. A step to
 * more than five minutes before it is accepted, so that a clock that once ran far ahead does not stop the counting for
 * good. The three limiters share one of these.
 */
export class MinuteWindow {
  #newest = 0;

  /** The number of the current window: minutes since the Unix epoch. */
  at(now: EpochMs): number {
    const own = Math.floor(now / limitWindowMs);
    const isHeldBack = own < this.#newest && this.#newest * limitWindowMs - now <= heldBackMs;
    if (!isHeldBack) this.#newest = own;
    return this.#newest;
  }
}
