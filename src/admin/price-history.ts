import type { Clock, Timer } from '../clock.ts';
import type { Log } from '../log.ts';
import type { MarketBook } from '../market/market-book.ts';
import type { OfferedMarket } from '../market/market-catalogue.ts';
import type { MarketSymbol } from '../market/symbol.ts';

/** Prices of a market at an instant, as numbers: for drawing only. */
export interface PricePoint {
  readonly atMs: number;
  /** Of the exchange; of a converted market at the mid rate. */
  readonly bid: number;
  readonly ask: number;
  /** Of clients. */
  readonly buy: number;
  readonly sell: number;
}

export const historyEveryMs = 5_000;
export const historyPoints = 720;
const sparkPointsMax = 60;
/** Prices derived in one turn of the event loop, some milliseconds' work. */
const marketsPerTurn = 100;

/** Four series of one market; `NaN` where it had no price. 23 kB. */
interface Series {
  readonly bid: Float64Array;
  readonly ask: Float64Array;
  readonly buy: Float64Array;
  readonly sell: Float64Array;
}

/**
 * The prices of the last hour, taken every 5 seconds: 720 points in a ring of numbers for each market, 23 kB a market (1,200
 * markets: 28 MB), from the first price a market has until it is delisted. Gone with the process.
 */
export class PriceHistory {
  readonly #book: MarketBook;
  readonly #clock: Clock;
  readonly #times = new Float64Array(historyPoints).fill(Number.NaN);
  readonly #series = new Map<MarketSymbol, Series>();
  readonly #timer: Timer;
  /** Where the next point goes. */
  #at = 0;
  /** Points in the ring. */
  #taken = 0;
  #sampling: Promise<void> | undefined;

  constructor(book: MarketBook, clock: Clock, log: Log) {
    this.#book = book;
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

  /** The points after an instant, oldest first; those at which the market had no price are left out. */
  points(symbol: MarketSymbol, sinceMs: number): PricePoint[] {
    const series = this.#series.get(symbol);
    const points: PricePoint[] = [];
    if (series === undefined) return points;
    for (const index of this.#indices()) {
      const atMs = this.#times[index]!;
      const buy = series.buy[index]!;
      if (!(atMs > sinceMs) || Number.isNaN(buy)) continue;
      points.push({ atMs, bid: series.bid[index]!, ask: series.ask[index]!, buy, sell: series.sell[index]! });
    }
    return points;
  }

  /** The buy price of the last hour in at most 60 points, evenly apart and oldest first; the last one is the latest. */
  spark(symbol: MarketSymbol): number[] {
    const series = this.#series.get(symbol);
    const prices: number[] = [];
    if (series === undefined) return prices;
    const step = Math.max(1, Math.ceil(this.#taken / sparkPointsMax));
    for (let back = Math.floor((this.#taken - 1) / step) * step; back >= 0; back -= step) {
      const price = series.buy[(this.#at - 1 - back + historyPoints) % historyPoints]!;
      if (!Number.isNaN(price)) prices.push(price);
    }
    return prices;
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
    for (const series of this.#series.values()) writePoint(series, index, undefined);
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
    const mid = market.isConverted ? Number(this.#book.rate(market.quote)?.rate.mid) : 1;
    writePoint(this.#seriesOf(market.symbol), index, {
      bid: Number(exchange.bid) * mid,
      ask: Number(exchange.ask) * mid,
      buy: Number(verdict.ticker.buyPrice),
      sell: Number(verdict.ticker.sellPrice),
    });
  }

  #seriesOf(symbol: MarketSymbol): Series {
    let series = this.#series.get(symbol);
    if (series === undefined) {
      const empty = () => new Float64Array(historyPoints).fill(Number.NaN);
      series = { bid: empty(), ask: empty(), buy: empty(), sell: empty() };
      this.#series.set(symbol, series);
    }
    return series;
  }

  #forgetDelisted(markets: readonly OfferedMarket[]): void {
    const kept = new Set(markets.filter(({ status }) => status !== 'delisted').map(({ symbol }) => symbol));
    for (const symbol of this.#series.keys()) if (!kept.has(symbol)) this.#series.delete(symbol);
  }

  /** Places in the ring, oldest first. */
  #indices(): number[] {
    return Array.from({ length: historyPoints }, (_, offset) => (this.#at + offset) % historyPoints);
  }
}

function writePoint(series: Series, index: number, prices: Omit<PricePoint, 'atMs'> | undefined): void {
  series.bid[index] = prices?.bid ?? Number.NaN;
  series.ask[index] = prices?.ask ?? Number.NaN;
  series.buy[index] = prices?.buy ?? Number.NaN;
  series.sell[index] = prices?.sell ?? Number.NaN;
}
