import { parseDecimal } from '../../market/decimal.ts';
import type { UpstreamTicker } from '../../market/upstream.ts';
import type { PairDirectory } from '../pair-directory.ts';
import { readPolled } from '../polled-tickers.ts';
import type { RestAnswer } from '../rest-client.ts';
import type { Statistics } from '../ticker-assembler.ts';
import type { BestPrices } from '../top-of-book.ts';
import type { WireObject } from '../wire.ts';

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
 * Reads the answer of `ticker/24hr`. Its `closeTime` ends the window of the statistics; nothing says that the best
 * prices are of that instant, so these tickers carry no time.
 */
export function readPolledTickers(answer: RestAnswer, directory: PairDirectory): UpstreamTicker[] {
  const read = (entry: WireObject) => ({
    bid: parseDecimal(entry.bidPrice),
    ask: parseDecimal(entry.askPrice),
    last: parseDecimal(entry.lastPrice),
    high24h: parseDecimal(entry.highPrice),
    low24h: parseDecimal(entry.lowPrice),
    volume24h: parseDecimal(entry.volume),
    vwap24h: parseDecimal(entry.weightedAvgPrice),
    priceChangePercent24h: parseDecimal(entry.priceChangePercent),
    upstreamTime: undefined,
  });
  return readPolled(answer, directory, read, ({ symbol }) => symbol);
}
