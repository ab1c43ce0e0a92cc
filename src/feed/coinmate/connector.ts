import type { MarketSymbol } from '../../market/symbol.ts';
import type { FeedPath, UpstreamTicker } from '../../market/upstream.ts';
import type {
  Candle,
  Catalogue,
  ConnectorOptions,
  ExchangeConnector,
  LiveConnection,
  LiveListener,
} from '../connector.ts';
import { PairDirectory } from '../pair-directory.ts';
import { type RestAnswer, RestClient } from '../rest-client.ts';
import { asObject, asText, UpstreamError } from '../wire.ts';
import { readTradingPairs } from './catalogue.ts';
import { PolledLive, pollEveryMs } from './live.ts';
import { readTickers } from './prices.ts';

/** 40 a minute of the 100 that an address has; more is a ban. */
const restPace = { intervalMs: 1_500, burst: 2, inFlightMax: 2, waitingMax: 64 };

/**
 * The connector for Coinmate, which has books in CZK. It is polled: one request has the tickers of all markets. It has no
 * candles, and announces neither maintenance nor a market's state.
 */
export class CoinmateConnector implements ExchangeConnector {
  readonly id: string;
  readonly #options: ConnectorOptions;
  readonly #rest: RestClient;
  readonly #directory = new PairDirectory();
  #latest: RestAnswer | undefined;
  /** When the latest answer arrived. Monotonic. */
  #latestAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: ConnectorOptions) {
    const { id, clock, urls, requestTimeoutMs: timeoutMs } = options;
    this.id = id;
    this.#options = options;
    this.#rest = new RestClient({ clock, baseUrl: urls.rest, timeoutMs, pace: restPace, unwrap: readEnvelope });
  }

  async loadCatalogue(signal: AbortSignal): Promise<Catalogue> {
    const { result } = await this.#rest.ask({ path: '/api/tradingPairs', timeoutFactor: 3 }, signal);
    const { markets, skipped, names } = readTradingPairs(result, this.#options);
    this.#directory.learn(names);
    return { markets, skipped, isComplete: true };
  }

  async pollTickers(symbols: readonly MarketSymbol[], signal: AbortSignal): Promise<readonly UpstreamTicker[]> {
    const asked = new Set(symbols.filter((symbol) => this.#directory.bySymbol.has(symbol)));
    if (asked.size === 0) throw new UpstreamError('unknown_symbol', 'none of the symbols is in the catalogue');
    return (await this.#load('fallback', signal)).filter((ticker) => asked.has(ticker.symbol));
  }

  /** None: the changes over an hour and a week come from the feed itself once it has run that long. */
  async loadCandles(): Promise<readonly Candle[]> {
    return [];
  }

  openLive(listener: LiveListener): LiveConnection {
    return new PolledLive({ clock: this.#options.clock, load: (signal) => this.#load('live', signal) }, listener);
  }

  /** Both paths ask for the same: an answer of the one serves the other until the next is due. */
  async #load(path: FeedPath, signal: AbortSignal): Promise<UpstreamTicker[]> {
    const { clock } = this.#options;
    if (this.#latest === undefined || clock.monotonicMs() - this.#latestAtMs >= pollEveryMs) {
      this.#latest = await this.#rest.ask({ path: '/api/tickerAll' }, signal);
      this.#latestAtMs = clock.monotonicMs();
    }
    return readTickers(this.#latest, path, this.#directory);
  }
}

/** Takes `data` out of `{error, errorMessage, data}`. The HTTP status is 200 even for an error. */
function readEnvelope(body: unknown): unknown {
  const envelope = asObject(body);
  if (typeof envelope?.error !== 'boolean') throw new UpstreamError('malformed', 'no error member');
  if (!envelope.error) return envelope.data;
  const message = (asText(envelope.errorMessage) ?? 'unreadable error').slice(0, 100);
  throw new UpstreamError(/too many|limit/i.test(message) ? 'rate_limited' : 'refused', message);
}
