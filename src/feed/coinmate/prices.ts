import { parseDecimal } from '../../market/decimal.ts';
import type { FeedPath, UpstreamTicker } from '../../market/upstream.ts';
import type { PairDirectory } from '../pair-directory.ts';
import type { RestAnswer } from '../rest-client.ts';
import { asEpoch, asObject, UpstreamError } from '../wire.ts';

/**
 * Reads the data of `tickerAll`, whose numbers must be their source text. `change` and `open` are since today's open and
 * not over 24 hours, so neither is used.
 */
export function readTickers(
  { result, askedAt, receivedAt }: RestAnswer,
  path: FeedPath,
  directory: PairDirectory,
): UpstreamTicker[] {
  const pairs = asObject(result);
  if (pairs === undefined) throw new UpstreamError('malformed', 'tickerAll: not an object');
  return Object.entries(pairs).flatMap(([name, value]) => {
    const entry = asObject(value);
    const symbol = directory.byId.get(name)?.symbol;
    if (symbol === undefined || entry === undefined) return [];
    return {
      symbol,
      bid: parseDecimal(entry.bid),
      ask: parseDecimal(entry.ask),
      last: parseDecimal(entry.last),
      high24h: parseDecimal(entry.high),
      low24h: parseDecimal(entry.low),
      volume24h: parseDecimal(entry.amount),
      vwap24h: undefined,
      priceChangePercent24h: undefined,
      path,
      // Documented as milliseconds, and sent as seconds: the size decides.
      upstreamTime: asEpoch(entry.timestamp),
      askedAt,
      receivedAt,
    };
  });
}
