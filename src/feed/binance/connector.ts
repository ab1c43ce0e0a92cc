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
import { type LiveChannel, LiveSocket } from '../live-socket.ts';
import { PairDirectory } from '../pair-directory.ts';
import { RenewedConnection } from '../renewed-connection.ts';
import { type RestAnswer, RestClient } from '../rest-client.ts';
import { SplitConnection } from '../split-connection.ts';
import { asUpstreamError, UpstreamError } from '../wire.ts';
import { readExchangeInfo } from './catalogue.ts';
import { BinanceLive, binancePace, lifetimeMs, symbolsOfConnectionMax } from './live.ts';
import { readCandles, readPolledTickers } from './prices.ts';

/** In Binance's own weights: 2,400 a minute of the 6,000 that an address has, which others may share. */
const restPace = { intervalMs: 25, burst: 80, inFlightMax: 4, waitingMax: 64 };
const weights = { exchangeInfo: 20, klines: 2, tickersOfFew: 2, tickersOfSome: 40, tickersOfAll: 80 };
/** `ticker/24hr` for these many symbols costs `tickersOfFew` and `tickersOfSome`; for more it costs as much as for all. */
const fewMax = 20;
const someMax = 100;

const candles = { hour: { interval: '1h', limit: '170' }, minute: { interval: '1m', limit: '62' } } as const;

/**
 * The connector for Binance spot, on the addresses that serve market data only. Binance announces neither maintenance nor
 * a market's state on its streams: both are seen in the catalogue.
 */
export class BinanceConnector implements ExchangeConnector {
  readonly id: string;
  /** States are in the catalogue alone. */
  readonly catalogueReloadMs = 60_000;
  readonly #options: ConnectorOptions;
  readonly #rest: RestClient;
  readonly #directory = new PairDirectory();
  /** False once a request that named symbols was refused, until the next catalogue. */
  #namesSymbols = true;

  constructor(options: ConnectorOptions) {
    const { id, clock, urls, requestTimeoutMs: timeoutMs } = options;
    this.id = id;
    this.#options = options;
    this.#rest = new RestClient({ clock, baseUrl: urls.rest, timeoutMs, pace: restPace });
  }

  async loadCatalogue(signal: AbortSignal): Promise<Catalogue> {
    const { result } = await this.#rest.ask(
      {
        path: '/api/v3/exchangeInfo',
        parameters: { permissions: 'SPOT' },
        weight: weights.exchangeInfo,
        timeoutFactor: 3,
        parse: 'plain',
      },
      signal,
    );
    const { markets, skipped, names } = readExchangeInfo(result, this.#options);
    this.#directory.learn(names);
    this.#namesSymbols = true;
    return { markets, skipped, isComplete: true };
  }

  async pollTickers(symbols: readonly MarketSymbol[], signal: AbortSignal): Promise<readonly UpstreamTicker[]> {
    const ids = symbols.flatMap((symbol) => this.#directory.bySymbol.get(symbol)?.id ?? []);
    if (ids.length === 0) throw new UpstreamError('unknown_symbol', 'none of the symbols is in the catalogue');
    const asked = new Set<string>(symbols);
    const tickers = readPolledTickers(await this.#pollIds(ids, signal), this.#directory);
    return tickers.filter((ticker) => asked.has(ticker.symbol));
  }

  async loadCandles(symbol: MarketSymbol, interval: CandleInterval, signal: AbortSignal): Promise<readonly Candle[]> {
    const id = this.#directory.bySymbol.get(symbol)?.id;
    if (id === undefined) throw new UpstreamError('unknown_symbol', 'the symbol is not in the catalogue');
    const parameters = { symbol: id, ...candles[interval] };
    const call = { path: '/api/v3/klines', parameters, priority: 'background', weight: weights.klines } as const;
    return readCandles((await this.#rest.ask({ ...call, parse: 'plain' }, signal)).result);
  }

  openLive(listener: LiveListener): LiveConnection {
    const { clock, urls, frameBytesMax } = this.#options;
    const updates = new Map<MarketSymbol, number>();
    const protocol = (channel: LiveChannel) => new BinanceLive({ clock, directory: this.#directory, updates }, channel);
    const socket = { clock, url: urls.ws, frameBytesMax, pace: binancePace, protocol };
    return new RenewedConnection(
      (events, ending) =>
        new SplitConnection((part) => new LiveSocket(socket, part, ending), symbolsOfConnectionMax, events),
      { clock, lifetimeMs },
      listener,
    );
  }

  async #pollIds(ids: readonly string[], signal: AbortSignal): Promise<RestAnswer> {
    const isNamed = this.#namesSymbols && ids.length <= someMax;
    try {
      return await this.#askTickers(isNamed ? ids : undefined, signal);
    } catch (error) {
      if (!isNamed || asUpstreamError(error).kind !== 'status') throw error;
      // One delisted symbol fails the whole request, with a status of 400: it is repeated without naming any.
      this.#namesSymbols = false;
      return this.#askTickers(undefined, signal);
    }
  }

  #askTickers(ids: readonly string[] | undefined, signal: AbortSignal): Promise<RestAnswer> {
    const path = '/api/v3/ticker/24hr';
    if (ids === undefined) return this.#rest.ask({ path, weight: weights.tickersOfAll, parse: 'plain' }, signal);
    const parameters = { symbols: JSON.stringify(ids) };
    const weight = ids.length <= fewMax ? weights.tickersOfFew : weights.tickersOfSome;
    return this.#rest.ask({ path, parameters, weight, parse: 'plain' }, signal);
  }
}
