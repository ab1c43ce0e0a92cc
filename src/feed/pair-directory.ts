import type { MarketSymbol } from '../market/symbol.ts';

export interface PairNames {
  readonly symbol: MarketSymbol;
  /** In REST requests and answers, for example `XXBTZEUR`. */
  readonly id: string;
  /** On the live connection, for example `BTC/EUR`. */
  readonly liveName: string;
}

/**
 * The names of every pair listed since the process started. A pair missing from a catalogue keeps its names: when
 * its market is gone is decided by the market's lifecycle.
 */
export class PairDirectory {
  readonly bySymbol = new Map<MarketSymbol, PairNames>();
  readonly byId = new Map<string, PairNames>();
  readonly byLiveName = new Map<string, PairNames>();

  add(pairs: readonly PairNames[]): void {
    for (const pair of pairs) {
      this.bySymbol.set(pair.symbol, pair);
      this.byId.set(pair.id, pair);
      this.byLiveName.set(pair.liveName, pair);
    }
  }
}
