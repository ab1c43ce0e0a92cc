import type { EpochMs } from '../clock.ts';
import type { DecimalString } from '../market/decimal.ts';
import type { ReferencePrices } from '../market/upstream.ts';
import type { Candle } from './connector.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Prices at equal steps of time: the `sizeMax` noted last. */
class PriceSeries {
  readonly #stepMs: number;
  readonly #sizeMax: number;
  readonly #prices = new Map<number, DecimalString>();

  constructor(stepMs: number, sizeMax: number) {
    this.#stepMs = stepMs;
    this.#sizeMax = sizeMax;
  }

  note(at: number, price: DecimalString): void {
    const step = Math.floor(at / this.#stepMs);
    this.#prices.delete(step);
    this.#prices.set(step, price);
    const [oldest] = this.#prices.keys();
    if (this.#prices.size > this.#sizeMax && oldest !== undefined) this.#prices.delete(oldest);
  }

  get size(): number {
    return this.#prices.size;
  }

  has(at: number): boolean {
    return this.#prices.has(Math.floor(at / this.#stepMs));
  }

  /** The price of the step of `at`, or of an adjacent one. */
  near(at: number): DecimalString | undefined {
    const step = Math.floor(at / this.#stepMs);
    return this.#prices.get(step) ?? this.#prices.get(step - 1) ?? this.#prices.get(step + 1);
  }
}

/** One market's past prices: by the minute for the last hour, by the hour for the last seven days. */
export class PriceHistory {
  readonly #minutes = new PriceSeries(minuteMs, 70);
  readonly #hours = new PriceSeries(hourMs, 7 * 24 + 6);
  #notedAt: EpochMs | undefined;

  /** When the feed's own price was last noted. */
  get notedAt(): EpochMs | undefined {
    return this.#notedAt;
  }

  /** Prices held, at most 244. */
  get size(): number {
    return this.#minutes.size + this.#hours.size;
  }

  /** Notes the current price. The first one in an hour is that hour's price too. */
  note(at: EpochMs, price: DecimalString): void {
    this.#notedAt = at;
    if (!this.#minutes.has(at)) this.#minutes.note(at, price);
    if (!this.#hours.has(at)) this.#hours.note(at, price);
  }

  /** Takes over candles, oldest first: the price at a candle's start is its opening price. */
  seed(interval: 'hour' | 'minute', candles: readonly Candle[]): void {
    const series = interval === 'hour' ? this.#hours : this.#minutes;
    const sizeMax = interval === 'hour' ? 170 : 62;
    for (const candle of candles.slice(-sizeMax)) series.note(candle.openedAt, candle.open);
  }

  /** The prices of an hour ago (to a minute or so), of 24 hours and of 7 days ago (to half an hour or so). */
  references(at: EpochMs): ReferencePrices {
    // Minute prices are noted at the same second of each minute, hour prices at the start of the hour: the nearest start counts.
    const halfHourMs = hourMs / 2;
    return {
      price1hAgo: this.#minutes.near(at - hourMs),
      price24hAgo: this.#hours.near(at - dayMs + halfHourMs),
      price7dAgo: this.#hours.near(at - 7 * dayMs + halfHourMs),
    };
  }
}
