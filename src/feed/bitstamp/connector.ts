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
import { PairDirectory } from '../pair-directory.ts';
import { openLiveSocket } from '../renewed-connection.ts';
import { RestClient } from '../rest-client.ts';
import { UpstreamError } from '../wire.ts';
import { readMarkets } from './catalogue.ts';
import { BitstampLive, bitstampPace } from './live.ts';
import { readCandles, readPolledTickers } from './prices.ts';

/** 3,000 in 10 minutes of the 10,000 that an address has. */
const restPace = { intervalMs: 200, burst: 2, inFlightMax: 4, waitingMax: 64 };
const candles = { hour: { step: '3600', limit: '170' }, minute: { step: '60', limit: '62' } } as const;

/**
 * The connector for Bitstamp. It announces neither maintenance nor a market's state on its channels: both are seen in the
 * catalogue.
 */
export class BitstampConnector implements ExchangeConnector {
  readonly id: string;
  /** States are in the catalogue alone. */
  readonly catalogueReloadMs = 60_000;
  readonly #options: ConnectorOptions;
  readonly #rest: RestClient;
  readonly #directory = new PairDirectory();

  constructor(options: ConnectorOptions) {
    const { id, clock, urls, requestTimeoutMs: timeoutMs } = options;
    this.id = id;
    this.#options = options;
    this.#rest = new RestClient({ clock, baseUrl: urls.rest, timeoutMs, pace: restPace });
  }

  async loadCatalogue(signal: AbortSignal): Promise<Catalogue> {
    const { result } = await this.#rest.ask({ path: '/api/v2/markets/', timeoutFactor: 3, parse: 'plain' }, signal);
    const { markets, skipped, names } = readMarkets(result, this.#options);
    this.#directory.learn(names);
    return { markets, skipped, isComplete: true };
  }

  async pollTickers(symbols: readonly MarketSymbol[], signal: AbortSignal): Promise<readonly UpstreamTicker[]> {
    const asked = new Set(symbols.filter((symbol) => this.#directory.bySymbol.has(symbol)));
    if (asked.size === 0) throw new UpstreamError('unknown_symbol', 'none of the symbols is in the catalogue');
    return (await this.#loadTickers(signal)).filter((ticker) => asked.has(ticker.symbol));
  }

  async loadCandles(symbol: MarketSymbol, interval: CandleInterval, signal: AbortSignal): Promise<readonly Candle[]> {
    const id = this.#directory.bySymbol.get(symbol)?.id;
    if (id === undefined) throw new UpstreamError('unknown_symbol', 'the symbol is not in the catalogue');
    const call = { path: `/api/v2/ohlc/${encodeURIComponent(id)}/`, parameters: candles[interval] };
    return readCandles((await this.#rest.ask({ ...call, priority: 'background', parse: 'plain' }, signal)).result);
  }

  openLive(listener: LiveListener): LiveConnection {
    const { clock, urls, frameBytesMax } = this.#options;
    const loadTickers = (signal: AbortSignal) => this.#loadTickers(signal);
    const options = { clock, directory: this.#directory, loadTickers };
    const protocol = (channel: LiveChannel) => new BitstampLive(options, channel);
    return openLiveSocket({ clock, url: urls.ws, frameBytesMax, pace: bitstampPace, protocol }, listener);
  }

  async #loadTickers(signal: AbortSignal): Promise<UpstreamTicker[]> {
    return readPolledTickers(
      await this.#rest.ask({ path: '/api/v2/ticker/', parse: 'plain' }, signal),
      this.#directory,
    );
  }
}
