import type { MarketSymbol } from '../market/symbol.ts';
import type { UpstreamTicker } from '../market/upstream.ts';
import type { Catalogue, ConnectorOptions, ExchangeConnector, LiveConnection, LiveListener } from './connector.ts';
import type { SocketTraits } from './live-protocol.ts';
import { LiveSocket, type LiveSocketOptions } from './live-socket.ts';
import { type ListedPair, PairDirectory, selectMarkets } from './market-listing.ts';
import { type RestAnswer, type RestCall, RestClient, type RestClientOptions } from './rest-client.ts';
import { SplitConnection } from './split-connection.ts';
import { asUpstreamError, UpstreamError, type UpstreamErrorKind } from './wire.ts';

/** How requests to an exchange are made. */
type RestTraits = Omit<RestClientOptions, 'clock' | 'baseUrl' | 'timeoutMs'>;

/** Every pair that the exchange lists. */
interface Listing {
  readonly pairs: readonly ListedPair[];
  /** The same as in `CatalogueGaps`; true by default. */
  readonly isComplete?: boolean;
}

/** For exchanges whose requests can name many pairs. */
interface NamingLimits {
  /** With more pairs than this, all are requested without naming any. */
  readonly namesMax: number;
  /** The error of a request that names a delisted pair. */
  readonly refusal: UpstreamErrorKind;
}

/**
 * The common part of connectors of public exchanges: one REST client within the pace, the names of every listed pair,
 * and live connections with their limits. A connector adds what is particular to its exchange.
 */
export abstract class ConnectorBase implements ExchangeConnector {
  readonly id: string;
  protected readonly options: ConnectorOptions;
  protected readonly directory = new PairDirectory();
  protected abstract readonly requests: RestTraits;
  /**
   * The request for every pair, and what reads the answer: it throws `UpstreamError` for one that is unreadable as a
   * whole.
   */
  protected abstract readonly listing: RestCall & { readonly read: (result: unknown) => readonly ListedPair[] };
  #rest: RestClient | undefined;
  /** False once a request was refused for a pair that it named, until the next catalogue. */
  #canName = true;

  constructor(options: ConnectorOptions) {
    this.id = options.id;
    this.options = options;
  }

  protected get rest(): RestClient {
    const { clock, urls, requestTimeoutMs: timeoutMs } = this.options;
    this.#rest ??= new RestClient({ ...this.requests, clock, baseUrl: urls.rest, timeoutMs });
    return this.#rest;
  }

  abstract openLive(listener: LiveListener): LiveConnection;

  /** The current tickers of these symbols, all of which are in the directory. Others may be among them. */
  protected abstract loadTickers(
    symbols: readonly MarketSymbol[],
    signal: AbortSignal,
  ): Promise<readonly UpstreamTicker[]>;

  async loadCatalogue(signal: AbortSignal): Promise<Catalogue> {
    const { pairs, isComplete = true } = await this.loadListing(signal);
    const { markets, skipped, names } = selectMarkets(pairs, this.options);
    this.directory.add(names);
    this.#canName = true;
    return { markets, skipped, isComplete };
  }

  async pollTickers(symbols: readonly MarketSymbol[], signal: AbortSignal): Promise<readonly UpstreamTicker[]> {
    const asked = new Set(symbols.filter((symbol) => this.directory.bySymbol.has(symbol)));
    if (asked.size === 0) throw new UpstreamError('unknown_symbol', 'none of the symbols is in the catalogue');
    const tickers = await this.loadTickers([...asked], signal);
    return tickers.filter(({ symbol }) => asked.has(symbol));
  }

  protected async loadListing(signal: AbortSignal): Promise<Listing> {
    return { pairs: this.listing.read(await this.askListing(this.listing, signal)) };
  }

  /** Requests a listing, which may take longer than other answers. */
  protected async askListing(call: RestCall, signal: AbortSignal): Promise<unknown> {
    return (await this.rest.ask({ ...call, timeoutFactor: 3 }, signal)).result;
  }

  /** Requests the rows of candles behind everything else. */
  protected async askCandles(call: RestCall, signal: AbortSignal): Promise<unknown> {
    return (await this.rest.ask({ ...call, priority: 'background' }, signal)).result;
  }

  /** Throws `UpstreamError` for a symbol that is in no catalogue. */
  protected idOf(symbol: MarketSymbol): string {
    const id = this.directory.bySymbol.get(symbol)?.id;
    if (id === undefined) throw new UpstreamError('unknown_symbol', 'the symbol is not in the catalogue');
    return id;
  }

  /** Requests pairs by name, or all of them (`undefined`): one delisted pair fails the whole request that names it. */
  protected async askByName(
    symbols: readonly MarketSymbol[],
    { namesMax, refusal }: NamingLimits,
    ask: (ids: readonly string[] | undefined) => Promise<RestAnswer>,
  ): Promise<RestAnswer> {
    const isNamed = this.#canName && symbols.length <= namesMax;
    try {
      return await ask(isNamed ? symbols.map((symbol) => this.idOf(symbol)) : undefined);
    } catch (error) {
      if (!isNamed || asUpstreamError(error).kind !== refusal) throw error;
      this.#canName = false;
      return ask(undefined);
    }
  }

  /** Opens a connection, or several above `symbolsMax`. */
  protected openSocket(
    listener: LiveListener,
    traits: SocketTraits,
    protocol: LiveSocketOptions['protocol'],
  ): LiveConnection {
    const { clock, urls, frameBytesMax } = this.options;
    // Announced pairs have the exchange's own names.
    const quotes = [...this.options.quotes, ...(this.options.assets?.keys() ?? [])];
    const socket = { clock, quotes, directory: this.directory, traits, url: urls.ws, frameBytesMax, protocol };
    const open = (events: LiveListener) => new LiveSocket(socket, events).protocol;
    return traits.symbolsMax === undefined ? open(listener) : new SplitConnection(open, traits.symbolsMax, listener);
  }
}
