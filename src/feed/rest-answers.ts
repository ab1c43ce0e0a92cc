import type { UpstreamTicker } from '../market/upstream.ts';
import type { Candle } from './connector.ts';
import type { PairDirectory } from './market-listing.ts';
import type { RestAnswer } from './rest-client.ts';
import * as wire from './wire.ts';

/** When and how a ticker arrived. */
export type TickerArrival = Pick<UpstreamTicker, 'path' | 'askedAt' | 'receivedAt'>;

/** The values of a ticker. */
export type TickerValues = Omit<UpstreamTicker, 'symbol' | keyof TickerArrival>;

/** The values that several exchanges name alike. One that is missing, or not a decimal, is `undefined`. */
export function readCommonValues({ bid, ask, last, high, low, volume, vwap }: wire.WireObject) {
  return {
    bid: wire.asDecimal(bid),
    ask: wire.asDecimal(ask),
    last: wire.asDecimal(last),
    high24h: wire.asDecimal(high),
    low24h: wire.asDecimal(low),
    volume24h: wire.asDecimal(volume),
    vwap24h: wire.asDecimal(vwap),
  };
}

/**
 * Reads an answer with the tickers of many pairs: a list whose entries name their pair (`idOf`), or an object with an
 * entry for each id. Pairs that are in no catalogue are left out. Throws `UpstreamError` (`malformed`) for anything
 * else.
 */
export function readPolled(
  { result, askedAt, receivedAt }: RestAnswer,
  directory: PairDirectory,
  read: (entry: wire.WireObject) => TickerValues,
  idOf?: (entry: wire.WireObject) => unknown,
): UpstreamTicker[] {
  const entries =
    idOf === undefined
      ? Object.entries(wire.requireObject(result, 'tickers'))
      : wire.requireList(result, 'tickers').map((entry) => [idOf(entry), entry] as const);
  return entries.flatMap(([id, value]) => {
    const symbol = directory.byId.get(wire.asText(id) ?? '')?.symbol;
    const entry = wire.asObject(value);
    if (symbol === undefined || entry === undefined) return [];
    return { symbol, ...read(entry), path: 'fallback', askedAt, receivedAt };
  });
}

/**
 * Reads candles, one a row, which is a list or an object: its start is at `time` in seconds or milliseconds since the
 * epoch, its opening price at `open`. Returns them oldest first, in whichever order they come; an unreadable row is
 * left out. Throws `UpstreamError` (`malformed`) when there are no rows.
 */
export function readCandleRows(rows: unknown, time: number | string = 0, open: number | string = 1): Candle[] {
  const candles = wire.required(wire.asList(rows), 'candles: no rows').flatMap((row) => {
    const cells = Object(row) as Readonly<Record<number | string, unknown>>;
    const openedAt = wire.asEpoch(cells[time]);
    const price = wire.asDecimal(cells[open]);
    return openedAt === undefined || price === undefined ? [] : { openedAt, open: price };
  });
  return candles.sort((one, other) => one.openedAt - other.openedAt);
}

/** Gives what those of several requests bring that succeed. Throws the error of the first when none does. */
export async function settledSome<Value>(requests: readonly Promise<readonly Value[]>[]): Promise<readonly Value[]> {
  const outcomes = await Promise.allSettled(requests);
  const answered = outcomes.filter((outcome) => outcome.status === 'fulfilled');
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (answered.length === 0 && failed !== undefined) throw failed.reason;
  return answered.flatMap(({ value }) => value);
}
