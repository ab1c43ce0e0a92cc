import type { EpochMs } from '../../clock.ts';
import { parseDecimal } from '../../market/decimal.ts';
import type { UpstreamTicker } from '../../market/upstream.ts';
import type { PairDirectory } from '../pair-directory.ts';
import { readPolled } from '../polled-tickers.ts';
import type { RestAnswer } from '../rest-client.ts';
import type { BestPrices } from '../top-of-book.ts';
import { asEpoch, asList, asText, type WireObject } from '../wire.ts';

/** The first level of an `order_book` frame's data: both sides are sent whole, best price first. */
export function readTopOfBook(data: WireObject): BestPrices & { readonly upstreamTime: EpochMs | undefined } {
  const best = (side: unknown) => parseDecimal(asList(asList(side)?.[0])?.[0]);
  // Microseconds have more digits than a count may; the last three are below our resolution.
  const upstreamTime = asEpoch(asText(data.microtimestamp)?.slice(0, -3));
  return { bid: best(data.bids), ask: best(data.asks), upstreamTime };
}

/**
 * Reads the answer of `ticker`, all markets. `open` is today's and `open_24` that of 24 hours ago; the change is given.
 * `timestamp` has whole seconds and would order these tickers before live ones of the same second, so it is not used.
 */
export function readPolledTickers(answer: RestAnswer, directory: PairDirectory): UpstreamTicker[] {
  const read = (entry: WireObject) => ({
    bid: parseDecimal(entry.bid),
    ask: parseDecimal(entry.ask),
    last: parseDecimal(entry.last),
    high24h: parseDecimal(entry.high),
    low24h: parseDecimal(entry.low),
    volume24h: parseDecimal(entry.volume),
    vwap24h: parseDecimal(entry.vwap),
    priceChangePercent24h: parseDecimal(entry.percent_change_24),
    upstreamTime: undefined,
  });
  return readPolled(answer, directory, read, ({ pair }) => asText(pair)?.replace('/', '').toLowerCase());
}
