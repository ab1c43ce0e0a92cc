import type { Market } from './market-walk.ts';
import { mix32 } from './randomness.ts';
import { unitsText } from './ticker.ts';

/** Lengths of a candle in minutes, as REST `OHLC` takes them. */
export const candleIntervals: readonly number[] = [1, 5, 15, 30, 60, 240, 1440, 10080, 21600];

/** `[time in s, open, high, low, close, vwap, volume, trades]` */
export type CandleRow = readonly [number, string, string, string, string, string, string, number];

const rowsMax = 720;
const samplesPerCandle = 8;

/**
 * The candles of a market up to now, oldest first, at most 720, the last one still running and
 * closing at the newest price. Each opens at the close of the previous one.
 *
 * @param sinceS returns only candles that begin after this second
 */
export function candles(
  market: Market,
  intervalMinutes: number,
  nowMs: number,
  sinceS: number | undefined,
): CandleRow[] {
  const lengthMs = intervalMinutes * 60_000;
  const runningMs = Math.floor(nowMs / lengthMs) * lengthMs;
  const rows: CandleRow[] = [];
  for (let index = rowsMax - 1; index >= 0; index--) {
    const startMs = runningMs - index * lengthMs;
    if (sinceS !== undefined && startMs <= sinceS * 1000) continue;
    rows.push(candle(market, startMs, lengthMs, index === 0 ? nowMs : undefined));
  }
  return rows;
}

/**
 * When the newest finished candle began, in seconds: the `last` of the answer, which clients send as the next `since`.
 */
export function lastFinishedS(intervalMinutes: number, nowMs: number): number {
  const lengthMs = intervalMinutes * 60_000;
  return (Math.floor(nowMs / lengthMs) * lengthMs - lengthMs) / 1000;
}

function candle(market: Market, startMs: number, lengthMs: number, runningUntilMs: number | undefined): CandleRow {
  const endMs = runningUntilMs ?? startMs + lengthMs;
  const { low, high, mean } = market.range(startMs, endMs, samplesPerCandle);
  const open = market.unitsAt(startMs);
  const close = runningUntilMs === undefined ? market.unitsAt(endMs) : market.lastUnits;
  const [lowest, highest] = [Math.min(low, close), Math.max(high, close)];
  const price = (units: number) => unitsText(units, market.pair.priceDecimals);
  const activity = 0.5 + mix32(startMs / 60_000) / 2 ** 32;
  const volume = market.volumeIn(Math.max(1, endMs - startMs), activity);
  return [
    startMs / 1000,
    price(open),
    price(highest),
    price(lowest),
    price(close),
    price(Math.min(highest, Math.max(lowest, mean))),
    unitsText(volume, 8),
    1 + Math.floor((endMs - startMs) / 20_000),
  ];
}
