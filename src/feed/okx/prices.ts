import type { EpochMs } from '../../clock.ts';
import { parseDecimal } from '../../market/decimal.ts';
import type { MarketSymbol } from '../../market/symbol.ts';
import type { FeedPath, UpstreamTicker } from '../../market/upstream.ts';
import type { Candle } from '../connector.ts';
import { changePercentOf, vwapOf } from '../derived.ts';
import type { PairDirectory } from '../pair-directory.ts';
import type { RestAnswer } from '../rest-client.ts';
import { asEpoch, asList, asObject, asText, UpstreamError, type WireObject } from '../wire.ts';

interface Arrival {
  readonly path: FeedPath;
  readonly askedAt: EpochMs;
  readonly receivedAt: EpochMs;
}

/**
 * Reads a spot ticker, which is the same on both paths. A value that OKX does not have is an empty text, and so
 * `undefined`. For spot `vol24h` is in the base currency and `volCcy24h` in the quote currency.
 */
export function readTicker(symbol: MarketSymbol, entry: WireObject, arrival: Arrival): UpstreamTicker {
  const last = parseDecimal(entry.last);
  const volume24h = parseDecimal(entry.vol24h);
  return {
    symbol,
    bid: parseDecimal(entry.bidPx),
    ask: parseDecimal(entry.askPx),
    last,
    high24h: parseDecimal(entry.high24h),
    low24h: parseDecimal(entry.low24h),
    volume24h,
    vwap24h: vwapOf(parseDecimal(entry.volCcy24h), volume24h),
    priceChangePercent24h: changePercentOf(last, parseDecimal(entry.open24h)),
    upstreamTime: asEpoch(entry.ts),
    ...arrival,
  };
}

/** Reads the data of `market/tickers`. */
export function readPolledTickers(
  { result, askedAt, receivedAt }: RestAnswer,
  directory: PairDirectory,
): UpstreamTicker[] {
  const entries = asList(result);
  if (entries === undefined) throw new UpstreamError('malformed', 'tickers: not a list');
  return entries.flatMap((value) => {
    const entry = asObject(value) ?? {};
    const symbol = directory.byId.get(asText(entry.instId) ?? '')?.symbol;
    return symbol === undefined ? [] : readTicker(symbol, entry, { path: 'fallback', askedAt, receivedAt });
  });
}

/** Reads the data of `market/candles`: rows `[start ms, open, …]`, newest first. An unreadable row is left out. */
export function readCandles(data: unknown): Candle[] {
  const rows = asList(data);
  if (rows === undefined) throw new UpstreamError('malformed', 'candles: no rows');
  const candles = rows.flatMap((row) => {
    const openedAt = asEpoch(asList(row)?.[0]);
    const open = parseDecimal(asList(row)?.[1]);
    return openedAt === undefined || open === undefined ? [] : { openedAt, open };
  });
  return candles.toReversed();
}
