import type { EpochMs } from '../../clock.ts';
import type { MarketSymbol } from '../../market/symbol.ts';
import type { UpstreamTicker } from '../../market/upstream.ts';
import type {
  Candle,
  CandleInterval,
  Catalogue,
  ConnectorOptions,
  ExchangeConnector,
  LiveConnection,
  LiveListener,
} from '../connector.ts';
import type { LiveChannel } from '../live-socket.ts';
import { selectMarkets } from '../market-listing.ts';
import { PairDirectory } from '../pair-directory.ts';
import { openLiveSocket } from '../renewed-connection.ts';
import { type RestCall, RestClient } from '../rest-client.ts';
import { type Statistics, TickerAssembler } from '../ticker-assembler.ts';
import { UpstreamError } from '../wire.ts';
import { CoinbaseLive, coinbasePace } from './live.ts';
import { readCandles, readPolledPrices, readProducts, readStats } from './messages.ts';

/** 8 of the 10 requests a second that an address has. */
const restPace = { intervalMs: 125, burst: 10, inFlightMax: 4, waitingMax: 64 };
/** Products in one poll: there is no request for all, so that each poll asks for those that waited longest. */
const polledAtOnce = 8;
/** Statistics of polled products are asked for again after this long. */
const statisticsForMs = 60_000;
const candles = { hour: { seconds: 3_600, count: 170 }, minute: { seconds: 60, count: 62 } } as const;

/** The connector for Coinbase Exchange's public REST and WebSocket feed (not Advanced Trade). */
export class CoinbaseConnector implements ExchangeConnector {
  readonly id: string;
  readonly #options: ConnectorOptions;
  readonly #rest: RestClient;
  readonly #directory = new PairDirectory();
  readonly #polled: TickerAssembler;
  readonly #polledAtMs = new Map<MarketSymbol, number>();
  readonly #tradedAt = new Map<MarketSymbol, EpochMs>();

  constructor(options: ConnectorOptions) {
    const { id, clock, urls, requestTimeoutMs: timeoutMs } = options;
    this.id = id;
    this.#options = options;
    this.#polled = new TickerAssembler(clock);
    this.#rest = new RestClient({ clock, baseUrl: urls.rest, timeoutMs, pace: restPace });
  }

  async loadCatalogue(signal: AbortSignal): Promise<Catalogue> {
    const { result } = await this.#rest.ask({ path: '/products', parse: 'plain', timeoutFactor: 3 }, signal);
    const { markets, skipped, names } = selectMarkets(readProducts(result), this.#options);
    this.#directory.learn(names);
    return { markets, skipped, isComplete: true };
  }

  /** At most eight at a time: those that were polled longest ago. */
  async pollTickers(symbols: readonly MarketSymbol[], signal: AbortSignal): Promise<readonly UpstreamTicker[]> {
    const known = symbols.filter((symbol) => this.#directory.bySymbol.has(symbol));
    if (known.length === 0) throw new UpstreamError('unknown_symbol', 'none of the symbols is in the catalogue');
    const polledAt = (symbol: MarketSymbol) => this.#polledAtMs.get(symbol) ?? -1;
    const turn = known.toSorted((one, other) => polledAt(one) - polledAt(other)).slice(0, polledAtOnce);
    const outcomes = await Promise.allSettled(turn.map((symbol) => this.#poll(symbol, signal)));
    const answered = outcomes.filter((outcome) => outcome.status === 'fulfilled');
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (answered.length === 0 && failed !== undefined) throw failed.reason;
    return answered.flatMap(({ value }) => value ?? []);
  }

  async loadCandles(symbol: MarketSymbol, interval: CandleInterval, signal: AbortSignal): Promise<readonly Candle[]> {
    const { seconds, count } = candles[interval];
    const end = Math.floor(this.#options.clock.now() / 1000);
    const parameters = {
      granularity: String(seconds),
      start: new Date((end - seconds * count) * 1000).toISOString(),
      end: new Date(end * 1000).toISOString(),
    };
    const { result } = await this.#ask(symbol, 'candles', { parameters, priority: 'background' }, signal);
    return readCandles(result);
  }

  openLive(listener: LiveListener): LiveConnection {
    const { clock, urls, quotes, frameBytesMax } = this.#options;
    const loadStatistics = (symbol: MarketSymbol, signal: AbortSignal) => this.#statistics(symbol, signal);
    const parts = { clock, directory: this.#directory, quotes, loadStatistics };
    const protocol = (channel: LiveChannel) => new CoinbaseLive(parts, channel);
    return openLiveSocket({ clock, url: urls.ws, frameBytesMax, pace: coinbasePace, protocol }, listener);
  }

  #ask(symbol: MarketSymbol, call: string, how: Partial<RestCall>, signal: AbortSignal) {
    const id = this.#directory.bySymbol.get(symbol)?.id;
    if (id === undefined) throw new UpstreamError('unknown_symbol', 'the symbol is not in the catalogue');
    return this.#rest.ask({ path: `/products/${id}/${call}`, ...how }, signal);
  }

  async #statistics(symbol: MarketSymbol, signal: AbortSignal): Promise<Statistics | undefined> {
    try {
      return readStats((await this.#ask(symbol, 'stats', { priority: 'background' }, signal)).result);
    } catch {
      return undefined;
    }
  }

  /**
   * The time in the answer is that of the last trade, not that of the prices. It tells an answer from a cache, which this
   * call has served for hours: a trade before the last known one cannot be the last.
   */
  async #poll(symbol: MarketSymbol, signal: AbortSignal): Promise<UpstreamTicker | undefined> {
    this.#polledAtMs.set(symbol, this.#options.clock.monotonicMs());
    if (this.#polled.statisticsAgeMs(symbol) > statisticsForMs) {
      this.#polled.statistics(symbol, readStats((await this.#ask(symbol, 'stats', {}, signal)).result));
    }
    const { result, ...times } = await this.#ask(symbol, 'ticker', {}, signal);
    const { tradedAt, ...best } = readPolledPrices(result);
    const known = this.#tradedAt.get(symbol);
    if (tradedAt !== undefined && known !== undefined && tradedAt < known) return undefined;
    if (tradedAt !== undefined) this.#tradedAt.set(symbol, tradedAt);
    this.#polled.pricesLost(symbol);
    return this.#polled.prices(symbol, { ...best, ...times, upstreamTime: undefined, path: 'fallback' });
  }
}
