import type { Clock, EpochMs } from '../ground/clock.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import type { UpstreamTicker } from '../market/upstream.ts';
import type { TickerArrival } from './rest-answers.ts';
import type { BestPrices } from './top-of-book.ts';

export type Statistics = Pick<
  UpstreamTicker,
  'last' | 'high24h' | 'low24h' | 'volume24h' | 'vwap24h' | 'priceChangePercent24h'
>;

/** Best prices, the exchange's own time of them, and their arrival. */
export type DatedPrices = BestPrices & Pick<UpstreamTicker, 'upstreamTime'> & TickerArrival;

const never = Number.NEGATIVE_INFINITY;
/** Values over a sliding window of 24 hours are out of date after this long. */
const statisticsValidForMs = 300_000;
/** Unchanged prices that the exchange confirms are emitted again this often. */
const confirmEveryMs = 1_000;

/** The state of one market. Instants are monotonic. */
class Known {
  prices: DatedPrices | undefined;
  statistics: Statistics | undefined;
  statisticsAtMs = never;
  emitted: DatedPrices | undefined;
  emittedAtMs = never;
}

/**
 * Makes whole tickers for exchanges that send best prices and statistics apart, each at its own time. A ticker is
 * emitted when the best prices change, and once a second while the exchange confirms unchanged ones. Its time is that
 * of the best prices. Statistics older than five minutes keep the market priced, without the optional fields.
 */
export class TickerAssembler {
  readonly #clock: Clock;
  readonly #onOldStatistics: () => void;
  readonly #markets = new Map<MarketSymbol, Known>();

  /** `onOldStatistics` is called for each ticker that went out without its optional fields. */
  constructor(clock: Clock, onOldStatistics: () => void = () => undefined) {
    this.#clock = clock;
    this.#onOldStatistics = onOldStatistics;
  }

  /** Notes best prices, changed or confirmed. Returns the ticker that they make, when one is due. */
  prices(symbol: MarketSymbol, prices: DatedPrices): UpstreamTicker | undefined {
    const known = this.#market(symbol);
    known.prices = prices;
    const isSame = prices.bid === known.emitted?.bid && prices.ask === known.emitted?.ask;
    const isRecent = this.#clock.monotonicMs() - known.emittedAtMs < confirmEveryMs;
    return isSame && isRecent ? undefined : this.#emit(symbol, known);
  }

  /** The last prices are still current at this instant. */
  confirmed(symbol: MarketSymbol, upstreamTime: EpochMs | undefined, receivedAt: EpochMs): UpstreamTicker | undefined {
    const known = this.#markets.get(symbol)?.prices;
    if (known === undefined) return undefined;
    return this.prices(symbol, { ...known, upstreamTime, askedAt: receivedAt, receivedAt });
  }

  /**
   * Notes statistics, of which a whole ticker may be the source. Returns the market's first ticker when the best prices
   * were there before them.
   */
  statistics(symbol: MarketSymbol, statistics: Statistics): UpstreamTicker | undefined {
    const known = this.#market(symbol);
    known.statistics = statistics;
    known.statisticsAtMs = this.#clock.monotonicMs();
    return known.emitted === undefined && known.prices !== undefined ? this.#emit(symbol, known) : undefined;
  }

  /** Milliseconds since the statistics arrived; `Infinity` when there are none. */
  statisticsAgeMs(symbol: MarketSymbol): number {
    return this.#clock.monotonicMs() - (this.#markets.get(symbol)?.statisticsAtMs ?? never);
  }

  /** Drops the best prices, which nothing confirms any longer. The statistics stay. */
  dropPrices(symbol: MarketSymbol): void {
    const known = this.#markets.get(symbol);
    if (known === undefined) return;
    known.prices = undefined;
    known.emitted = undefined;
  }

  #market(symbol: MarketSymbol): Known {
    return this.#markets.getOrInsertComputed(symbol, () => new Known());
  }

  #emit(symbol: MarketSymbol, known: Known): UpstreamTicker | undefined {
    const { prices, statistics } = known;
    if (prices === undefined || statistics === undefined) return undefined;
    known.emitted = prices;
    known.emittedAtMs = this.#clock.monotonicMs();
    const isOld = known.emittedAtMs - known.statisticsAtMs > statisticsValidForMs;
    if (isOld) this.#onOldStatistics();
    const optional = isOld ? { vwap24h: undefined, priceChangePercent24h: undefined } : {};
    return { ...statistics, ...prices, ...optional, symbol };
  }
}
