import { Backoff } from '../backoff.ts';
import type { Clock, EpochMs, Randomness } from '../clock.ts';
import type { Log } from '../log.ts';
import type { DecimalString } from '../market/decimal.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import type { FeedSink, ReferencePrices, UpstreamTicker } from '../market/upstream.ts';
import type { Candle, CandleInterval, ExchangeConnector } from './connector.ts';
import { Loop } from './loop.ts';
import { PriceHistory, sameReferences } from './price-history.ts';
import type { UpstreamError } from './upstream-error.ts';
import { asUpstreamError } from './upstream-error.ts';

export interface CandleKeeperOptions {
  readonly connector: Pick<ExchangeConnector, 'loadCandles'>;
  readonly sink: Pick<FeedSink, 'referencePricesChanged'>;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
}

interface Followed {
  readonly history: PriceHistory;
  /** The second of the minute in which this symbol has its turn: work is spread over the minute. */
  readonly turnSecond: number;
  turnMinute: number;
  last: DecimalString | undefined;
  told: ReferencePrices | undefined;
}

const minuteMs = 60_000;
const failuresMax = 5;
/** A gap in what the feed saw beyond which candles are asked for again. */
const minuteGapMs = 5 * minuteMs;
const hourGapMs = 60 * minuteMs;
/** Without any ticker for this long the feed has nothing to say about the present. */
const currentForMs = minuteMs;

/**
 * Keeps each market's prices of 1 hour, 24 hours and 7 days ago: seeded from the exchange's candles,
 * one request after the other behind all other requests, and kept up from the feed itself.
 */
export class CandleKeeper {
  readonly #options: CandleKeeperOptions;
  readonly #followed = new Map<MarketSymbol, Followed>();
  readonly #loop: Loop;
  readonly #backoff: Backoff;
  /** What to ask for, in order, with the failures so far. Hours go before minutes. */
  readonly #jobs = { hour: new Map<MarketSymbol, number>(), minute: new Map<MarketSymbol, number>() };
  #turns = 0;
  /** The last request failed and the next one waits. */
  #resting = false;
  #notedAtMs = Number.NEGATIVE_INFINITY;
  #stopTurns: () => void = () => undefined;

  constructor(options: CandleKeeperOptions) {
    this.#options = options;
    this.#loop = new Loop(options.clock, (signal) => this.#seedNext(signal));
    this.#backoff = new Backoff(options.randomness, { minMs: 2_000, maxMs: 120_000 });
  }

  /** Requests for candles still to be made. */
  get pendingSeeds(): number {
    return this.#jobs.hour.size + this.#jobs.minute.size;
  }

  start(): void {
    const timer = this.#options.clock.every(1_000, () => this.#takeTurns());
    this.#stopTurns = () => timer.cancel();
    this.#loop.start();
  }

  stop(): void {
    this.#stopTurns();
    this.#loop.stop();
  }

  /** The symbols whose prices to keep from now on. Hours are asked for first: they give two of the three prices. */
  follow(symbols: readonly MarketSymbol[]): void {
    const wanted = new Set(symbols);
    for (const symbol of this.#followed.keys()) if (!wanted.has(symbol)) this.#forget(symbol);
    for (const symbol of wanted) {
      if (this.#followed.has(symbol)) continue;
      const turnSecond = this.#turns++ % 60;
      const history = new PriceHistory();
      this.#followed.set(symbol, { history, turnSecond, turnMinute: 0, last: undefined, told: undefined });
      this.#request(symbol, 'hour');
      this.#request(symbol, 'minute');
    }
  }

  /** Takes the last price of a ticker that was taken by the market room. */
  note(ticker: UpstreamTicker): void {
    const followed = this.#followed.get(ticker.symbol);
    if (followed === undefined || ticker.last === undefined) return;
    followed.last = ticker.last;
    this.#notedAtMs = this.#options.clock.monotonicMs();
  }

  #takeTurns(): void {
    const { clock } = this.#options;
    const now = clock.now();
    const minute = Math.floor(now / minuteMs);
    const second = Math.floor((now % minuteMs) / 1_000);
    const isCurrent = clock.monotonicMs() - this.#notedAtMs < currentForMs;
    for (const [symbol, followed] of this.#followed) {
      if (followed.turnMinute === minute || followed.turnSecond > second) continue;
      followed.turnMinute = minute;
      if (isCurrent && followed.last !== undefined) this.#noteTurn(symbol, followed, followed.last, now);
      this.#tell(symbol, followed, now);
    }
  }

  #noteTurn(symbol: MarketSymbol, followed: Followed, last: DecimalString, now: EpochMs): void {
    const gapMs = now - (followed.history.notedAt ?? now);
    followed.history.note(now, last);
    if (gapMs > hourGapMs) this.#request(symbol, 'hour');
    if (gapMs > minuteGapMs) this.#request(symbol, 'minute');
  }

  #tell(symbol: MarketSymbol, followed: Followed, now: EpochMs): void {
    const references = followed.history.references(now);
    if (followed.told === undefined && Object.values(references).every((price) => price === undefined)) return;
    if (sameReferences(followed.told, references)) return;
    followed.told = references;
    this.#options.sink.referencePricesChanged(symbol, references);
  }

  #request(symbol: MarketSymbol, interval: CandleInterval): void {
    if (!this.#jobs[interval].has(symbol)) this.#jobs[interval].set(symbol, 0);
    if (!this.#resting) this.#loop.wakeWithin(0);
  }

  #forget(symbol: MarketSymbol): void {
    this.#followed.delete(symbol);
    this.#jobs.hour.delete(symbol);
    this.#jobs.minute.delete(symbol);
  }

  async #seedNext(signal: AbortSignal): Promise<number> {
    const interval = this.#jobs.hour.size > 0 ? 'hour' : 'minute';
    const [job] = this.#jobs[interval];
    this.#resting = false;
    if (job === undefined) return Number.POSITIVE_INFINITY;
    const [symbol, failures] = job;
    try {
      const candles = await this.#options.connector.loadCandles(symbol, interval, signal);
      this.#jobs[interval].delete(symbol);
      this.#backoff.reset();
      this.#seeded(symbol, interval, candles);
      return 0;
    } catch (thrown) {
      if (signal.aborted) return Number.POSITIVE_INFINITY;
      this.#resting = true;
      return this.#failed(symbol, interval, failures + 1, asUpstreamError(thrown));
    }
  }

  #seeded(symbol: MarketSymbol, interval: CandleInterval, candles: readonly Candle[]): void {
    const followed = this.#followed.get(symbol);
    if (followed === undefined) return;
    followed.history.seed(interval, candles);
    this.#tell(symbol, followed, this.#options.clock.now());
  }

  /** The others go first; a symbol that never works is given up until the feed has seen enough itself. */
  #failed(symbol: MarketSymbol, interval: CandleInterval, failures: number, error: UpstreamError): number {
    const stillWanted = this.#jobs[interval].delete(symbol);
    if (stillWanted && failures < failuresMax) this.#jobs[interval].set(symbol, failures);
    this.#options.log.debug({ symbol, kind: error.kind, detail: error.message, failures }, 'no candles');
    return (error.retryAfterMs ?? 0) + this.#backoff.nextMs();
  }
}
