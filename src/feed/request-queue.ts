import { type Paced, PacedQueue } from './pace.ts';
import { UpstreamError } from './wire.ts';

/** `urgent` always goes before `background`. */
export type RequestPriority = 'urgent' | 'background';

const inFlightMax = 4;
/** One more is refused. */
const waitingMax = 64;

interface Waiting extends Paced {
  readonly priority: RequestPriority;
  readonly refuse: (error: UpstreamError) => void;
}

/**
 * One queue for all requests to one upstream, so that its rate limit holds across all callers. A background request
 * waits until a whole burst could be sent, so it never delays an urgent one: the burst is at least 2, and as much as
 * the heaviest weighs.
 */
export class RequestQueue extends PacedQueue<Waiting> {
  #inFlight = 0;
  #backgroundInFlight = 0;

  /**
   * Runs `job` when its turn comes. Throws `UpstreamError` (`aborted`) when `signal` aborts the wait or the queue is
   * full.
   */
  run<T>(priority: RequestPriority, job: () => Promise<T>, signal: AbortSignal, weight = 1): Promise<T> {
    if (signal.aborted) return Promise.reject(new UpstreamError('aborted', 'cancelled before it was queued'));
    if (this.waiting.length >= waitingMax) {
      return Promise.reject(new UpstreamError('aborted', 'too many requests are waiting'));
    }
    return new Promise<T>((resolve, reject) => {
      const refuse = (error: UpstreamError) => {
        signal.removeEventListener('abort', withdraw);
        reject(error);
      };
      const withdraw = () => {
        this.waiting.splice(this.waiting.indexOf(waiting), 1);
        refuse(new UpstreamError('aborted', 'cancelled while it waited'));
        // A timer for nobody would hold the process open.
        this.pump();
      };
      const begin = () => {
        signal.removeEventListener('abort', withdraw);
        this.#track(priority, job).then(resolve, reject);
      };
      const waiting: Waiting = { priority, weight, begin, refuse };
      signal.addEventListener('abort', withdraw, { once: true });
      this.push(waiting);
    });
  }

  /** Fails everything that waits. */
  refuseWaiting(error: UpstreamError): void {
    for (const { refuse } of this.waiting.splice(0)) refuse(error);
    this.pump();
  }

  protected override next(): Waiting | undefined {
    if (this.#inFlight >= inFlightMax) return undefined;
    const urgent = this.waiting.find((waiting) => waiting.priority === 'urgent');
    if (urgent !== undefined) return urgent;
    return this.#backgroundInFlight === 0 ? this.waiting[0] : undefined;
  }

  protected override unitsFor(waiting: Waiting): number {
    return waiting.priority === 'background' ? this.pace.burst : super.unitsFor(waiting);
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
      this.pump();
    }
  }
}
