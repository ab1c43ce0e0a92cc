import type { EpochMs } from '../../ground/clock.ts';
import type { MarketSymbol } from '../../market/symbol.ts';
import type { ListedStatus, MarketTerms } from '../../market/upstream.ts';
import type { CandleInterval, LiveListener } from '../connector.ts';
import { ConnectorBase } from '../connector-base.ts';
import { type FrameReaders, LiveProtocol, type SocketTraits } from '../live-protocol.ts';
import { asStep, type ListedPair, listedPairs, type StateTable, type Step, statusIn } from '../market-listing.ts';
import { readCandleRows, readCommonValues, readPolled, type TickerValues } from '../rest-answers.ts';
import type { Statistics } from '../ticker-assembler.ts';
import type { BestPrices } from '../top-of-book.ts';
import { asCount, asDecimal, asEpoch, asList, asObject, asText, required, type WireObject } from '../wire.ts';
import { binanceRefusals } from './refusals.ts';

const weights = { exchangeInfo: 20, klines: 2, tickersOfFew: 2, tickersOfSome: 40, tickersOfAll: 80 };
/**
 * `ticker/24hr` for these many symbols costs `tickersOfFew` and `tickersOfSome`; for more it costs as much as for all.
 */
const fewMax = 20;
const someMax = 100;
const candles = { hour: { interval: '1h', limit: '170' }, minute: { interval: '1m', limit: '62' } } as const;

/**
 * The connector for Binance spot, on the addresses that serve market data only. Its streams carry
 * neither maintenance nor the state of a market: both are taken from the catalogue.
 */
export class BinanceConnector extends ConnectorBase {
  readonly catalogueReloadMs = 60_000;
  /** The newest update of each market's book. Shared by a connection and its successor, which both send it. */
  readonly #updates = new Map<MarketSymbol, number>();

  protected readonly refusals = binanceRefusals;
  protected readonly requests = {
    // In Binance's own weights: 2,400 a minute of the 6,000 that an address has, which others may share.
    pace: { intervalMs: 25, burst: 80 },
  };
  protected readonly listing = {
    path: '/api/v3/exchangeInfo',
    parameters: { permissions: 'SPOT' },
    weight: weights.exchangeInfo,
    read: readExchangeInfo,
  };

  async loadCandles(symbol: MarketSymbol, interval: CandleInterval, signal: AbortSignal) {
    const parameters = { symbol: this.idOf(symbol), ...candles[interval] };
    const call = { path: '/api/v3/klines', parameters, weight: weights.klines };
    return readCandleRows(await this.askCandles(call, signal));
  }

