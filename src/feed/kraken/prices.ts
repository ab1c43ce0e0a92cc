import { asEpochMs, type EpochMs } from '../../clock.ts';
import { parseDecimal } from '../../market/decimal.ts';
import type { MarketSymbol } from '../../market/symbol.ts';
import type { UpstreamTicker } from '../../market/upstream.ts';
import type { Candle } from '../connector.ts';
import type { PairDirectory } from '../pair-directory.ts';
import type { RestAnswer } from '../rest-client.ts';
import { asCount, asInstant, asList, asObject, UpstreamError, type WireObject } from '../wire.ts';

/** Reads one entry of the live channel's `data`. A value that is missing or not a decimal is `undefined`. */
export function readLiveTicker(symbol: MarketSymbol, entry: WireObject, receivedAt: EpochMs): UpstreamTicker {
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
    upstreamTime: asInstant(entry.timestamp),
    askedAt: receivedAt,
    receivedAt,
  };
}

/**
 * Reads the answer of the REST call `Ticker`. Index 1 of `v`, `p`, `l` and `h` is over 24 hours (index 0 is since
 * midnight). It carries no time, and no change over 24 hours.
 */
export function readPolledTickers(answer: RestAnswer, directory: PairDirectory): UpstreamTicker[] {
  const pairs = asObject(answer.result);
  if (pairs === undefined) throw new UpstreamError('malformed', 'Ticker: not an object');
  const tickers: UpstreamTicker[] = [];
  for (const [id, value] of Object.entries(pairs)) {
    const names = directory.byId.get(id);
    const entry = asObject(value);
    if (names !== undefined && entry !== undefined) tickers.push(readPolledTicker(names.symbol, entry, answer));
  }
  return tickers;
}

function readPolledTicker(symbol: MarketSymbol, entry: WireObject, { askedAt, receivedAt }: RestAnswer) {
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
    askedAt,
    receivedAt,
  } satisfies UpstreamTicker;
}

const rowsMax = 1_000;
const secondsMax = 4_102_444_800;

/**
 * Reads the result of the REST call `OHLC` for one pair: rows `[time s, open, high, low, close, vwap, volume, trades]`,
 * oldest first, the current candle last. An unreadable row is left out.
 */
export function readCandles(result: unknown, pairId: string): Candle[] {
  const rows = asList(asObject(result)?.[pairId]);
  if (rows === undefined) throw new UpstreamError('malformed', 'OHLC: no rows');
  const candles: Candle[] = [];
  for (const row of rows.slice(-rowsMax)) {
    const cells = asList(row);
    const seconds = asCount(cells?.[0], secondsMax);
    const open = parseDecimal(cells?.[1]);
    if (seconds !== undefined && open !== undefined) candles.push({ openedAt: asEpochMs(seconds * 1000), open });
  }
  return candles;
}
