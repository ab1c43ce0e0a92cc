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
import { asObject, asText, UpstreamError } from '../wire.ts';
import { readInstruments } from './catalogue.ts';
import { OkxLive, okxPace } from './live.ts';
import { readCandles, readPolledTickers } from './prices.ts';

/** 10 requests in 2 seconds; each kind of request may be made 20 times. */
const restPace = { intervalMs: 200, burst: 2, inFlightMax: 4, waitingMax: 64 };
const candles = { hour: { bar: '1H', limit: '170' }, minute: { bar: '1m', limit: '62' } } as const;

/** The connector for OKX, spot only; by default on the hosts of its European entity. */
export class OkxConnector implements ExchangeConnector {
  readonly id: string;
  readonly #options: ConnectorOptions;
  readonly #rest: RestClient;
  readonly #directory = new PairDirectory();

  constructor(options: ConnectorOptions) {
    const { id, clock, urls, requestTimeoutMs: timeoutMs } = options;
    this.id = id;
    this.#options = options;
    this.#rest = new RestClient({ clock, baseUrl: urls.rest, timeoutMs, pace: restPace, unwrap: readEnvelope });
  }

  async loadCatalogue(signal: AbortSignal): Promise<Catalogue> {
    const call = { path: '/api/v5/public/instruments', parameters: { instType: 'SPOT' }, timeoutFactor: 3 };
    const { result } = await this.#rest.ask({ ...call, parse: 'plain' }, signal);
    const { markets, skipped, names } = readInstruments(result, this.#options);
    this.#directory.learn(names);
    return { markets, skipped, isComplete: true };
  }

  async pollTickers(symbols: readonly MarketSymbol[], signal: AbortSignal): Promise<readonly UpstreamTicker[]> {
    const asked = new Set(symbols.filter((symbol) => this.#directory.bySymbol.has(symbol)));
    if (asked.size === 0) throw new UpstreamError('unknown_symbol', 'none of the symbols is in the catalogue');
    const call = { path: '/api/v5/market/tickers', parameters: { instType: 'SPOT' } };
    const tickers = readPolledTickers(await this.#rest.ask({ ...call, parse: 'plain' }, signal), this.#directory);
    return tickers.filter((ticker) => asked.has(ticker.symbol));
  }

  async loadCandles(symbol: MarketSymbol, interval: CandleInterval, signal: AbortSignal): Promise<readonly Candle[]> {
    const instId = this.#directory.bySymbol.get(symbol)?.id;
    if (instId === undefined) throw new UpstreamError('unknown_symbol', 'the symbol is not in the catalogue');
    const call = { path: '/api/v5/market/candles', parameters: { instId, ...candles[interval] } };
    return readCandles((await this.#rest.ask({ ...call, priority: 'background', parse: 'plain' }, signal)).result);
  }

  openLive(listener: LiveListener): LiveConnection {
    const { clock, urls, quotes, frameBytesMax } = this.#options;
    const protocol = (channel: LiveChannel) => new OkxLive({ clock, directory: this.#directory, quotes }, channel);
    return openLiveSocket({ clock, url: urls.ws, frameBytesMax, pace: okxPace, protocol }, listener);
  }
}

/** Takes `data` out of `{code, msg, data}`. A code other than 0 is an error, also with HTTP 200. */
function readEnvelope(body: unknown): unknown {
  const envelope = asObject(body);
  const code = asText(envelope?.code);
  if (code === undefined) throw new UpstreamError('malformed', 'no code');
  if (code === '0') return envelope?.data;
  const detail = `${code} ${asText(envelope?.msg) ?? ''}`.slice(0, 100);
  if (code === '50011' || code === '50061') throw new UpstreamError('rate_limited', detail);
  throw new UpstreamError(code === '51001' ? 'unknown_symbol' : 'refused', detail);
}
