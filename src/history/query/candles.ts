import type { EpochMs } from '../../ground/clock.ts';
import type { DecimalString } from '../../market/decimal.ts';
import type { RecordSpan } from '../reading/record-reader.ts';
import { type Gap, gapAt, type Quote, type QuoteRow } from '../segment/rows.ts';

/** A price over a step of time: what held at its beginning and its end, and the extremes. */
export interface Range {
  readonly open: DecimalString;
  readonly high: DecimalString;
  readonly low: DecimalString;
  readonly close: DecimalString;
}

const candlePrices = ['buyPrice', 'sellPrice', 'bid', 'ask'] as const;
export type CandlePrice = (typeof candlePrices)[number];

/** One step of a chart. */
export interface Candle extends Record<CandlePrice, Range> {
  readonly from: EpochMs;
  /** Changes within it; 0 where what held before went on. */
  readonly changes: number;
}

/**
 * Makes candles of rows, from the start of a step on. A step without a price, or in a gap of the record, has none.
 *
 * @param before what held at the start
 */
export async function candlesOf(
  batches: AsyncIterable<readonly QuoteRow[]>,
  { from: start, to: end }: RecordSpan,
  stepMs: number,
  gaps: readonly Gap[],
  before: Quote | undefined,
): Promise<readonly Candle[]> {
  const candles: Candle[] = [];
  let [from, last, changes] = [start, before, 0];
  let ranges: Record<CandlePrice, Range> | undefined;
  const begin = () => {
    changes = 0;
    // What held before a gap does not hold in it.
    if (gapAt(gaps, (from + stepMs / 2) as EpochMs) !== undefined) last = undefined;
    ranges = last && rangesOf(last);
  };
  const next = () => {
    if (ranges !== undefined) candles.push({ from, changes, ...ranges });
    from = (from + stepMs) as EpochMs;
    begin();
  };
  begin();
  for await (const rows of batches) {
    for (const { at, quote } of rows) {
      while (at >= from + stepMs) next();
      last = quote;
      if (quote === undefined) continue;
      changes++;
      ranges = rangesOf(quote, ranges);
    }
  }
  while (from < end) next();
  return candles;
}

/** @param before what the step had until then; `undefined` where the quote begins it */
function rangesOf(quote: Quote, before?: Record<CandlePrice, Range>): Record<CandlePrice, Range> {
  const all = candlePrices.map((name) => {
    const value = quote[name];
    const { open, high, low } = before?.[name] ?? { open: value, high: value, low: value };
    const isHigher = Number(value) > Number(high);
    const isLower = Number(value) < Number(low);
    return [name, { open, high: isHigher ? value : high, low: isLower ? value : low, close: value }];
  });
  return Object.fromEntries(all) as Record<CandlePrice, Range>;
}
