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
import { RestClient } from '../rest-client.ts';
import { asEpoch, asList, asObject, asText, UpstreamError } from '../wire.ts';
import { BitvavoLive, bitvavoPace } from './live.ts';
import { readCandles, readMarkets, readTicker } from './messages.ts';

/** 600 of the 1,000 points a minute that an address has. */
const restPace = { intervalMs: 100, burst: 50, inFlightMax: 4, waitingMax: 64 };
/** Points of `ticker/24h` for all markets; for one it is 1. */
const allTickersWeight = 25;
/** Over the limit an address is shut out for up to 15 minutes; its points are counted anew each minute. */
const slowDownMs = 60_000;
const candles = { hour: { interval: '1h', limit: '170' }, minute: { interval: '1m', limit: '62' } } as const;

/** The connector for Bitvavo's public REST and WebSocket protocol, version 2. */
export class BitvavoConnector implements ExchangeConnector {
  readonly id: string;
  /** The live connection does not tell when a market halts, and the catalogue weighs 1 point. */
  readonly catalogueReloadMs = 60_000;
  readonly #options: ConnectorOptions;
  readonly #rest: RestClient;
  readonly #directory = new PairDirectory();

  constructor(options: ConnectorOptions) {
    const { id, clock, urls, requestTimeoutMs: timeoutMs } = options;
    this.id = id;
    this.#options = options;
    this.#rest = new RestClient({ clock, baseUrl: urls.rest, timeoutMs, pace: restPace, slowDownMs, retryAfter });
  }

  async loadCatalogue(signal: AbortSignal): Promise<Catalogue> {
    const { result } = await this.#rest.ask({ path: '/markets', parse: 'plain', timeoutFactor: 3 }, signal);
    const { markets, skipped, names } = selectMarkets(readMarkets(result), this.#options);
    this.#directory.learn(names);
    return { markets, skipped, isComplete: true };
  }

  async pollTickers(symbols: readonly MarketSymbol[], signal: AbortSignal): Promise<readonly UpstreamTicker[]> {
    const known = symbols.filter((symbol) => this.#directory.bySymbol.has(symbol));
    const [first] = known;
    if (first === undefined) throw new UpstreamError('unknown_symbol', 'none of the symbols is in the catalogue');
    const isOne = known.length === 1;
    const call = isOne ? { parameters: { market: this.#idOf(first) } } : { weight: allTickersWeight };
    const { result, ...times } = await this.#rest.ask({ path: '/ticker/24h', parse: 'plain', ...call }, signal);
    const entries = asList(result) ?? (isOne ? [result] : undefined);
    if (entries === undefined) throw new UpstreamError('malformed', 'ticker/24h: not a list');
    const asked = new Set(known);
    return entries.flatMap((value) => {
      const entry = asObject(value) ?? {};
      const symbol = this.#directory.byId.get(asText(entry.market) ?? '')?.symbol;
      return symbol !== undefined && asked.has(symbol) ? [readTicker(symbol, entry, 'fallback', times)] : [];
    });
  }

  async loadCandles(symbol: MarketSymbol, interval: CandleInterval, signal: AbortSignal): Promise<readonly Candle[]> {
    const path = `/${this.#idOf(symbol)}/candles`;
    const call = { path, parameters: candles[interval], priority: 'background', parse: 'plain' } as const;
    return readCandles((await this.#rest.ask(call, signal)).result);
  }

  openLive(listener: LiveListener): LiveConnection {
    const { clock, urls, frameBytesMax } = this.#options;
    const protocol = (channel: LiveChannel) => new BitvavoLive({ clock, directory: this.#directory }, channel);
    return openLiveSocket({ clock, url: urls.ws, frameBytesMax, pace: bitvavoPace, protocol }, listener);
  }

  #idOf(symbol: MarketSymbol): string {
    const id = this.#directory.bySymbol.get(symbol)?.id;
    if (id === undefined) throw new UpstreamError('unknown_symbol', 'the symbol is not in the catalogue');
    return id;
  }
}

/** Bitvavo says in a header of its own when the points are counted anew, in milliseconds since the epoch. */
function retryAfter(headers: Headers, now: EpochMs): number | undefined {
  const resetAt = asEpoch(headers.get('bitvavo-ratelimit-resetat'));
  return resetAt === undefined ? undefined : Math.max(0, resetAt - now);
}
