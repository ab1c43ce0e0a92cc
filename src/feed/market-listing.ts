import { type CurrencyCode, type MarketSymbol, parseCurrency, symbolOf } from '../market/symbol.ts';
import type { SkippedPair, UpstreamMarket } from '../market/upstream.ts';
import type { PairNames } from './pair-directory.ts';

/** Which pairs become markets. */
export interface ListingChoice {
  readonly quotes: readonly CurrencyCode[];
  readonly symbols: 'all' | readonly MarketSymbol[];
}

/** What a listing says of a market beyond its names. */
export type MarketTerms = Omit<UpstreamMarket, 'symbol' | 'base' | 'quote'>;

/** One pair of an exchange's listing. */
export interface ListedPair {
  /** In REST requests and answers. */
  readonly id: string;
  readonly liveName: string;
  readonly base: CurrencyCode;
  readonly quote: CurrencyCode;
  /** Why it cannot be taken for the market that its names say, one phrase. */
  readonly objection?: string | undefined;
  /** The market, or the reason why it is skipped. Called only for pairs that were chosen. */
  readonly terms: () => MarketTerms | string;
}

interface SelectedMarkets {
  readonly markets: readonly UpstreamMarket[];
  readonly skipped: readonly SkippedPair[];
  /** Of every pair, chosen or not: a rate source may poll a pair that is not one of our markets. */
  readonly names: readonly PairNames[];
}

const ascii = /^[A-Za-z0-9]{1,16}$/;

/** A currency, in capitals where the exchange writes lower-case letters (`AAPLx`); `undefined` when it is no currency code. */
export function readCurrency(text: unknown): CurrencyCode | undefined {
  return typeof text === 'string' && ascii.test(text) ? parseCurrency(text.toUpperCase()) : undefined;
}

/**
 * Takes the chosen pairs of a listing. A pair that should be a market is reported when it lacks a required value, when
 * its names contradict each other, and when another one has its symbol already.
 */
export function selectMarkets(pairs: readonly ListedPair[], choice: ListingChoice): SelectedMarkets {
  const markets: UpstreamMarket[] = [];
  const skipped: SkippedPair[] = [];
  const names = new Map<MarketSymbol, PairNames>();
  for (const { id, liveName, base, quote, objection, terms } of pairs) {
    const symbol = symbolOf(base, quote);
    const skip = (reason: string) => skipped.push({ name: id, symbol, reason });
    const known = names.get(symbol);
    if (objection !== undefined) {
      skip(objection);
    } else if (known !== undefined) {
      skip(`${known.id} has the same symbol`);
    } else {
      names.set(symbol, { id, liveName, symbol });
      if (!isChosen(symbol, quote, choice)) continue;
      const market = terms();
      if (typeof market === 'string') skip(market);
      else markets.push({ symbol, base, quote, ...market });
    }
  }
  return { markets, skipped, names: [...names.values()] };
}

function isChosen(symbol: MarketSymbol, quote: CurrencyCode, { quotes, symbols }: ListingChoice): boolean {
  return quotes.includes(quote) && (symbols === 'all' || symbols.includes(symbol));
}
