import { parseDecimal } from '../../market/decimal.ts';
import type { FeedPath, UpstreamTicker } from '../../market/upstream.ts';
import type { PairDirectory } from '../pair-directory.ts';
import { readPolled } from '../polled-tickers.ts';
import type { RestAnswer } from '../rest-client.ts';
import { asEpoch, type WireObject } from '../wire.ts';

/**
 * Reads the data of `tickerAll`, whose numbers must be their source text. `change` and `open` are since today's open and
 * not over 24 hours, so neither is used.
 */
export function readTickers(answer: RestAnswer, path: FeedPath, directory: PairDirectory): UpstreamTicker[] {
  const read = (entry: WireObject) => ({
    bid: parseDecimal(entry.bid),
    ask: parseDecimal(entry.ask),
    last: parseDecimal(entry.last),
    high24h: parseDecimal(entry.high),
    low24h: parseDecimal(entry.low),
    volume24h: parseDecimal(entry.amount),
    vwap24h: undefined,
    priceChangePercent24h: undefined,
    // Documented as milliseconds, and sent as seconds: the size decides.
    upstreamTime: asEpoch(entry.timestamp),
  });
  return readPolled(answer, directory, read).map((ticker) => ({ ...ticker, path }));
}
