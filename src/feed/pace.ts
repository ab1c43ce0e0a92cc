import type { Clock, Timer } from '../ground/clock.ts';

/** How fast something may be sent. */
export interface Pace {
  /** The mean time between two sends of weight 1. */
  readonly intervalMs: number;
  /** How many of weight 1 may go together after a pause. */
  readonly burst: number;
}

export interface Paced {
  /** 1 by default. */
  readonly weight?: number;
  readonly begin: () => void;
}

/** Begins what waits in it, in order and no faster than its pace. */
export class PacedQueue<Item extends Paced = Paced> {
  protected readonly pace: Pace;
  protected readonly waiting: Item[] = [];
  readonly #clock: Clock;
  readonly #waitMs: () => number;
  /** Accumulated time: each item costs one interval for each unit of its weight. */
  #creditMs: number;
  #countedAtMs: number;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  #timer: Timer | undefined;

  /** @param waitMs for how long nothing may begin now, whatever the pace: asked each time */
  constructor(clock: Clock, pace: Pace, waitMs = () => 0) {
    this.#clock = clock;
    this.#waitMs = waitMs;
    this.pace = pace;
    this.#creditMs = pace.burst * pace.intervalMs;
    this.#countedAtMs = clock.monotonicMs();
  }

  push(item: Item): void {
    this.waiting.push(item);
    this.pump();
  }

  /** Nothing begins for `delayMs` from now: the upstream asked for it. Never shortens an earlier pause. */
  pause(delayMs: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, this.#clock.monotonicMs() + delayMs);
  }

  /** Drops what waits. */
  stop(): void {
    this.#timer?.cancel();
    this.waiting.length = 0;
  }

  /** The item whose turn it is. */
  protected next(): Item | undefined {
    return this.waiting[0];
  }

  /** The units that have to be there before an item begins. */
  protected unitsFor({ weight = 1 }: Item): number {
    return Math.min(weight, this.pace.burst);
  }

  protected pump(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    for (let next = this.next(); next !== undefined; next = this.next()) {
      const delayMs = this.#delayMs(this.unitsFor(next));
      if (delayMs > 0) {
        this.#timer = this.#clock.after(delayMs, () => this.pump());
        return;
      }
      this.waiting.splice(this.waiting.indexOf(next), 1);
      this.#creditMs -= (next.weight ?? 1) * this.pace.intervalMs;
      next.begin();
    }
  }

  #delayMs(units: number): number {
    const nowMs = this.#clock.monotonicMs();
    const { intervalMs, burst } = this.pace;
    this.#creditMs = Math.min(burst * intervalMs, this.#creditMs + nowMs - this.#countedAtMs);
    this.#countedAtMs = nowMs;
    const delayMs = Math.max(units * intervalMs - this.#creditMs, this.#pausedUntilMs - nowMs, this.#waitMs());
    // Less than a hundredth of a millisecond is a rounding error of the sums above, not a wait.
    return delayMs < 0.01 ? 0 : delayMs;
  }
}
