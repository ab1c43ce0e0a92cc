import { parseDecimal } from '../market/decimal.ts';
import type { Candle } from './connector.ts';
import { asEpoch, asList, UpstreamError } from './wire.ts';

/**
 * Reads candles, one a row, which is a list or an object: its start is at `time` in seconds or milliseconds since the
 * epoch, its opening price at `open`. Returns them oldest first, in whichever order they come; an unreadable row is left
 * out. Throws `UpstreamError` (`malformed`) when there are no rows.
 */
export function readCandleRows(rows: unknown, time: number | string = 0, open: number | string = 1): Candle[] {
  const list = asList(rows);
  if (list === undefined) throw new UpstreamError('malformed', 'candles: no rows');
  const candles = list.flatMap((row) => {
    const cells = Object(row) as Readonly<Record<number | string, unknown>>;
    const openedAt = asEpoch(cells[time]);
    const price = parseDecimal(cells[open]);
    return openedAt === undefined || price === undefined ? [] : { openedAt, open: price };
  });
  return candles.sort((one, other) => one.openedAt - other.openedAt);
}
