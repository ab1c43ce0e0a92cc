import type { Clock, Timer } from '../clock.ts';

/** Does its work, and resolves with the milliseconds until it wants to do it again. `Infinity`: only when woken. */
export type LoopTask = (signal: AbortSignal) => Promise<number>;

const afterFailureMs = 5_000;

/** Repeats a task, never two at a time. It starts once; stopping aborts the run under way and ends it for good. */
export class Loop {
  readonly #clock: Clock;
  readonly #task: LoopTask;
  readonly #controller = new AbortController();
  #timer: Timer | undefined;
  #dueMs = Number.POSITIVE_INFINITY;
  #started = false;
  #running = false;
  #wakeMs = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, task: LoopTask) {
    this.#clock = clock;
    this.#task = task;
  }

  start(): void {
    if (this.#started) return;
    this.#started = true;
    this.#schedule(0);
  }

  stop(): void {
    this.#timer?.cancel();
    this.#controller.abort();
  }

  /** Brings the next run forward to at most `delayMs` from now (or from the end of the run under way). */
  wakeWithin(delayMs: number): void {
    if (!this.#started) return;
    if (this.#running) this.#wakeMs = Math.min(this.#wakeMs, delayMs);
    else if (this.#dueMs - this.#clock.monotonicMs() > delayMs) this.#schedule(delayMs);
  }

  #schedule(delayMs: number): void {
    this.#timer?.cancel();
    if (this.#controller.signal.aborted) return;
    this.#dueMs = this.#clock.monotonicMs() + delayMs;
    if (Number.isFinite(delayMs)) this.#timer = this.#clock.after(delayMs, () => void this.#run());
  }

  async #run(): Promise<void> {
    this.#running = true;
    const delayMs = await this.#task(this.#controller.signal).catch(() => afterFailureMs);
    this.#running = false;
    const wakeMs = this.#wakeMs;
    this.#wakeMs = Number.POSITIVE_INFINITY;
    this.#schedule(Math.min(delayMs, wakeMs));
  }
}
