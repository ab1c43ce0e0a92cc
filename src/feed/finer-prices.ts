import type { DecimalString } from '../market/decimal.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import type { UpstreamMarket, UpstreamTicker } from '../market/upstream.ts';

const firstWaitMs = 10_000;
const waitMsMax = 600_000;

/**
 * Notices prices that are finer than the list says: its tick has changed, and not every exchange announces that. What
 * a load does not explain is asked for again ever more rarely, so that an exchange whose prices are always finer than
 * its list costs a load every ten minutes. All instants are monotonic.
 */
export class FinerPrices {
  /** Decimal places of a price, by the list. */
  readonly #places = new Map<MarketSymbol, number>();
  readonly #unexplained = new Map<MarketSymbol, { readonly waitMs: number; readonly againAtMs: number }>();

  /** Returns whether the list is to be loaded for this ticker. */
  seen({ symbol, bid, ask }: Pick<UpstreamTicker, 'symbol' | 'bid' | 'ask'>, nowMs: number): boolean {
    const places = this.#places.get(symbol);
    if (places === undefined || !(isFiner(bid, places) || isFiner(ask, places))) return false;
    const before = this.#unexplained.get(symbol);
    if (before !== undefined && nowMs < before.againAtMs) return false;
    const waitMs = before === undefined ? firstWaitMs : Math.min(2 * before.waitMs, waitMsMax);
    this.#unexplained.set(symbol, { waitMs, againAtMs: nowMs + waitMs });
    return true;
  }

  /** The list, or an announcement, has these decimal places. */
  known({ symbol, pricePrecision }: Pick<UpstreamMarket, 'symbol' | 'pricePrecision'>): void {
    if (this.#places.get(symbol) === pricePrecision) return;
    this.#places.set(symbol, pricePrecision);
    this.#unexplained.delete(symbol);
  }

  /** The list was loaded, for whichever market: it answered for all that are unexplained. */
  loaded(nowMs: number): void {
    for (const [symbol, { waitMs }] of this.#unexplained)
      this.#unexplained.set(symbol, { waitMs, againAtMs: nowMs + waitMs });
  }
}

/** Whether a price has a digit other than zero beyond these places. */
function isFiner(price: DecimalString | undefined, places: number): boolean {
  const point = price?.indexOf('.') ?? -1;
  if (price === undefined || point === -1) return false;
  for (let index = point + 1 + places; index < price.length; index++) if (price[index] !== '0') return true;
  return false;
}
