import { parseDecimal } from '../../market/decimal.ts';
import type { TickerValues } from '../polled-tickers.ts';
import { asInstant, asList, type WireObject } from '../wire.ts';

/** Reads one entry of the live channel's `data`. A value that is missing or not a decimal is `undefined`. */
export function readLiveTicker(entry: WireObject): TickerValues {
  return {
    bid: parseDecimal(entry.bid),
    ask: parseDecimal(entry.ask),
    last: parseDecimal(entry.last),
    high24h: parseDecimal(entry.high),
    low24h: parseDecimal(entry.low),
    volume24h: parseDecimal(entry.volume),
    vwap24h: parseDecimal(entry.vwap),
    priceChangePercent24h: parseDecimal(entry.change_pct),
    upstreamTime: asInstant(entry.timestamp),
  };
}

/**
 * Reads one entry of the REST call `Ticker`. Index 1 of `v`, `p`, `l` and `h` is over 24 hours (index 0 is since
 * midnight). It carries no time, and no change over 24 hours.
 */
export function readPolledTicker(entry: WireObject): TickerValues {
  const decimalAt = (member: string, index: number) => parseDecimal(asList(entry[member])?.[index]);
  return {
    bid: decimalAt('b', 0),
    ask: decimalAt('a', 0),
    last: decimalAt('c', 0),
    high24h: decimalAt('h', 1),
    low24h: decimalAt('l', 1),
    volume24h: decimalAt('v', 1),
    vwap24h: decimalAt('p', 1),
    priceChangePercent24h: undefined,
    upstreamTime: undefined,
  };
}
