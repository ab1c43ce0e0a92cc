import { asStep, type Step } from '../listing-values.ts';
import type { ListedPair, MarketTerms } from '../market-listing.ts';
import { asList, asObject, asText, requireList, UpstreamError, type WireObject } from '../wire.ts';

/**
 * Reads the answer of `exchangeInfo`. Only `TRADING` is trading; every other state, known (`HALT`, `BREAK`, `END_OF_DAY`,
 * `CANCEL_ONLY`) or new, takes fewer kinds of order or none. Binance also lists assets whose names are not in ASCII.
 */
export function readExchangeInfo(result: unknown): ListedPair[] {
  return requireList(asObject(result)?.symbols, 'symbols').map((entry) => ({
    id: asText(entry.symbol),
    // The names of streams are in lower case.
    liveName: asText(entry.symbol)?.toLowerCase(),
    base: entry.baseAsset,
    quote: entry.quoteAsset,
    terms: () => readTerms(entry),
  }));
}

function readTerms(entry: WireObject): MarketTerms {
  const tick = requireFilter(entry, 'PRICE_FILTER', 'tickSize');
  const isTrading = entry.status === 'TRADING' && entry.isSpotTradingAllowed !== false;
  const value = filterOf(entry, 'NOTIONAL') ?? filterOf(entry, 'MIN_NOTIONAL');
  return {
    status: isTrading ? 'trading' : 'paused',
    pricePrecision: tick.places,
    amountPrecision: requireFilter(entry, 'LOT_SIZE', 'stepSize').places,
    tickSize: tick.size,
    minOrderSize: requireFilter(entry, 'LOT_SIZE', 'minQty').size,
    minOrderValue: asStep(value?.minNotional)?.size,
  };
}

/** In a filter 0 means that the rule is off: the value itself is then unknown. */
function requireFilter(entry: WireObject, type: string, member: string): Step {
  const step = asStep(filterOf(entry, type)?.[member]);
  if (step === undefined) throw new UpstreamError('malformed', `${type} has no ${member} above 0`);
  return step;
}

function filterOf(entry: WireObject, type: string): WireObject | undefined {
  const filters = asList(entry.filters) ?? [];
  return filters.map(asObject).find((filter) => filter?.filterType === type);
}
