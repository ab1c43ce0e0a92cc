import type { EpochMs } from '../../clock.ts';
import { parseDecimal } from '../../market/decimal.ts';
import type { MarketSymbol } from '../../market/symbol.ts';
import type { UpstreamTicker } from '../../market/upstream.ts';
import { asList, asObject } from '../json.ts';
import { UpstreamError } from '../upstream-error.ts';
import type { PairDirectory } from './names.ts';

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;

/** An RFC 3339 instant, cut to milliseconds; `undefined` for anything else. */
export function readInstant(text: unknown): EpochMs | undefined {
  if (typeof text !== 'string' || !instant.test(text)) return undefined;
  const milliseconds = Date.parse(text);
  return Number.isNaN(milliseconds) ? undefined : (milliseconds as EpochMs);
}

/** One entry of the live channel's `data`. What is missing or no decimal is `undefined`: the market room judges. */
export function readLiveTicker(
  symbol: MarketSymbol,
  entry: Readonly<Record<string, unknown>>,
  receivedAt: EpochMs,
): UpstreamTicker {
  return {
    symbol,
    bid: parseDecimal(entry.bid),
    ask: parseDecimal(entry.ask),
    last: parseDecimal(entry.last),
    high24h: parseDecimal(entry.high),
    low24h: parseDecimal(entry.low),
    volume24h: parseDecimal(entry.volume),
    vwap24h: parseDecimal(entry.vwap),
    priceChangePercent24h: parseDecimal(entry.change_pct),
    path: 'live',
    upstreamTime: readInstant(entry.timestamp),
    askedAt: receivedAt,
    receivedAt,
  };
}

export interface PolledAt {
  readonly askedAt: EpochMs;
  readonly receivedAt: EpochMs;
}

/**
 * Reads the result of the REST call `Ticker`. Index 1 of `v`, `p`, `l` and `h` is over 24 hours
 * (index 0 is since midnight). It carries no time, and no change over 24 hours.
 */
export function readPolledTickers(result: unknown, directory: PairDirectory, at: PolledAt): UpstreamTicker[] {
  const pairs = asObject(result);
  if (pairs === undefined) throw new UpstreamError('malformed', 'Ticker: not an object');
  const tickers: UpstreamTicker[] = [];
  for (const [id, value] of Object.entries(pairs)) {
    const names = directory.byId(id);
    const entry = asObject(value);
    if (names !== undefined && entry !== undefined) tickers.push(readPolledTicker(names.symbol, entry, at));
  }
  return tickers;
}

function readPolledTicker(
  symbol: MarketSymbol,
  entry: Readonly<Record<string, unknown>>,
  at: PolledAt,
): UpstreamTicker {
  const decimalAt = (member: string, index: number) => parseDecimal(asList(entry[member])?.[index]);
  return {
    symbol,
    bid: decimalAt('b', 0),
    ask: decimalAt('a', 0),
    last: decimalAt('c', 0),
    high24h: decimalAt('h', 1),
    low24h: decimalAt('l', 1),
    volume24h: decimalAt('v', 1),
    vwap24h: decimalAt('p', 1),
    priceChangePercent24h: undefined,
    path: 'fallback',
    upstreamTime: undefined,
    askedAt: at.askedAt,
    receivedAt: at.receivedAt,
  };
}
