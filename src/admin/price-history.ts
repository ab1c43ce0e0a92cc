import Big from 'big.js';
import type { Clock, Timer } from '../clock.ts';
import type { Log } from '../log.ts';
import type { MarketBook } from '../market/market-book.ts';
import type { OfferedMarket } from '../market/market-catalogue.ts';
import type { FeedStatus } from '../market/service-status.ts';
import type { MarketSymbol } from '../market/symbol.ts';

/** Prices of a market at an instant, as decimals. */
export interface PricePoint {
  readonly atMs: number;
  /** Of the exchange; of a converted market at the mid rate. */
  readonly bid: string;
  readonly ask: string;
  /** Of clients. */
  readonly buy: string;
  readonly sell: string;
}

export const historyEveryMs = 5_000;
export const historyPoints = 720;
const sparkPointsMax = 60;
/** Prices derived in one turn of the event loop, some milliseconds' work. */
const marketsPerTurn = 100;

/** Without news from the exchange for this long, what clients still get is no point: a line would claim that prices stood still. */
const currentForMs = 30_000;

/** The four prices of a point in one text, `bid ask buy sell`; `undefined` where there is no point. */
type Series = (string | undefined)[];

/**
 * The prices of the last hour, taken every 5 seconds: 720 points in a ring for each market, from the first price a market
 * has until it is delisted. Points that do not differ share one text, so a quiet market costs 6 kB and one whose price
 * changes all the time 45 kB. Gone with the process.
 */
export class PriceHistory {
  readonly #book: MarketBook;
  readonly #feedStatus: Pick<FeedStatus, 'ageMs'>;
  readonly #clock: Clock;
  readonly #times = new Float64Array(historyPoints).fill(Number.NaN);
  readonly #series = new Map<MarketSymbol, Series>();
  readonly #timer: Timer;
  /** Where the next point goes. */
  #at = 0;
  /** Points in the ring. */
  #taken = 0;
  #sampling: Promise<void> | undefined;

  constructor(book: MarketBook, feedStatus: Pick<FeedStatus, 'ageMs'>, clock: Clock, log: Log) {
    this.#book = book;
    this.#feedStatus = feedStatus;
    this.#clock = clock;
    this.#timer = clock.every(historyEveryMs, () => {
      this.#sampling ??= this.#sample()
        .catch((error) => log.error({ err: error }, 'a point of the price history could not be taken'))
        .finally(() => {
          this.#sampling = undefined;
        });
    });
  }

  /** Markets that have a history. */
  get size(): number {
    return this.#series.size;
  }

  /** The points after an instant, oldest first. Nothing is there for an instant without a price or without a feed. */
  points(symbol: MarketSymbol, sinceMs: number): PricePoint[] {
    return this.#recorded(symbol).filter((point) => point !== undefined && point.atMs > sinceMs) as PricePoint[];
  }

  /** The buy price of the last hour in at most 60 points, evenly apart and oldest first; null where there is none. */
  spark(symbol: MarketSymbol): (string | null)[] {
    const step = Math.max(1, Math.ceil(this.#taken / sparkPointsMax));
    return this.#recorded(symbol, step).map((point) => point?.buy ?? null);
  }

  stop(): void {
    this.#timer.cancel();
  }

  async #sample(): Promise<void> {
    const index = this.#at;
    this.#at = (index + 1) % historyPoints;
    this.#taken = Math.min(historyPoints, this.#taken + 1);
    this.#times[index] = this.#clock.now();
    const symbols = [...this.#book.catalogue.all()];
    this.#forgetDelisted(symbols);
    for (const series of this.#series.values()) series[index] = undefined;
    const ageMs = this.#feedStatus.ageMs(this.#clock.now(), this.#clock.monotonicMs());
    if (ageMs === undefined || ageMs > currentForMs) return;
    for (let start = 0; start < symbols.length; start += marketsPerTurn) {
      if (start > 0) await new Promise<void>((resolve) => this.#clock.after(0, resolve));
      for (const market of symbols.slice(start, start + marketsPerTurn)) this.#take(market, index);
    }
  }

  #take(market: OfferedMarket, index: number): void {
    if (market.status === 'delisted') return;
    const verdict = this.#book.price(market.symbol, this.#clock.now());
    const exchange = this.#book.contents().tickers.get(market.exchangeSymbol);
    if (verdict.kind !== 'priced' || exchange === undefined) return;
    const mid = market.isConverted ? this.#book.rate(market.quote)?.rate.mid : undefined;
    const atMid = (price: string) => (mid === undefined ? price : Big(price).times(mid).toFixed());
    const { buyPrice, sellPrice } = verdict.ticker;
    const prices = [atMid(exchange.bid), atMid(exchange.ask), buyPrice, sellPrice].join(' ');
    const series = this.#seriesOf(market.symbol);
    const before = series[(index - 1 + historyPoints) % historyPoints];
    series[index] = prices === before ? before : prices;
  }

  #seriesOf(symbol: MarketSymbol): Series {
    let series = this.#series.get(symbol);
    if (series === undefined) {
      series = new Array(historyPoints).fill(undefined);
      this.#series.set(symbol, series);
    }
    return series;
  }

  #forgetDelisted(markets: readonly OfferedMarket[]): void {
    const kept = new Set(markets.filter(({ status }) => status !== 'delisted').map(({ symbol }) => symbol));
    for (const symbol of this.#series.keys()) if (!kept.has(symbol)) this.#series.delete(symbol);
  }

  /** Every `step`th point counted from the latest, oldest first. */
  #recorded(symbol: MarketSymbol, step = 1): (PricePoint | undefined)[] {
    const series = this.#series.get(symbol);
    if (series === undefined) return [];
    const points: (PricePoint | undefined)[] = [];
    for (let back = Math.floor((this.#taken - 1) / step) * step; back >= 0; back -= step) {
      const index = (this.#at - 1 - back + historyPoints) % historyPoints;
      const [bid, ask, buy, sell] = series[index]?.split(' ') ?? [];
      const atMs = this.#times[index]!;
      points.push(sell === undefined ? undefined : { atMs, bid: bid!, ask: ask!, buy: buy!, sell });
    }
    return points;
  }
}
