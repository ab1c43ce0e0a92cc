import { parseDecimal } from '../../market/decimal.ts';
import { asStep, required, type Step } from '../listing-values.ts';
import type { ListedPair, MarketTerms } from '../market-listing.ts';
import type { TickerValues } from '../polled-tickers.ts';
import type { Statistics } from '../ticker-assembler.ts';
import type { BestPrices } from '../top-of-book.ts';
import { asList, asObject, asText, requireList, type WireObject } from '../wire.ts';

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
  return required(asStep(filterOf(entry, type)?.[member]), `${type} has no ${member} above 0`);
}

function filterOf(entry: WireObject, type: string): WireObject | undefined {
  const filters = asList(entry.filters) ?? [];
  return filters.map(asObject).find((filter) => filter?.filterType === type);
}

/** The best prices of a `bookTicker` or `24hrTicker` event, which name them alike. */
export function readBestPrices(event: WireObject): BestPrices {
  return { bid: parseDecimal(event.b), ask: parseDecimal(event.a) };
}

/** The statistics of a `24hrTicker` event, over a rolling 24 hours. */
export function readStatistics(event: WireObject): Statistics {
  return {
    last: parseDecimal(event.c),
    high24h: parseDecimal(event.h),
    low24h: parseDecimal(event.l),
    volume24h: parseDecimal(event.v),
    vwap24h: parseDecimal(event.w),
    priceChangePercent24h: parseDecimal(event.P),
  };
}

/**
 * Reads one entry of `ticker/24hr`. Its `closeTime` ends the window of the statistics; nothing says that the best
 * prices are of that instant, so these tickers carry no time.
 */
export function readPolledTicker(entry: WireObject): TickerValues {
  return {
    bid: parseDecimal(entry.bidPrice),
    ask: parseDecimal(entry.askPrice),
    last: parseDecimal(entry.lastPrice),
    high24h: parseDecimal(entry.highPrice),
    low24h: parseDecimal(entry.lowPrice),
    volume24h: parseDecimal(entry.volume),
    vwap24h: parseDecimal(entry.weightedAvgPrice),
    priceChangePercent24h: parseDecimal(entry.priceChangePercent),
    upstreamTime: undefined,
  };
}
