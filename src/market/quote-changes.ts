import type { EpochMs } from '../ground/clock.ts';

const spanMs = 10_000;
const manyChanges = 10;

/** When the quotes of a source changed. One that repeats itself is still, however often it sends. */
export class QuoteChanges {
  readonly #at: number[] = [];
  #next = 0;

  note(at: EpochMs): void {
    this.#at[this.#next] = at;
    this.#next = (this.#next + 1) % manyChanges;
  }

  /** It has said one thing for ten seconds. Never of a source that said nothing, or whose clock was set back since. */
  isStill(now: EpochMs): boolean {
    const last = this.#at[(this.#next + manyChanges - 1) % manyChanges];
    return last !== undefined && now - last >= spanMs;
  }

  /** It said ten things in the last ten seconds. */
  isBusy(now: EpochMs): boolean {
    const first = this.#at[this.#next];
    return first !== undefined && now - first <= spanMs;
  }
}
