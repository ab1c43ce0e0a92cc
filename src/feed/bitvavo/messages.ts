import { parseDecimal } from '../../market/decimal.ts';
import { changePercentOf, vwapOf } from '../derived.ts';
import { asStep, requirePlaces, requireStep } from '../listing-values.ts';
import type { ListedPair, MarketTerms } from '../market-listing.ts';
import type { TickerValues } from '../polled-tickers.ts';
import { asEpoch, asPositive, asText, requireList, type WireObject } from '../wire.ts';

/** Reads the answer of `GET /markets`. */
export function readMarkets(result: unknown): ListedPair[] {
  return requireList(result, 'markets').map((entry) => ({
    id: asText(entry.market),
    base: entry.base,
    quote: entry.quote,
    terms: () => readTerms(entry),
  }));
}

/** `pricePrecision` is no longer sent: it follows from the tick. */
function readTerms(entry: WireObject): MarketTerms {
  const tick = requireStep(entry, 'tickSize');
  return {
    // `halted`, `auction`, `auctionMatching`, `cancelOnly`, and any new state, take fewer kinds of order or none.
    status: entry.status === 'trading' ? 'trading' : 'paused',
    pricePrecision: tick.places,
    amountPrecision: requirePlaces(entry, 'quantityDecimals'),
    tickSize: tick.size,
    minOrderSize: requireStep(entry, 'minOrderInBaseAsset').size,
    minOrderValue: asStep(entry.minOrderInQuoteAsset)?.size,
  };
}

/**
 * Reads one entry of `ticker24h`, the same live and over REST. An empty side of the book or empty statistics are null:
 * missing. Average and change are derived, from volumes and prices of the same 24 hours.
 */
export function readTicker(entry: WireObject): TickerValues {
  const last = parseDecimal(entry.last);
  const volume24h = parseDecimal(entry.volume);
  return {
    bid: parseDecimal(entry.bid),
    ask: parseDecimal(entry.ask),
    last,
    high24h: parseDecimal(entry.high),
    low24h: parseDecimal(entry.low),
    volume24h,
    vwap24h: vwapOf(parseDecimal(entry.volumeQuote), volume24h),
    priceChangePercent24h: changePercentOf(last, asPositive(entry.open)),
    upstreamTime: asEpoch(entry.timestamp),
  };
}
