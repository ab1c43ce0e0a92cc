import type { EpochMs } from '../../clock.ts';
import type { DecimalString } from '../../market/decimal.ts';
import { type Gap, gapAt, type Quote, type QuoteRow } from '../segment/rows.ts';
import type { RecordSpan } from './record-reader.ts';

/** A price over a step of time: what held at its beginning and its end, and the extremes. */
export interface Range {
  readonly open: DecimalString;
  readonly high: DecimalString;
  readonly low: DecimalString;
  readonly close: DecimalString;
}

export const candlePrices = ['buyPrice', 'sellPrice', 'bid', 'ask'] as const;
export type CandlePrice = (typeof candlePrices)[number];

/** One step of a chart. */
export interface Candle extends Record<CandlePrice, Range> {
  readonly from: EpochMs;
  /** Changes within it; 0 where what held before went on. */
  readonly changes: number;
}

/** Makes candles of rows as they come. A step without a price, or in a gap of the record, has none. */
export class CandleMaker {
  readonly #span: RecordSpan;
  readonly #stepMs: number;
  readonly #gaps: readonly Gap[];
  readonly #candles: Candle[] = [];
  #from: EpochMs;
  #last: Quote | undefined;
  #ranges: Record<CandlePrice, Range> | undefined;
  #changes = 0;

  /** @param before what held when the span begins */
  constructor(span: RecordSpan, stepMs: number, gaps: readonly Gap[], before: Quote | undefined) {
    this.#span = span;
    this.#stepMs = stepMs;
    this.#gaps = gaps;
    this.#from = (Math.floor(span.from / stepMs) * stepMs) as EpochMs;
    this.#last = before;
    this.#begin();
  }

  add({ at, quote }: QuoteRow): void {
    while (at >= this.#from + this.#stepMs) this.#next();
    this.#last = quote;
    if (quote === undefined) return;
    this.#changes++;
    this.#ranges = rangesOf(quote, this.#ranges);
  }

  /** All candles up to the end of the span, or to `now` where that is earlier. */
  finish(now: EpochMs): readonly Candle[] {
    const end = Math.min(this.#span.to, now);
    while (this.#from < end) this.#next();
    return this.#candles;
  }

  #next(): void {
    if (this.#ranges !== undefined) {
      this.#candles.push({ from: this.#from, changes: this.#changes, ...this.#ranges });
    }
    this.#from = (this.#from + this.#stepMs) as EpochMs;
    this.#begin();
  }

  #begin(): void {
    this.#changes = 0;
    const middle = (this.#from + this.#stepMs / 2) as EpochMs;
    // What held before a gap does not hold in it.
    if (gapAt(this.#gaps, middle) !== undefined) this.#last = undefined;
    this.#ranges = this.#last && rangesOf(this.#last);
  }
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
