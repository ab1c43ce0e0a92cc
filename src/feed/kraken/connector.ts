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
import { type RestAnswer, RestClient } from '../rest-client.ts';
import { asList, asObject, asUpstreamError, UpstreamError } from '../wire.ts';
import { readAssetPairs, readAssets } from './catalogue.ts';
import { KrakenLive, krakenPace } from './live.ts';
import type { AssetNames } from './names.ts';
import { readCandles, readPolledTickers } from './prices.ts';

const calls = {
  Assets: { parse: 'plain' },
  AssetPairs: { parse: 'plain', timeoutFactor: 3 },
  Ticker: {},
  OHLC: { priority: 'background' },
} as const;

/** About one request a second. */
const restPace = { intervalMs: 1_000, burst: 2, inFlightMax: 4, waitingMax: 64 };
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
  readonly #rest: RestClient;
  readonly #directory = new PairDirectory();
  #assets: AssetNames | undefined;
  /** False once a request was refused for a pair it named, until the next catalogue. */
  #namesPairs = true;

  constructor(options: ConnectorOptions) {
    const { id, clock, urls, requestTimeoutMs: timeoutMs } = options;
    this.id = id;
    this.#options = options;
    this.#rest = new RestClient({ clock, baseUrl: urls.rest, timeoutMs, pace: restPace, unwrap: readEnvelope });
  }

  async loadCatalogue(signal: AbortSignal): Promise<Catalogue> {
    const [assets, pairs] = await Promise.all([this.#loadAssets(signal), this.#ask('AssetPairs', {}, signal)]);
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
    return readCandles((await this.#ask('OHLC', parameters, signal)).result, id);
  }

  openLive(listener: LiveListener): LiveConnection {
    const { clock, urls, quotes, frameBytesMax } = this.#options;
    const protocol = (channel: LiveChannel) => new KrakenLive({ clock, directory: this.#directory, quotes }, channel);
    return openLiveSocket({ clock, url: urls.ws, frameBytesMax, pace: krakenPace, protocol }, listener);
  }

  #ask(call: keyof typeof calls, parameters: Record<string, string>, signal: AbortSignal): Promise<RestAnswer> {
    return this.#rest.ask({ path: `/0/public/${call}`, parameters, ...calls[call] }, signal);
  }

  /** Pairs carry the assets' ids; the table of legacy ids names them as well if this call fails. */
  async #loadAssets(signal: AbortSignal): Promise<AssetNames | undefined> {
    try {
      this.#assets = readAssets((await this.#ask('Assets', {}, signal)).result);
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
    const answer = await this.#ask('Ticker', parameters, signal);
    return readPolledTickers(answer, this.#directory);
  }
}

/** Takes `result` out of `{error, result}`. The HTTP status is 200 even when `error` is filled. */
function readEnvelope(body: unknown): unknown {
  const envelope = asObject(body);
  const errors = asList(envelope?.error);
  if (envelope === undefined || errors === undefined) throw new UpstreamError('malformed', 'no error member');
  // A leading W marks a warning beside a valid result.
  const error = errors.find((entry) => typeof entry !== 'string' || !entry.startsWith('W'));
  if (error === undefined) return envelope.result;
  throw refusal(typeof error === 'string' ? error.slice(0, 100) : 'unreadable error');
}

function refusal(error: string): UpstreamError {
  if (/too many requests|rate limit/i.test(error)) return new UpstreamError('rate_limited', error);
  if (/unknown asset pair/i.test(error)) return new UpstreamError('unknown_symbol', error);
  return new UpstreamError('refused', error);
}
