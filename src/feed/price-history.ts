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
  readonly #pick: (steps: number) => number;
  readonly #prices = new Map<number, DecimalString>();

  /** `pick` chooses the step of an instant. */
  constructor(stepMs: number, sizeMax: number, pick: (steps: number) => number) {
    this.#stepMs = stepMs;
    this.#sizeMax = sizeMax;
    this.#pick = pick;
  }

  note(at: number, price: DecimalString): void {
    const step = Math.floor(at / this.#stepMs);
    this.#prices.delete(step);
    this.#prices.set(step, price);
    if (this.#prices.size <= this.#sizeMax) return;
    for (const oldest of this.#prices.keys()) {
      this.#prices.delete(oldest);
      return;
    }
  }

  get size(): number {
    return this.#prices.size;
  }

  has(at: number): boolean {
    return this.#prices.has(Math.floor(at / this.#stepMs));
  }

  /** The price of the step of `at`, or of an adjacent one. */
  near(at: number): DecimalString | undefined {
    const step = this.#pick(at / this.#stepMs);
    return this.#prices.get(step) ?? this.#prices.get(step - 1) ?? this.#prices.get(step + 1);
  }
}

/** One market's past prices: by the minute for the last hour, by the hour for the last seven days. */
export class PriceHistory {
  // Minute prices are noted at the same second of each minute, hour prices at the start of the hour.
  readonly #minutes = new PriceSeries(minuteMs, 70, Math.floor);
  readonly #hours = new PriceSeries(hourMs, 7 * 24 + 6, Math.round);
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
    return {
      price1hAgo: this.#minutes.near(at - hourMs),
      price24hAgo: this.#hours.near(at - dayMs),
      price7dAgo: this.#hours.near(at - 7 * dayMs),
    };
  }
}

export function isSameReferences(one: ReferencePrices | undefined, other: ReferencePrices): boolean {
  return (
    one?.price1hAgo === other.price1hAgo &&
    one?.price24hAgo === other.price24hAgo &&
    one?.price7dAgo === other.price7dAgo
  );
}
