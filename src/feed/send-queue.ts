import type { Clock, Timer } from '../clock.ts';

/** How fast frames may be sent on one connection. */
export interface SendPace {
  /** The mean time between two frames. */
  readonly intervalMs: number;
  /** How many may go together after a pause. */
  readonly burst: number;
}

interface Waiting {
  readonly text: string;
  readonly sent: () => void;
}

/** Sends frames in order, no faster than the exchange allows on one connection. */
export class SendQueue {
  readonly #clock: Clock;
  readonly #pace: SendPace;
  readonly #send: (text: string) => void;
  readonly #waiting: Waiting[] = [];
  /** When the frame before the next one would be due, had all been sent at the mean pace. */
  #paidUntilMs = Number.NEGATIVE_INFINITY;
  #timer: Timer | undefined;

  constructor(clock: Clock, pace: SendPace, send: (text: string) => void) {
    this.#clock = clock;
    this.#pace = pace;
    this.#send = send;
  }

  /** `sent` is called when the frame is sent: deadlines for its answer count from then. */
  push(text: string, sent: () => void = () => undefined): void {
    this.#waiting.push({ text, sent });
    if (this.#timer === undefined) this.#pump();
  }

  /** Drops what waits. */
  stop(): void {
    this.#timer?.cancel();
    this.#waiting.length = 0;
  }

  #pump(): void {
    this.#timer = undefined;
    const { intervalMs, burst } = this.#pace;
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const nowMs = this.#clock.monotonicMs();
      this.#paidUntilMs = Math.max(this.#paidUntilMs, nowMs - burst * intervalMs);
      const delayMs = this.#paidUntilMs + intervalMs - nowMs;
      // Less than a hundredth of a millisecond is a rounding error, not a wait.
      if (delayMs > 0.01) {
        this.#timer = this.#clock.after(delayMs, () => this.#pump());
        return;
      }
      this.#waiting.shift();
      this.#paidUntilMs += intervalMs;
      this.#send(next.text);
      next.sent();
    }
  }
}
