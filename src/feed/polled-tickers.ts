import type { UpstreamTicker } from '../market/upstream.ts';
import type { PairDirectory } from './pair-directory.ts';
import type { RestAnswer } from './rest-client.ts';
import { asObject, asText, requireList, requireObject, type WireObject } from './wire.ts';

/** When and how a ticker arrived. */
export type TickerArrival = Pick<UpstreamTicker, 'path' | 'askedAt' | 'receivedAt'>;

/** The values of a ticker. */
export type TickerValues = Omit<UpstreamTicker, 'symbol' | keyof TickerArrival>;

/**
 * Reads an answer with the tickers of many pairs: a list whose entries name their pair (`idOf`), or an object with an entry
 * for each id. Pairs that are in no catalogue are left out. Throws `UpstreamError` (`malformed`) for anything else.
 */
export function readPolled(
  { result, askedAt, receivedAt }: RestAnswer,
  directory: PairDirectory,
  read: (entry: WireObject) => TickerValues,
  idOf?: (entry: WireObject) => unknown,
): UpstreamTicker[] {
  const entries =
    idOf === undefined
      ? Object.entries(requireObject(result, 'tickers'))
      : requireList(result, 'tickers').map((entry) => [idOf(entry), entry] as const);
  return entries.flatMap(([id, value]) => {
    const symbol = directory.byId.get(asText(id) ?? '')?.symbol;
    const entry = asObject(value);
    if (symbol === undefined || entry === undefined) return [];
    return { symbol, ...read(entry), path: 'fallback', askedAt, receivedAt };
  });
}