  openLive(listener: LiveListener) {
    return this.openSocket(listener, binanceSocket, (...live) => new BinanceLive(...live, this.#updates));
  }

  /** One delisted symbol fails a request that names it. */
  protected loadTickers(symbols: readonly MarketSymbol[], signal: AbortSignal) {
    const ask = (ids: readonly string[] | undefined) => {
      const path = '/api/v3/ticker/24hr';
      if (ids === undefined) return this.rest.ask({ path, weight: weights.tickersOfAll }, signal);
      const weight = ids.length <= fewMax ? weights.tickersOfFew : weights.tickersOfSome;
      return this.rest.ask({ path, parameters: { symbols: JSON.stringify(ids) }, weight }, signal);
    };
    return this.pollByName(symbols, someMax, ask, (answer) =>
      readPolled(answer, this.directory, readPolledTicker, ({ symbol }) => symbol),
    );
  }
}

export const binanceSocket: SocketTraits = {
  refusals: binanceRefusals,
  /**
   * Binance closes a connection that sends more than 5 messages a second, pings and pongs included. Those are
   * sent outside the pace: at most 2 a second, even when a server asks for a pong.
   */
  pace: { intervalMs: 350, burst: 1 },
  /** A frame is one event, of half a kilobyte. */
  frameBytesMax: 1_048_576,
  /** Every connection ends after 24 hours. */
  lifetimeMs: (24 * 60 - 10) * 60_000,
  /** Two streams each; a connection takes 1,024 streams. */
  symbolsMax: 500,
  /** 300 connections in 5 minutes are allowed. */
  openingPace: { intervalMs: 2_000, burst: 10 },
  acknowledges: 'none',
  batchMax: 100,
};

/**
 * For so long after a change of the book the best prices of `ticker` are not used: it is sent once a second and can be
 * from before that.
 */
const tickerLagMs = 2_000;

/**
 * Binance's market streams: `bookTicker` with each change of the best prices, `ticker` once a second with the
 * statistics of the rolling day. `bookTicker` is silent until the book changes, and carries no time; until then, and
 * while the book is quiet, the best prices of `ticker` are used.
 */
export class BinanceLive extends LiveProtocol<Map<MarketSymbol, number>> {
  readonly #updates = this.context;
  /** When each market's book last changed. Monotonic. */
  readonly #bookAtMs = new Map<MarketSymbol, number>();
  /**
   * The time of each market's newest `ticker` event. The market room cannot order it among book changes without a time.
   */
  readonly #tickerTimes = new Map<MarketSymbol, EpochMs>();

  override unsubscribe(symbols: readonly MarketSymbol[]): void {
    for (const symbol of symbols) this.#updates.delete(symbol);
    super.unsubscribe(symbols);
  }

  protected readonly readers: FrameReaders = {
    serverShutdown: () => this.channel.emit({ type: 'ending', detail: 'serverShutdown' }),
    '24hrTicker': (event) => this.#ticker(event),
    bookTicker: (event) => this.#bookTicker(event),
    answer: (frame) => this.#answered(frame),
  };

  /** Answers and changes of the book do not name their kind. */
  protected kindOf({ e, u, id, code }: WireObject): unknown {
    if (e === undefined && u !== undefined) return 'bookTicker';
    return e ?? (id !== undefined || code !== undefined ? 'answer' : undefined);
  }

  /** An event is in a frame of its stream, or a frame by itself. */
  protected override parse(text: string): unknown {
    const frame = asObject(super.parse(text));
    return asObject(frame?.data) ?? frame;
  }

  protected request(method: string, names: readonly string[], id: number): object {
    const params = names.flatMap((name) => [`${name}@ticker`, `${name}@bookTicker`]);
    return { method: method.toUpperCase(), params, id };
  }

  /** `result` is null for every stream name, known or not: only errors are of use. */
  #answered(frame: WireObject): void {
    if (frame.code === undefined && frame.error === undefined) return;
    const request = asCount(frame.id, Number.MAX_SAFE_INTEGER);
    const refusal = this.refusalIn(frame);
    if (request === undefined) this.dropped('unknown_kind');
    else this.subscriptions.refusedRequest(refusal, request);
  }

  #ticker(event: WireObject): void {
    const symbol = this.#symbolOfEvent(event);
    if (symbol === undefined) return;
    const upstreamTime = asEpoch(event.E);
    if (upstreamTime !== undefined) {
      if (upstreamTime < (this.#tickerTimes.get(symbol) ?? 0)) {
        this.dropped('late');
        return;
      }
      this.#tickerTimes.set(symbol, upstreamTime);
    }
    this.emitTicker(this.assembler.statistics(symbol, readStatistics(event)));
    const bookAgeMs = this.clock.monotonicMs() - (this.#bookAtMs.get(symbol) ?? Number.NEGATIVE_INFINITY);
    if (bookAgeMs >= tickerLagMs) this.#bestPrices(symbol, event, upstreamTime);
  }

  #bookTicker(event: WireObject): void {
    const symbol = this.#symbolOfEvent(event);
    if (symbol === undefined) return;
    const update = asCount(event.u, Number.MAX_SAFE_INTEGER);
    if (update === undefined || update < (this.#updates.get(symbol) ?? 0)) {
      this.dropped(update === undefined ? 'malformed' : 'late');
      return;
    }
    this.#updates.set(symbol, update);
    this.#bookAtMs.set(symbol, this.clock.monotonicMs());
    this.#bestPrices(symbol, event, undefined);
  }

  #bestPrices(symbol: MarketSymbol, event: WireObject, upstreamTime: EpochMs | undefined): void {
    this.emitTicker(this.assembler.prices(symbol, { ...readBestPrices(event), upstreamTime, ...this.arrival() }));
  }

  #symbolOfEvent(event: WireObject): MarketSymbol | undefined {
    const symbol = this.directory.byId.get(asText(event.s) ?? '')?.symbol;
    if (symbol === undefined) this.dropped('unknown_symbol');
    else this.subscriptions.accepted(symbol);
    return symbol;
  }
}

