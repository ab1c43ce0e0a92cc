import type { EpochMs } from '../../clock.ts';
import { type DecimalString, parseDecimal } from '../../market/decimal.ts';
import type { UpstreamTicker } from '../../market/upstream.ts';
import type { Candle } from '../connector.ts';
import type { PairDirectory } from '../pair-directory.ts';
import type { RestAnswer } from '../rest-client.ts';
import { asEpoch, asList, asObject, asText, UpstreamError, type WireObject } from '../wire.ts';

interface TopOfBook {
  readonly bid: DecimalString | undefined;
  readonly ask: DecimalString | undefined;
  readonly upstreamTime: EpochMs | undefined;
}

/** The first level of an `order_book` frame's data: both sides are sent whole, best price first. */
export function readTopOfBook(data: WireObject): TopOfBook {
  const best = (side: unknown) => parseDecimal(asList(asList(side)?.[0])?.[0]);
  // Microseconds have more digits than a count may; the last three are below our resolution.
  const upstreamTime = asEpoch(asText(data.microtimestamp)?.slice(0, -3));
  return {
    bid: best(data.bids),
    ask: best(data.asks),
    upstreamTime,
  };
}

/**
 * Reads the answer of `ticker`, all markets. `open` is today's and `open_24` that of 24 hours ago; the change is given.
 * `timestamp` has whole seconds and would order these tickers before live ones of the same second, so it is not used.
 */
export function readPolledTickers(
  { result, askedAt, receivedAt }: RestAnswer,
  directory: PairDirectory,
): UpstreamTicker[] {
  const entries = asList(result);
  if (entries === undefined) throw new UpstreamError('malformed', 'ticker: not a list');
  return entries.flatMap((value) => {
    const entry = asObject(value) ?? {};
    const symbol = directory.byId.get(idOf(asText(entry.pair) ?? ''))?.symbol;
    if (symbol === undefined) return [];
    return {
      symbol,
      bid: parseDecimal(entry.bid),
      ask: parseDecimal(entry.ask),
      last: parseDecimal(entry.last),
      high24h: parseDecimal(entry.high),
      low24h: parseDecimal(entry.low),
      volume24h: parseDecimal(entry.volume),
      vwap24h: parseDecimal(entry.vwap),
      priceChangePercent24h: parseDecimal(entry.percent_change_24),
      path: 'fallback',
      upstreamTime: undefined,
      askedAt,
      receivedAt,
    };
  });
}

/** `BTC/EUR` is `btceur` in requests and channels. */
function idOf(pair: string): string {
  return pair.replace('/', '').toLowerCase();
}

/** Reads the answer of `ohlc`: entries with `timestamp` in seconds and `open`. An unreadable entry is left out. */
export function readCandles(result: unknown): Candle[] {
  const entries = asList(asObject(asObject(result)?.data)?.ohlc);
  if (entries === undefined) throw new UpstreamError('malformed', 'ohlc: no entries');
  const candles = entries.flatMap((value) => {
    const openedAt = asEpoch(asObject(value)?.timestamp);
    const open = parseDecimal(asObject(value)?.open);
    return openedAt === undefined || open === undefined ? [] : { openedAt, open };
  });
  return candles.toSorted((one, other) => one.openedAt - other.openedAt);
}
