import { parseDecimal } from '../../market/decimal.ts';
import { changePercentOf, vwapOf } from '../derived.ts';
import type { TickerValues } from '../polled-tickers.ts';
import { asEpoch, type WireObject } from '../wire.ts';

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
