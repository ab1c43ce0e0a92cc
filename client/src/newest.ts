import type { Ticker } from './contract.ts';
import type { ServerClock } from './server-clock.ts';

/** How far the clocks of two servers of one service can be apart. */
const clocksApartMs = 5_000;

/**
 * The newest ticker that this client has given of each market. Behind a balancer the next answer can come from a server
 * that is behind the last one, and answers of calls that run at the same time can overtake each other: what is older
 * than what was given is not given, and the ticker given before is given again.
 *
 * A ticker from the future of the server that answers is of a server whose clock was set back: it gives way, or nothing
 * new would be given for as long.
 */
export class GivenTickers {
  readonly #serverClock: Pick<ServerClock, 'latestMs'>;
  readonly #newest = new Map<string, Ticker>();
  #list: readonly Ticker[] = [];

  constructor(serverClock: Pick<ServerClock, 'latestMs'>) {
    this.#serverClock = serverClock;
  }

  /** What to give for the answer: that, or the newer one that was given. */
  ticker(answered: Ticker): Ticker {
    const given = this.#newest.get(answered.symbol);
    if (given !== undefined && answered.timestampMs < given.timestampMs && !this.#isOfFuture(given)) return given;
    this.#newest.set(answered.symbol, answered);
    return answered;
  }

  /** The same for each market of a list, which has the markets of the answer. The same list while nothing is new. */
  tickers(answered: readonly Ticker[]): readonly Ticker[] {
    const newest = answered.map((ticker) => this.ticker(ticker));
    const isEach = (list: readonly Ticker[]) =>
      list.length === newest.length && newest.every((ticker, index) => ticker === list[index]);
    if (!isEach(this.#list)) this.#list = isEach(answered) ? answered : Object.freeze(newest);
    return this.#list;
  }

  #isOfFuture({ timestampMs }: Ticker): boolean {
    return timestampMs > this.#serverClock.latestMs + clocksApartMs;
  }
}
