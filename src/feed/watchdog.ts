import type { Clock, Timer } from '../clock.ts';

/**
 * Calls `bark` once nothing has touched it for `patienceMs`, to the millisecond. A touch costs one
 * reading of the clock: the timer is only moved when it comes due.
 */
export class Watchdog {
  readonly #clock: Clock;
  readonly #patienceMs: number;
  readonly #bark: () => void;
  #touchedAtMs = 0;
  #timer: Timer | undefined;

  constructor(clock: Clock, patienceMs: number, bark: () => void) {
    this.#clock = clock;
    this.#patienceMs = patienceMs;
    this.#bark = bark;
  }

  get watching(): boolean {
    return this.#timer !== undefined;
  }

  /** Begins to watch, with full patience. */
  start(): void {
    this.stop();
    this.touch();
    this.#watchFor(this.#patienceMs);
  }

  touch(): void {
    this.#touchedAtMs = this.#clock.monotonicMs();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #watchFor(delayMs: number): void {
    this.#timer = this.#clock.after(delayMs, () => {
      const leftMs = this.#touchedAtMs + this.#patienceMs - this.#clock.monotonicMs();
      if (leftMs > 0) {
        this.#watchFor(leftMs);
      } else {
        this.#timer = undefined;
        this.#bark();
      }
    });
  }
}
