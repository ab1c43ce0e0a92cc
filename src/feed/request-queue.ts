import type { Clock, Timer } from '../clock.ts';
import { UpstreamError } from './wire.ts';

/** `urgent` always goes before `background`. */
export type RequestPriority = 'urgent' | 'background';

export interface RequestPace {
  /** The mean time between two requests of weight 1. */
  readonly intervalMs: number;
  /**
   * How many urgent requests of weight 1 may be sent together after a pause, at least 2, and as much as the heaviest
   * weighs. A background request waits until that many could be, so it never delays an urgent one.
   */
  readonly burst: number;
}

const inFlightMax = 4;
/** One more is refused. */
const waitingMax = 64;

interface Waiting {
  readonly priority: RequestPriority;
  readonly weight: number;
  readonly begin: () => void;
}

/** One queue for all requests to one upstream, so that its rate limit holds across all callers. */
export class RequestQueue {
  readonly #clock: Clock;
  readonly #pace: RequestPace;
  readonly #waiting: Waiting[] = [];
  #inFlight = 0;
  #backgroundInFlight = 0;
  /** Accumulated time: each request costs one interval for each unit of its weight. */
  #creditMs: number;
  #countedAtMs: number;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  #timer: Timer | undefined;

  constructor(clock: Clock, pace: RequestPace) {
    this.#clock = clock;
    this.#pace = pace;
    this.#creditMs = pace.burst * pace.intervalMs;
    this.#countedAtMs = clock.monotonicMs();
  }

  /** Runs `job` when its turn comes. Throws `UpstreamError` (`aborted`) when `signal` aborts the wait or the queue is full. */
  run<T>(priority: RequestPriority, job: () => Promise<T>, signal: AbortSignal, weight = 1): Promise<T> {
    if (signal.aborted) return Promise.reject(new UpstreamError('aborted', 'cancelled before it was queued'));
    if (this.#waiting.length >= waitingMax) {
      return Promise.reject(new UpstreamError('aborted', 'too many requests are waiting'));
    }
    return new Promise<T>((resolve, reject) => {
      const withdraw = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(new UpstreamError('aborted', 'cancelled while it waited'));
        // A timer for nobody would hold the process open.
        this.#pump();
      };
      const begin = () => {
        signal.removeEventListener('abort', withdraw);
        this.#track(priority, job).then(resolve, reject);
      };
      const waiting: Waiting = { priority, weight, begin };
      signal.addEventListener('abort', withdraw, { once: true });
      this.#waiting.push(waiting);
      this.#pump();
    });
  }

  /** Nothing is sent for `delayMs` from now: the upstream asked for it. Never shortens an earlier pause. */
  pause(delayMs: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, this.#clock.monotonicMs() + delayMs);
  }

  async #track<T>(priority: RequestPriority, job: () => Promise<T>): Promise<T> {
    const isBackground = priority === 'background';
    this.#inFlight++;
    if (isBackground) this.#backgroundInFlight++;
    try {
      return await job();
    } finally {
      this.#inFlight--;
      if (isBackground) this.#backgroundInFlight--;
      this.#pump();
    }
  }

  #pump(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const delayMs = this.#delayMs(next);
      if (delayMs > 0) {
        this.#timer = this.#clock.after(delayMs, () => this.#pump());
        return;
      }
      this.#waiting.splice(this.#waiting.indexOf(next), 1);
      this.#creditMs -= next.weight * this.#pace.intervalMs;
      next.begin();
    }
  }

  #next(): Waiting | undefined {
    if (this.#inFlight >= inFlightMax) return undefined;
    const urgent = this.#waiting.find((waiting) => waiting.priority === 'urgent');
    if (urgent !== undefined) return urgent;
    return this.#backgroundInFlight === 0 ? this.#waiting[0] : undefined;
  }

  #delayMs({ priority, weight }: Waiting): number {
    const nowMs = this.#clock.monotonicMs();
    const { intervalMs, burst } = this.#pace;
    this.#creditMs = Math.min(burst * intervalMs, this.#creditMs + nowMs - this.#countedAtMs);
    this.#countedAtMs = nowMs;
    const neededMs = intervalMs * (priority === 'background' ? burst : Math.min(weight, burst));
    const delayMs = Math.max(neededMs - this.#creditMs, this.#pausedUntilMs - nowMs);
    // Less than a hundredth of a millisecond is a rounding error of the sums above, not a wait.
    return delayMs < 0.01 ? 0 : delayMs;
  }
}
