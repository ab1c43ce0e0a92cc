import type { Clock, Timer } from '../ground/clock.ts';
import type { Log } from '../ground/log.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import type { SubscriptionRefusal } from './connector.ts';

/** Tells the operator of refused symbols, each once: many that a session is to blame for in one line. */
export class RefusalLog {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #turnedAway: MarketSymbol[] = [];
  readonly #named = new Set<MarketSymbol>();
  #timer: Timer | undefined;

  constructor(log: Log, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  /** A symbol is not streamed, for another reason than before. */
  rejected(symbol: MarketSymbol, reason: SubscriptionRefusal): void {
    if (reason !== 'full' && reason !== 'lost') {
      this.#log.warn({ symbol, reason }, 'the exchange does not stream this symbol');
      return;
    }
    if (this.#turnedAway.push(symbol) > 1) return;
    this.#timer = this.#clock.after(0, () => this.#tellTurnedAway(reason));
  }

  /** Symbols whose names are refused in polls, with the exchange's words. */
  refusedNames(names: ReadonlyMap<MarketSymbol, string>): void {
    for (const [symbol, words] of names) {
      if (this.#named.has(symbol)) continue;
      this.#named.add(symbol);
      this.#log.warn({ symbol, words }, 'the exchange refuses polls that name this symbol: it is left out of them');
    }
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #tellTurnedAway(reason: SubscriptionRefusal): void {
    const symbols = this.#turnedAway.splice(0);
    const said = { reason, count: symbols.length, symbols: symbols.slice(0, 20) };
    if (reason === 'full') this.#log.warn(said, 'no session takes these symbols: they are polled');
    else this.#log.warn(said, 'a session ended: its symbols are polled until another has them');
  }
}
