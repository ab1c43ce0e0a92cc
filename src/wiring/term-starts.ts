import type { Clock, Timer } from '../clock.ts';
import type { Log } from '../log.ts';
import type { MarketBook } from '../market/market-book.ts';
import { termVersion } from '../market/terms.ts';

/** Short, so that a wall clock that was set is noticed. */
const lookEveryMs = 1_000;

/** Lets terms begin on their instant also where nobody reads a price then, and says so. */
export class TermStarts {
  readonly #book: Pick<MarketBook, 'advance' | 'nextTermsAt' | 'terms'>;
  readonly #clock: Clock;
  readonly #log: Log;
  #looking: Timer | undefined;
  #next: Timer | undefined;
  #saidUntilMs = 0;

  constructor(book: Pick<MarketBook, 'advance' | 'nextTermsAt' | 'terms'>, clock: Clock, log: Log) {
    this.#book = book;
    this.#clock = clock;
    this.#log = log;
  }

  start(): void {
    this.#saidUntilMs = this.#clock.now();
    this.#looking = this.#clock.every(lookEveryMs, () => this.#look());
    this.#look();
  }

  stop(): void {
    this.#looking?.cancel();
    this.#next?.cancel();
  }

  #look(): void {
    const now = this.#clock.now();
    this.#book.advance(now);
    this.#say(now);
    this.#next?.cancel();
    const leftMs = this.#book.nextTermsAt() - now;
    if (leftMs <= lookEveryMs) this.#next = this.#clock.after(leftMs, () => this.#look());
  }

  #say(now: number): void {
    const begun = this.#book.terms().filter(({ from = 0 }) => from > this.#saidUntilMs && from <= now);
    this.#saidUntilMs = Math.max(this.#saidUntilMs, now);
    for (const term of begun) this.#log.info({ term: termVersion(term), ...term.values }, 'a term holds from now on');
  }
}
