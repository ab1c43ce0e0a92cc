import { type Clock, type EpochMs, systemClock, type Timer } from '../../src/ground/clock.ts';

/**
 * The system's clock, whose wall clock a test can move so that minutes and days need not pass. Timers
 * and the monotonic clock go on as they are, as they do when an operator or a time service sets the clock.
 */
export class ShiftedClock implements Clock {
  #offsetMs = 0;

  now(): EpochMs {
    return (systemClock.now() + this.#offsetMs) as EpochMs;
  }

  monotonicMs(): number {
    return systemClock.monotonicMs();
  }

  after(delayMs: number, run: () => void): Timer {
    return systemClock.after(delayMs, run);
  }

  every(periodMs: number, run: () => void): Timer {
    return systemClock.every(periodMs, run);
  }

  /** Moves the wall clock; back when negative. */
  shift(byMs: number): void {
    this.#offsetMs += byMs;
  }
}