/** Delisted symbols stay in the list for years as `BREAK`, which is also the state of all in a maintenance. */
export const symbolStates = {
  TRADING: 'trading',
  PRE_TRADING: 'paused',
  POST_TRADING: 'paused',
  END_OF_DAY: 'paused',
  HALT: 'paused',
  AUCTION_MATCH: 'paused',
  CANCEL_ONLY: 'paused',
  BREAK: 'ended',
} as const satisfies StateTable;

/** Reads the answer of `exchangeInfo`. Binance also lists assets whose names are not in ASCII. */
export function readExchangeInfo(result: unknown): ListedPair[] {
  const names = ['symbol', 'baseAsset', 'quoteAsset'] as const;
  const pairs = listedPairs(asObject(result)?.symbols, 'symbols', names, symbolStatus, readTerms);
  // The names of streams are in lower case.
  return pairs.map((pair) => ({ ...pair, liveName: pair.id?.toLowerCase() }));
}

function symbolStatus({ status, isSpotTradingAllowed }: WireObject): ListedStatus {
  const own = statusIn(symbolStates, status);
  return own === 'trading' && isSpotTradingAllowed === false ? 'paused' : own;
}

function readTerms(entry: WireObject): MarketTerms {
  const tick = requireFilter(entry, 'PRICE_FILTER', 'tickSize');
  const value = filterOf(entry, 'NOTIONAL') ?? filterOf(entry, 'MIN_NOTIONAL');
  return {
    pricePrecision: tick.places,
    amountPrecision: requireFilter(entry, 'LOT_SIZE', 'stepSize').places,
    tickSize: tick.size,
    minOrderSize: requireFilter(entry, 'LOT_SIZE', 'minQty').size,
    minOrderValue: asStep(value?.minNotional)?.size,
  };
}

/** In a filter 0 means that the rule is off: the value itself is then unknown. */
function requireFilter(entry: WireObject, type: string, member: string): Step {
  return required(asStep(filterOf(entry, type)?.[member]), `${type} has no ${member} above 0`);
}

function filterOf(entry: WireObject, type: string): WireObject | undefined {
  const filters = asList(entry.filters) ?? [];
  return filters.map(asObject).find((filter) => filter?.filterType === type);
}

/** The best prices of a `bookTicker` or `24hrTicker` event, which name them alike. */
export function readBestPrices(event: WireObject): BestPrices {
  return { bid: asDecimal(event.b), ask: asDecimal(event.a) };
}

/** The statistics of a `24hrTicker` event, over a rolling 24 hours. */
export function readStatistics({ c: last, h: high, l: low, v: volume, w: vwap, P: change }: WireObject): Statistics {
  return { ...readCommonValues({ last, high, low, volume, vwap }), priceChangePercent24h: asDecimal(change) };
}

/**
 * Reads one entry of `ticker/24hr`. `closeTime` ends the window of its statistics, and need not be that of the best
 * prices: they carry no time.
 */
export function readPolledTicker(entry: WireObject): TickerValues {
  const { bidPrice: b, askPrice: a, lastPrice: c, highPrice: h, lowPrice: l, volume: v, weightedAvgPrice: w } = entry;
  const statistics = readStatistics({ c, h, l, v, w, P: entry.priceChangePercent });
  return { ...statistics, ...readBestPrices({ b, a }), upstreamTime: undefined };
}
