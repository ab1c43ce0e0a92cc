import { shortest } from '../market/decimal.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import type { ListedMarket, MarketTerms } from '../market/upstream.ts';

/** Keeps the terms of each market as the list or a later announcement on the live connection has them. */
export class AnnouncedTerms {
  readonly #known = new Map<MarketSymbol, MarketTerms>();
  /** Announcements since the latest load was asked for, and when. Monotonic. */
  readonly #announced = new Map<MarketSymbol, { readonly terms: Partial<MarketTerms>; readonly atMs: number }>();

  /** Gives what an announcement changes; `undefined` where it changes nothing. */
  seen(symbol: MarketSymbol, announced: Partial<MarketTerms>, atMs: number): Partial<MarketTerms> | undefined {
    const known = this.#known.get(symbol);
    if (known === undefined) return undefined;
    const entries = Object.entries(announced) as [keyof MarketTerms, MarketTerms[keyof MarketTerms]][];
    const changed = entries.filter(([name, value]) => !isSame(known[name], value));
    if (changed.length === 0) return undefined;
    const terms: Partial<MarketTerms> = Object.fromEntries(changed);
    this.#known.set(symbol, { ...known, ...terms });
    this.#announced.set(symbol, { terms: { ...this.#announced.get(symbol)?.terms, ...terms }, atMs });
    return terms;
  }

  /** Gives a market of a load with what was announced after that was asked for. */
  loaded(market: ListedMarket, askedAtMs: number): ListedMarket {
    const { symbol } = market;
    const announced = this.#announced.get(symbol);
    const isNewer = announced !== undefined && announced.atMs >= askedAtMs;
    if (!isNewer) this.#announced.delete(symbol);
    const newest = isNewer ? { ...market, ...announced.terms } : market;
    const { pricePrecision, amountPrecision, tickSize, minOrderSize, minOrderValue } = newest;
    this.#known.set(symbol, { pricePrecision, amountPrecision, tickSize, minOrderSize, minOrderValue });
    return newest;
  }
}

/** `0.10` and `0.1` are one step. */
function isSame(one: MarketTerms[keyof MarketTerms], other: MarketTerms[keyof MarketTerms]): boolean {
  return typeof one === 'string' && typeof other === 'string' ? shortest(one) === shortest(other) : one === other;
}
