import { Backoff } from '../ground/backoff.ts';
import type { EpochMs, Timer } from '../ground/clock.ts';
import type { DecimalString } from '../market/decimal.ts';
import { areSamePrices, noReferences } from '../market/reference-prices.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import type { ReferencePrices, UpstreamTicker } from '../market/upstream.ts';
import type { Candle, CandleInterval } from './connector.ts';
import type { FeedParts } from './parts.ts';
import { RecordedReferences } from './recorded-references.ts';
import { Loop } from './timers.ts';
import { asUpstreamError, type UpstreamError } from './wire.ts';

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
  readonly #series = { minute: new PriceSeries(minuteMs, 70), hour: new PriceSeries(hourMs, 7 * 24 + 6) };
  /** When the feed's own price was last noted. */
  notedAt: EpochMs | undefined;

  /** Prices held, at most 244. */
  get size(): number {
    return this.#series.minute.size + this.#series.hour.size;
  }

  /** Notes the current price. The first one in an hour is that hour's price too. */
  note(at: EpochMs, price: DecimalString): void {
    this.notedAt = at;
    for (const series of Object.values(this.#series)) if (!series.has(at)) series.note(at, price);
  }

  /** Takes over candles, oldest first: the price at a candle's start is its opening price. */
  seed(interval: CandleInterval, candles: readonly Candle[]): void {
    const sizeMax = interval === 'hour' ? 170 : 62;
    for (const { openedAt, open } of candles.slice(-sizeMax)) this.#series[interval].note(openedAt, open);
  }

  /** The prices of an hour ago (to a minute or so), of 24 hours and of 7 days ago (to half an hour or so). */
  references(at: EpochMs): ReferencePrices {
    // Minute prices are noted at the same second of each minute, hour prices at the start of the hour: the nearest
    // start counts.
    const halfHourMs = hourMs / 2;
    return {
      price1hAgo: this.#series.minute.near(at - hourMs),
      price24hAgo: this.#series.hour.near(at - dayMs + halfHourMs),
      price7dAgo: this.#series.hour.near(at - 7 * dayMs + halfHourMs),
    };
  }
}

interface Followed {
  readonly history: PriceHistory;
  /** The second of each minute at which this symbol is updated: the work is spread over the minute. */
  readonly updateSecond: number;
  updatedMinute: number;
  last: DecimalString | undefined;
  published: ReferencePrices | undefined;
}

const failuresMax = 5;
/** After a longer gap in the feed's own prices the candles are loaded again. */
const minuteGapMs = 5 * minuteMs;
const hourGapMs = hourMs;
/** After this long without any ticker the feed's last prices are no longer current. */
const currentForMs = minuteMs;

/**
 * Keeps each market's prices of 1 hour, 24 hours and 7 days ago: seeded from the exchange's candles, one request at a
 * time behind all other requests, and continued from the feed itself. Those of a source without candles are of the
 * record, or of the feed itself where there is none.
 */
export class ReferencePriceTracker extends Loop {
  readonly #parts: FeedParts;
  readonly #followed = new Map<MarketSymbol, Followed>();
  readonly #backoff: Backoff;
  readonly #recorded: RecordedReferences | undefined;
  /** The requests to make, in order, with the failures so far. Hours go before minutes. */
  readonly #jobs = { hour: new Map<MarketSymbol, number>(), minute: new Map<MarketSymbol, number>() };
  #followedCount = 0;
  /** The last request failed, and the next one is held back. */
  #isBackingOff = false;
  #notedAtMs = Number.NEGATIVE_INFINITY;
  #timer: Timer | undefined;

  constructor(parts: FeedParts) {
    super(parts.clock);
    this.#parts = parts;
    this.#backoff = new Backoff(parts.randomness, { minMs: 2_000, maxMs: 120_000 });
    const { lookUpRecord, connector } = parts;
    if (lookUpRecord !== undefined)
      this.#recorded = new RecordedReferences({ ...parts, source: connector.id, ask: lookUpRecord });
  }

  /** How many requests for candles are still to be made. */
  get pendingSeeds(): number {
    return this.#jobs.hour.size + this.#jobs.minute.size;
  }

  override start(): void {
    this.#timer = this.clock.every(1_000, () => this.#updateDue());
    super.start();
  }

  override stop(): void {
    this.#timer?.cancel();
    super.stop();
  }

  /** Keeps the prices of these symbols from now on. Hours are requested first: they give two of the three prices. */
  follow(symbols: readonly MarketSymbol[]): void {
    const wanted = new Set(symbols);
    for (const symbol of this.#followed.keys()) if (!wanted.has(symbol)) this.#forget(symbol);
    for (const symbol of wanted) {
      if (this.#followed.has(symbol)) continue;
      const updateSecond = this.#followedCount++ % 60;
      const history = new PriceHistory();
      this.#followed.set(symbol, { history, updateSecond, updatedMinute: 0, last: undefined, published: undefined });
      this.#request(symbol, 'hour');
      this.#request(symbol, 'minute');
    }
  }

  /** Notes the last price of a ticker that the market room accepted. */
  note(ticker: UpstreamTicker): void {
    const followed = this.#followed.get(ticker.symbol);
    if (followed === undefined || ticker.last === undefined) return;
    followed.last = ticker.last;
    this.#notedAtMs = this.#parts.clock.monotonicMs();
  }

  #updateDue(): void {
    const { clock } = this.#parts;
    const now = clock.now();
    if (this.#followed.size > 0 && this.#recorded?.update(now) === false) return;
    const minute = Math.floor(now / minuteMs);
    const second = Math.floor((now % minuteMs) / 1_000);
    const isCurrent = clock.monotonicMs() - this.#notedAtMs < currentForMs;
    for (const [symbol, followed] of this.#followed) {
      if (followed.updatedMinute === minute || followed.updateSecond > second) continue;
      followed.updatedMinute = minute;
      if (isCurrent && followed.last !== undefined) this.#noteLast(symbol, followed, followed.last, now);
      this.#publish(symbol, followed, now);
    }
  }

  #noteLast(symbol: MarketSymbol, followed: Followed, last: DecimalString, now: EpochMs): void {
    const gapMs = now - (followed.history.notedAt ?? now);
    followed.history.note(now, last);
    if (gapMs > hourGapMs) this.#request(symbol, 'hour');
    if (gapMs > minuteGapMs) this.#request(symbol, 'minute');
  }

  #publish(symbol: MarketSymbol, followed: Followed, now: EpochMs): void {
    const recorded = this.#recorded?.of(symbol, now);
    const references = recorded ?? followed.history.references(now);
    // At first the market has what was restored: the record replaces that, an empty history does not.
    const published = followed.published ?? (recorded === undefined ? noReferences : undefined);
    if (published?.recordedFor === references.recordedFor && areSamePrices(published, references)) return;
    followed.published = references;
    this.#parts.sink.referencePricesChanged(symbol, references);
  }

  #request(symbol: MarketSymbol, interval: CandleInterval): void {
    if (this.#parts.connector.loadCandles === undefined) return;
    if (!this.#jobs[interval].has(symbol)) this.#jobs[interval].set(symbol, 0);
    if (!this.#isBackingOff) this.wakeWithin(0);
  }

  #forget(symbol: MarketSymbol): void {
    this.#followed.delete(symbol);
    this.#jobs.hour.delete(symbol);
    this.#jobs.minute.delete(symbol);
  }

  protected async run(signal: AbortSignal): Promise<number> {
    const interval = this.#jobs.hour.size > 0 ? 'hour' : 'minute';
    const [job] = this.#jobs[interval];
    this.#isBackingOff = false;
    if (job === undefined) return Number.POSITIVE_INFINITY;
    const [symbol, failures] = job;
    try {
      const candles = await this.#parts.connector.loadCandles!(symbol, interval, signal);
      this.#jobs[interval].delete(symbol);
      this.#backoff.reset();
      this.#seeded(symbol, interval, candles);
      return 0;
    } catch (error) {
      if (signal.aborted) return Number.POSITIVE_INFINITY;
      this.#isBackingOff = true;
      return this.#retryAfter(symbol, interval, failures + 1, asUpstreamError(error));
    }
  }

  #seeded(symbol: MarketSymbol, interval: CandleInterval, candles: readonly Candle[]): void {
    const followed = this.#followed.get(symbol);
    if (followed === undefined) return;
    followed.history.seed(interval, candles);
    this.#publish(symbol, followed, this.#parts.clock.now());
  }

  /**
   * Retried after the other symbols; one that keeps failing is left until the feed has collected enough prices itself.
   */
  #retryAfter(symbol: MarketSymbol, interval: CandleInterval, failures: number, error: UpstreamError): number {
    const isWanted = this.#jobs[interval].delete(symbol);
    if (isWanted && failures < failuresMax) this.#jobs[interval].set(symbol, failures);
    this.#parts.log.debug({ symbol, kind: error.kind, detail: error.message, failures }, 'loading candles failed');
    return (error.retryAfterMs ?? 0) + this.#backoff.nextMs();
  }
}
