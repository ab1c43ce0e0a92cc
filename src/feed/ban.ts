import type { Clock, EpochMs } from '../ground/clock.ts';

/** Is told until when, and what the exchange says. */
type BanListener = (until: EpochMs, words: string) => void;

/**
 * Until when an exchange wants nothing from this address, over REST and the socket alike. It outlives the connector and
 * every connection: one source has one.
 */
export class Ban {
  readonly #clock: Clock;
  readonly #listener: BanListener;
  #until: EpochMs | undefined;
  /** Monotonic: a clock that jumps must not end it early. */
  #endsAtMs = Number.NEGATIVE_INFINITY;

  /** @param until one that is known from before a restart */
  constructor(clock: Clock, until?: EpochMs, listener: BanListener = () => {}) {
    this.#clock = clock;
    this.#listener = listener;
    if (until !== undefined) this.#extend(until - clock.now());
  }

  /** The exchange said so. Never shortens one that lasts. */
  note(waitMs: number, words: string): void {
    if (waitMs <= this.waitMs) return;
    this.#extend(waitMs);
    this.#listener(this.#until!, words);
  }

  /** The milliseconds until it ends; 0 while there is none. */
  get waitMs(): number {
    return Math.max(0, this.#endsAtMs - this.#clock.monotonicMs());
  }

  /** When it ends; `undefined` while there is none. */
  get until(): EpochMs | undefined {
    return this.waitMs > 0 ? this.#until : undefined;
  }

  #extend(waitMs: number): void {
    this.#endsAtMs = this.#clock.monotonicMs() + waitMs;
    this.#until = Math.ceil(this.#clock.now() + waitMs) as EpochMs;
  }
}
