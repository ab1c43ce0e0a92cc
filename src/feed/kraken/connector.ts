import type { Clock } from '../../clock.ts';
import type { CurrencyCode, MarketSymbol } from '../../market/symbol.ts';
import type { UpstreamTicker } from '../../market/upstream.ts';
import type {
  Candle,
  CandleInterval,
  Catalogue,
  ExchangeConnector,
  LiveConnection,
  LiveListener,
} from '../connector.ts';
import { asUpstreamError, UpstreamError } from '../upstream-error.ts';
import { readAssetPairs, readAssets } from './catalogue.ts';
import { KrakenLive } from './live.ts';
import type { AssetNames } from './names.ts';
import { PairDirectory } from './names.ts';
import { readCandles } from './ohlc.ts';
import { KrakenRest } from './rest.ts';
import { readPolledTickers } from './ticker.ts';

export interface KrakenOptions {
  readonly clock: Clock;
  /** Without a path: `https://api.kraken.com`. */
  readonly restUrl: string;
  /** With its path: `wss://ws.kraken.com/v2`. */
  readonly liveUrl: string;
  /** Quote currencies whose pairs become markets. */
  readonly quotes: readonly CurrencyCode[];
  /** Which of them; `all` by default. */
  readonly symbols?: 'all' | readonly MarketSymbol[];
  /** The mean distance between two REST requests; 1,000 by default. */
  readonly requestIntervalMs?: number;
  /** How long one REST answer may take; 5,000 by default, three times that for the catalogue. */
  readonly requestTimeoutMs?: number;
  readonly connectTimeoutMs?: number;
  /** A larger frame ends the connection; 4 MiB by default: the `instrument` snapshot is about half a megabyte. */
  readonly frameBytesMax?: number;
  /** How long the exchange has to answer a subscription; 10,000 by default. */
  readonly answerWithinMs?: number;
}

/** Beyond this many pairs one question for all of them is shorter than naming each. */
const namedPairsMax = 200;
const bodyBytesMax = 16 * 1024 * 1024;
const minutes = { hour: 60, minute: 1 } as const;
const candleReachMs = { hour: 170 * 3_600_000, minute: 62 * 60_000 } as const;

/** The connector for Kraken's public REST and WebSocket version 2 protocol. */
export class KrakenConnector implements ExchangeConnector {
  readonly id = 'kraken';
  readonly #options: KrakenOptions;
  readonly #timeoutMs: number;
  readonly #rest: KrakenRest;
  readonly #directory = new PairDirectory();
  #assets: AssetNames = new Map();
  /** False once a question was refused for a pair it named, until the next catalogue. */
  #namePairs = true;

  constructor(options: KrakenOptions) {
    this.#options = options;
    this.#timeoutMs = options.requestTimeoutMs ?? 5_000;
    this.#rest = new KrakenRest({
      clock: options.clock,
      baseUrl: options.restUrl,
      intervalMs: options.requestIntervalMs ?? 1_000,
      bodyBytesMax,
    });
  }

  async loadCatalogue(signal: AbortSignal): Promise<Catalogue> {
    const [assets, pairs] = await Promise.all([
      this.#loadAssets(signal),
      this.#rest.ask(this.#question('AssetPairs', {}, this.#timeoutMs * 3), signal),
    ]);
    const { quotes, symbols } = this.#options;
    const read = readAssetPairs(pairs.result, assets, { quotes, symbols: symbols ?? 'all' });
    this.#directory.learn(read.names);
    this.#namePairs = true;
    return { markets: read.markets, skipped: read.skipped };
  }

  async pollTickers(symbols: readonly MarketSymbol[], signal: AbortSignal): Promise<readonly UpstreamTicker[]> {
    const ids = symbols.flatMap((symbol) => this.#directory.bySymbol(symbol)?.id ?? []);
    if (ids.length === 0) throw new UpstreamError('unknown_symbol', 'none of the symbols is in the catalogue');
    const asked = new Set<string>(symbols);
    const tickers = await this.#pollIds(ids, signal);
    return tickers.filter((ticker) => asked.has(ticker.symbol));
  }

  async loadCandles(symbol: MarketSymbol, interval: CandleInterval, signal: AbortSignal): Promise<readonly Candle[]> {
    const id = this.#directory.bySymbol(symbol)?.id;
    if (id === undefined) throw new UpstreamError('unknown_symbol', 'the symbol is not in the catalogue');
    const since = Math.floor((this.#options.clock.now() - candleReachMs[interval]) / 1000);
    const parameters = { pair: id, interval: String(minutes[interval]), since: String(since) };
    const answer = await this.#rest.ask(
      { call: 'OHLC', parameters, priority: 'background', timeoutMs: this.#timeoutMs, numbers: 'lossless' },
      signal,
    );
    return readCandles(answer.result, id);
  }

  openLive(listener: LiveListener): LiveConnection {
    const { clock, liveUrl, quotes, connectTimeoutMs, frameBytesMax, answerWithinMs } = this.#options;
    return new KrakenLive(
      {
        clock,
        url: liveUrl,
        directory: this.#directory,
        quotes,
        connectTimeoutMs: connectTimeoutMs ?? 10_000,
        frameBytesMax: frameBytesMax ?? 4 * 1024 * 1024,
        subscribeBatchMax: 50,
        subscribeSpacingMs: 100,
        answerWithinMs: answerWithinMs ?? 10_000,
      },
      listener,
    );
  }

  /** Pairs carry the assets' ids; the table of legacy ids names them as well, should this call fail. */
  async #loadAssets(signal: AbortSignal): Promise<AssetNames> {
    try {
      const answer = await this.#rest.ask(this.#question('Assets', {}, this.#timeoutMs), signal);
      this.#assets = readAssets(answer.result);
    } catch (thrown) {
      if (asUpstreamError(thrown).kind === 'aborted') throw thrown;
    }
    return this.#assets;
  }

  async #pollIds(ids: readonly string[], signal: AbortSignal): Promise<readonly UpstreamTicker[]> {
    const named = this.#namePairs && ids.length <= namedPairsMax;
    try {
      return await this.#askTickers(named ? { pair: ids.join(',') } : {}, signal);
    } catch (thrown) {
      if (!named || asUpstreamError(thrown).kind !== 'unknown_symbol') throw thrown;
      // One delisted pair fails the whole question, so ask again without naming any.
      this.#namePairs = false;
      return this.#askTickers({}, signal);
    }
  }

  async #askTickers(parameters: Record<string, string>, signal: AbortSignal): Promise<readonly UpstreamTicker[]> {
    const question = { ...this.#question('Ticker', parameters, this.#timeoutMs), numbers: 'lossless' } as const;
    const answer = await this.#rest.ask(question, signal);
    return readPolledTickers(answer.result, this.#directory, answer);
  }

  #question(call: string, parameters: Record<string, string>, timeoutMs: number) {
    return { call, parameters, priority: 'urgent', timeoutMs, numbers: 'plain' } as const;
  }
}
