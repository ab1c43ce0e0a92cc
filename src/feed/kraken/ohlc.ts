import { asEpochMs } from '../../clock.ts';
import { parseDecimal } from '../../market/decimal.ts';
import type { Candle } from '../connector.ts';
import { asCount, asList, asObject } from '../json.ts';
import { UpstreamError } from '../upstream-error.ts';

const rowsMax = 1_000;
const secondsMax = 4_102_444_800;

/**
 * Reads the result of the REST call `OHLC` for one pair: rows `[time s, open, high, low, close, vwap,
 * volume, trades]`, oldest first, the running candle last. A row that cannot be read is left out.
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
