import { parseDecimal } from '../../market/decimal.ts';
import type { UpstreamMarketStatus } from '../../market/upstream.ts';
import { changePercentOf, vwapOf } from '../derived.ts';
import { requirePositive, requireStep } from '../listing-values.ts';
import type { ListedPair, MarketTerms } from '../market-listing.ts';
import type { TickerValues } from '../polled-tickers.ts';
import { asEpoch, asText, requireList, type WireObject } from '../wire.ts';

/**
 * Reads the data of `public/instruments`, spot only. Only `live` is trading; every other state, known (`suspend`,
 * `preopen`, `test`, `post_only`, `rebase`, `settling`) or new, takes fewer kinds of order or none. There is no minimum
 * value of an order.
 */
export function readInstruments(data: unknown): ListedPair[] {
  const spot = requireList(data, 'instruments').filter(({ instType }) => instType === 'SPOT');
  return spot.map((entry) => ({
    id: asText(entry.instId),
    base: entry.baseCcy,
    quote: entry.quoteCcy,
    terms: () => readTerms(entry),
  }));
}

function readTerms(entry: WireObject): MarketTerms {
  const tick = requireStep(entry, 'tickSz');
  return {
    status: instrumentStatus(entry.state),
    pricePrecision: tick.places,
    amountPrecision: requireStep(entry, 'lotSz').places,
    tickSize: tick.size,
    minOrderSize: requirePositive(entry, 'minSz'),
    minOrderValue: undefined,
  };
}

export function instrumentStatus(state: unknown): UpstreamMarketStatus {
  return state === 'live' ? 'trading' : 'paused';
}

/**
 * Reads a spot ticker, which is the same on both paths. A value that OKX does not have is an empty text, and so
 * `undefined`. For spot `vol24h` is in the base currency and `volCcy24h` in the quote currency.
 */
export function readTicker(entry: WireObject): TickerValues {
  const last = parseDecimal(entry.last);
  const volume24h = parseDecimal(entry.vol24h);
  return {
    bid: parseDecimal(entry.bidPx),
    ask: parseDecimal(entry.askPx),
    last,
    high24h: parseDecimal(entry.high24h),
    low24h: parseDecimal(entry.low24h),
    volume24h,
    vwap24h: vwapOf(parseDecimal(entry.volCcy24h), volume24h),
    priceChangePercent24h: changePercentOf(last, parseDecimal(entry.open24h)),
    upstreamTime: asEpoch(entry.ts),
  };
}
