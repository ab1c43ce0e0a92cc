import type { Lifecycle } from './lifecycle.ts';
import type { MarketSymbol } from './symbol.ts';
import type { ListedMarket } from './upstream.ts';

/** A market as it survives a restart. */
interface FormerMarket extends Lifecycle {
  readonly symbol: MarketSymbol;
  readonly via: MarketSymbol | undefined;
}

/**
 * Finds the markets of former records that never were any: paused ever since they were first seen, without a price, and
 * listed as ended by the exchange. One with a decision of an operator, and one whose end is being waited for, stays.
 */
export class NeverTraded {
  /** Restored as paused; nothing else is known of them yet. */
  readonly #paused = new Set<MarketSymbol>();
  readonly #forgotten = new Set<MarketSymbol>();

  get forgotten(): ReadonlySet<MarketSymbol> {
    return this.#forgotten;
  }

  restored(records: readonly FormerMarket[]): void {
    for (const { symbol, via, upstreamStatus, absence, operatorPaused, delistedAt } of records) {
      const isUndecided = !operatorPaused && delistedAt === undefined;
      if (via === undefined && upstreamStatus === 'paused' && absence === undefined && isUndecided)
        this.#paused.add(symbol);
      else this.#paused.delete(symbol);
    }
  }

  /** A load of a source. Gives those that it shows to be none; any other that it lists is a market. */
  loaded(markets: readonly ListedMarket[], hadPrice: (symbol: MarketSymbol) => boolean): MarketSymbol[] {
    const none: MarketSymbol[] = [];
    for (const { symbol, status } of markets) {
      if (status !== 'ended') this.#forgotten.delete(symbol);
      if (status === 'ended' && this.#paused.has(symbol) && !hadPrice(symbol)) none.push(symbol);
      else this.#paused.delete(symbol);
    }
    return none;
  }

  forget(symbol: MarketSymbol): void {
    this.#paused.delete(symbol);
    this.#forgotten.add(symbol);
  }
}
