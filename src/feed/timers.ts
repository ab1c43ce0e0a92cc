import type { Clock, Timer } from '../ground/clock.ts';
import { asUpstreamError, type UpstreamError } from './wire.ts';

const afterFailureMs = 5_000;

/** Repeats its run, never two at a time. It starts once; stopping aborts the current run and ends the loop for good. */
export abstract class Loop {
  protected readonly clock: Clock;
  readonly #controller = new AbortController();
  #timer: Timer | undefined;
  #dueMs = Number.POSITIVE_INFINITY;
  #isStarted = false;
  #isRunning = false;
  #wakeMs = Number.POSITIVE_INFINITY;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Does its work, and resolves with the milliseconds until the next run. `Infinity`: only when woken. */
  protected abstract run(signal: AbortSignal): Promise<number>;

  /** Returns the milliseconds until the next run after one that threw. Not called once the loop was stopped. */
  protected failed(_error: UpstreamError): number {
    return afterFailureMs;
  }

  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#schedule(0);
  }

  stop(): void {
    this.#timer?.cancel();
    this.#controller.abort();
  }

  /** Brings the next run forward to at most `delayMs` from now, or from the end of the current run. */
  wakeWithin(delayMs: number): void {
    if (!this.#isStarted) return;
    if (this.#isRunning) this.#wakeMs = Math.min(this.#wakeMs, delayMs);
    else if (this.#dueMs - this.clock.monotonicMs() > delayMs) this.#schedule(delayMs);
  }

  #schedule(delayMs: number): void {
    this.#timer?.cancel();
    if (this.#controller.signal.aborted) return;
    this.#dueMs = this.clock.monotonicMs() + delayMs;
    if (Number.isFinite(delayMs)) this.#timer = this.clock.after(delayMs, () => void this.#runOnce());
  }

  async #runOnce(): Promise<void> {
    this.#isRunning = true;
    const { signal } = this.#controller;
    const delayMs = await this.run(signal).catch((error: unknown) =>
      signal.aborted ? Number.POSITIVE_INFINITY : this.failed(asUpstreamError(error)),
    );
    this.#isRunning = false;
    const wakeMs = this.#wakeMs;
    this.#wakeMs = Number.POSITIVE_INFINITY;
    this.#schedule(Math.min(delayMs, wakeMs));
  }
}

/**
 * Calls `onTimeout` once `timeoutMs` passed since the last touch, to the millisecond. A touch reads the clock: the
 * timer is moved when it is due.
 */
export class Watchdog {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #onTimeout: () => void;
  #touchedAtMs = Number.NEGATIVE_INFINITY;
  #timer: Timer | undefined;

  constructor(clock: Clock, timeoutMs: number, onTimeout: () => void) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#onTimeout = onTimeout;
  }

  get isRunning(): boolean {
    return this.#timer !== undefined;
  }

  /** When it was last touched, by the monotonic clock; `-Infinity` before the first time. */
  get touchedAtMs(): number {
    return this.#touchedAtMs;
  }

  /** Time since the last touch. */
  get idleMs(): number {
    return this.#clock.monotonicMs() - this.#touchedAtMs;
  }

  /** Starts over with the full timeout. */
  start(): void {
    this.stop();
    this.touch();
    this.#waitFor(this.#timeoutMs);
  }

  touch(): void {
    this.#touchedAtMs = this.#clock.monotonicMs();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #waitFor(delayMs: number): void {
    this.#timer = this.#clock.after(delayMs, () => {
      const leftMs = this.#touchedAtMs + this.#timeoutMs - this.#clock.monotonicMs();
      if (leftMs > 0) {
        this.#waitFor(leftMs);
      } else {
        this.#timer = undefined;
        this.#onTimeout();
      }
    });
  }
}
