import type { MarketSymbol } from '../../market/symbol.ts';
import type { SkippedPair } from '../../market/upstream.ts';
import {
  type ListedPair,
  type ListingChoice,
  type MarketTerms,
  readCurrency,
  selectMarkets,
} from '../market-listing.ts';
import { asStep } from '../steps.ts';
import { asList, asObject, asText, UpstreamError, type WireObject } from '../wire.ts';

/**
 * Reads the answer of `exchangeInfo`. Only `TRADING` is trading; every other state, known (`HALT`, `BREAK`, `END_OF_DAY`,
 * `CANCEL_ONLY`) or new, takes fewer kinds of order or none. Throws only when the answer as a whole is unreadable.
 */
export function readExchangeInfo(result: unknown, choice: ListingChoice) {
  const entries = asList(asObject(result)?.symbols);
  if (entries === undefined) throw new UpstreamError('malformed', 'exchangeInfo: no symbols');
  const pairs: ListedPair[] = [];
  const unnamed: SkippedPair[] = [];
  for (const value of entries) {
    const entry = asObject(value) ?? {};
    const [id, base, quote] = [asText(entry.symbol), readCurrency(entry.baseAsset), readCurrency(entry.quoteAsset)];
    if (id === undefined || quote === undefined) continue;
    // The names of streams are in lower case.
    if (base !== undefined) pairs.push({ id, liveName: id.toLowerCase(), base, quote, terms: () => readTerms(entry) });
    else if (choice.quotes.includes(quote)) unnamed.push(unnamedPair(id));
  }
  const { markets, skipped, names } = selectMarkets(pairs, choice);
  return { markets, skipped: [...skipped, ...unnamed], names };
}

/** Binance also lists assets whose names are not in ASCII; a symbol of ours is letters and digits. */
function unnamedPair(id: string): SkippedPair {
  return { name: id, symbol: id as MarketSymbol, reason: 'its base currency is not written in letters and digits' };
}

/** In a filter 0 means that the rule is off: the value itself is then unknown. */
function readTerms(entry: WireObject): MarketTerms | string {
  const tick = asStep(filterOf(entry, 'PRICE_FILTER')?.tickSize);
  if (tick === undefined) return 'PRICE_FILTER has no tickSize above 0';
  const lot = filterOf(entry, 'LOT_SIZE') ?? {};
  const step = asStep(lot.stepSize);
  if (step === undefined) return 'LOT_SIZE has no stepSize above 0';
  const smallest = asStep(lot.minQty);
  if (smallest === undefined) return 'LOT_SIZE has no minQty above 0';
  const value = filterOf(entry, 'NOTIONAL') ?? filterOf(entry, 'MIN_NOTIONAL') ?? {};
  const isTrading = entry.status === 'TRADING' && entry.isSpotTradingAllowed !== false;
  return {
    status: isTrading ? 'trading' : 'paused',
    pricePrecision: tick.places,
    amountPrecision: step.places,
    tickSize: tick.size,
    minOrderSize: smallest.size,
    minOrderValue: asStep(value.minNotional)?.size,
  };
}

function filterOf(entry: WireObject, type: string): WireObject | undefined {
  const filters = asList(entry.filters) ?? [];
  return filters.map(asObject).find((filter) => filter?.filterType === type);
}
