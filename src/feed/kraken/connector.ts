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
import { asUpstreamError, UpstreamError } from '../wire.ts';
import { readAssetPairs, readAssets } from './catalogue.ts';
import { KrakenLive } from './live.ts';
import { type AssetNames, PairDirectory } from './names.ts';
import { readCandles, readPolledTickers } from './prices.ts';
import { KrakenRest } from './rest.ts';

/** Beyond this many pairs one request for all of them is shorter than naming each. */
const namedPairsMax = 200;
const candles = {
  hour: { minutes: 60, reachMs: 170 * 3_600_000 },
  minute: { minutes: 1, reachMs: 62 * 60_000 },
} as const;

/** The connector for Kraken's public REST and WebSocket version 2 protocol. */
export class KrakenConnector implements ExchangeConnector {
  readonly id: string;
  readonly #options: ConnectorOptions;
  readonly #rest: KrakenRest;
  readonly #directory = new PairDirectory();
  #assets: AssetNames | undefined;
  /** False once a request was refused for a pair it named, until the next catalogue. */
  #namesPairs = true;

  constructor(options: ConnectorOptions) {
    const { id, clock, urls, requestTimeoutMs: timeoutMs } = options;
    this.id = id;
    this.#options = options;
    this.#rest = new KrakenRest({ clock, baseUrl: urls.rest, timeoutMs });
  }

  async loadCatalogue(signal: AbortSignal): Promise<Catalogue> {
    const [assets, pairs] = await Promise.all([this.#loadAssets(signal), this.#rest.ask('AssetPairs', {}, signal)]);
    const { quotes, symbols } = this.#options;
    const { markets, skipped, names } = readAssetPairs(pairs.result, assets ?? new Map(), { quotes, symbols });
    this.#directory.learn(names);
    this.#namesPairs = true;
    // Without the assets' names a pair can get another symbol.
    return { markets, skipped, isComplete: assets !== undefined };
  }

  async pollTickers(symbols: readonly MarketSymbol[], signal: AbortSignal): Promise<readonly UpstreamTicker[]> {
    const ids = symbols.flatMap((symbol) => this.#directory.bySymbol.get(symbol)?.id ?? []);
    if (ids.length === 0) throw new UpstreamError('unknown_symbol', 'none of the symbols is in the catalogue');
    const asked = new Set<string>(symbols);
    const tickers = await this.#pollIds(ids, signal);
    return tickers.filter((ticker) => asked.has(ticker.symbol));
  }

  async loadCandles(symbol: MarketSymbol, interval: CandleInterval, signal: AbortSignal): Promise<readonly Candle[]> {
    const id = this.#directory.bySymbol.get(symbol)?.id;
    if (id === undefined) throw new UpstreamError('unknown_symbol', 'the symbol is not in the catalogue');
    const { minutes, reachMs } = candles[interval];
    const since = Math.floor((this.#options.clock.now() - reachMs) / 1000);
    const parameters = { pair: id, interval: String(minutes), since: String(since) };
    return readCandles((await this.#rest.ask('OHLC', parameters, signal)).result, id);
  }

  openLive(listener: LiveListener): LiveConnection {
    const { clock, urls, quotes, frameBytesMax } = this.#options;
    return new KrakenLive({ clock, url: urls.ws, directory: this.#directory, quotes, frameBytesMax }, listener);
  }

  /** Pairs carry the assets' ids; the table of legacy ids names them as well if this call fails. */
  async #loadAssets(signal: AbortSignal): Promise<AssetNames | undefined> {
    try {
      this.#assets = readAssets((await this.#rest.ask('Assets', {}, signal)).result);
    } catch (error) {
      if (asUpstreamError(error).kind === 'aborted') throw error;
    }
    return this.#assets;
  }

  async #pollIds(ids: readonly string[], signal: AbortSignal): Promise<readonly UpstreamTicker[]> {
    const isNamed = this.#namesPairs && ids.length <= namedPairsMax;
    try {
      return await this.#askTickers(isNamed ? { pair: ids.join(',') } : {}, signal);
    } catch (error) {
      if (!isNamed || asUpstreamError(error).kind !== 'unknown_symbol') throw error;
      // One delisted pair fails the whole request, so it is repeated without naming any.
      this.#namesPairs = false;
      return this.#askTickers({}, signal);
    }
  }

  async #askTickers(parameters: Record<string, string>, signal: AbortSignal): Promise<readonly UpstreamTicker[]> {
    const answer = await this.#rest.ask('Ticker', parameters, signal);
    return readPolledTickers(answer, this.#directory);
  }
}
