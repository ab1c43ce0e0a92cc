import type { Clock, EpochMs, Randomness, Timer } from '../../src/ground/clock.ts';

interface Scheduled {
  dueMs: number;
  readonly periodMs: number | undefined;
  readonly run: () => void;
}

/** A clock that stands still until a test moves it. Timers fire in order, at their own instant. */
export class FakeClock implements Clock {
  #wallMs: number;
  #monotonicMs = 0;
  readonly #scheduled = new Set<Scheduled>();

  constructor(start = '2026-11-21T10:00:00.000Z') {
    this.#wallMs = Date.parse(start);
  }

  now(): EpochMs {
    return this.#wallMs as EpochMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  after(delayMs: number, run: () => void): Timer {
    return this.#schedule(delayMs, undefined, run);
  }

  every(periodMs: number, run: () => void): Timer {
    return this.#schedule(periodMs, periodMs, run);
  }

  /** How many timers wait: what a test of leaks looks at. */
  get pendingTimers(): number {
    return this.#scheduled.size;
  }

  /** Moves the wall clock alone, as an operator or a time service does. No timer fires. */
  jump(byMs: number): void {
    this.#wallMs += byMs;
  }

  /** Lets time pass while the process stands still: timers that came due meanwhile wait for the next `advance`. */
  standStill(byMs: number): void {
    this.#moveTo(this.#monotonicMs + byMs);
  }

  /** Lets time pass: both clocks move on, and each timer that comes due fires at its own instant. */
  async advance(byMs: number): Promise<void> {
    const endMs = this.#monotonicMs + byMs;
    for (let next = this.#nextDue(endMs); next !== undefined; next = this.#nextDue(endMs)) {
      // One that came due while the process stood still fires now.
      this.#moveTo(Math.max(next.dueMs, this.#monotonicMs));
      if (next.periodMs === undefined) this.#scheduled.delete(next);
      else next.dueMs += next.periodMs;
      next.run();
      await settle();
    }
    this.#moveTo(endMs);
    await settle();
  }

  #schedule(delayMs: number, periodMs: number | undefined, run: () => void): Timer {
    const scheduled = { dueMs: this.#monotonicMs + Math.max(0, delayMs), periodMs, run };
    this.#scheduled.add(scheduled);
    return { cancel: () => this.#scheduled.delete(scheduled) };
  }

  #nextDue(endMs: number): Scheduled | undefined {
    let next: Scheduled | undefined;
    for (const scheduled of this.#scheduled) {
      if (scheduled.dueMs <= endMs && (next === undefined || scheduled.dueMs < next.dueMs)) next = scheduled;
    }
    return next;
  }

  #moveTo(monotonicMs: number): void {
    this.#wallMs += monotonicMs - this.#monotonicMs;
    this.#monotonicMs = monotonicMs;
  }
}

/** Lets every promise that can go on without a timer go on. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Repeatable randomness from a seed (mulberry32). */
export function seededRandomness(seed: number): Randomness {
  let state = seed >>> 0;
  const fraction = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  return { fraction, bytes: (count) => Uint8Array.from({ length: count }, () => Math.floor(fraction() * 256)) };
}
