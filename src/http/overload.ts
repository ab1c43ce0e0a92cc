import type { Clock, Timer } from '../clock.ts';

const checkEveryMs = 250;
/** It ends well below where it begins, so that shedding does not flicker at the bound. */
const endsAtPartOfBound = 0.5;

/** How the service defends itself when it cannot keep up. */
export interface OverloadOptions {
  /** How late the event loop runs now (`EventLoopDelay`). */
  readonly eventLoopDelayMs: () => number;
  /** Above this delay requests are shed, from half of it on they are taken again. */
  readonly boundMs: number;
  /** Told of every change, with the delay that led to it. */
  readonly changed: (isShedding: boolean, delayMs: number) => void;
}

/**
 * Whether the service is overloaded: its event loop runs so late that everybody waits. Looked at a
 * few times a second, so that a request only reads a flag; it ends by itself.
 */
export class Overload {
  readonly #options: OverloadOptions;
  readonly #check: Timer;
  #isShedding = false;

  constructor(clock: Pick<Clock, 'every'>, options: OverloadOptions) {
    this.#options = options;
    this.#check = clock.every(checkEveryMs, () => this.#look());
  }

  /** While true, requests of clients that were not served before are to be refused. */
  get isShedding(): boolean {
    return this.#isShedding;
  }

  stop(): void {
    this.#check.cancel();
  }

  #look(): void {
    const { eventLoopDelayMs, boundMs, changed } = this.#options;
    const delayMs = eventLoopDelayMs();
    const isShedding = delayMs > (this.#isShedding ? boundMs * endsAtPartOfBound : boundMs);
    if (isShedding === this.#isShedding) return;
    this.#isShedding = isShedding;
    changed(isShedding, delayMs);
  }
}
