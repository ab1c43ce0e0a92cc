import type { MarketSymbol } from '../market/symbol.ts';
import type { UpstreamTicker } from '../market/upstream.ts';
import { Ban } from './ban.ts';
import type { Catalogue, ConnectorOptions, ExchangeConnector, LiveConnection, LiveListener } from './connector.ts';
import type { SocketTraits } from './live-protocol.ts';
import { LiveSocket, type LiveSocketOptions } from './live-socket.ts';
import { type ListedPair, PairDirectory, selectMarkets } from './market-listing.ts';
import { type Pace, PacedQueue } from './pace.ts';
import { type Consequence, leadsTo, type RefusalTable } from './refusal.ts';
import { type RestAnswer, type RestCall, RestClient, type RestClientOptions } from './rest-client.ts';
import { type SessionBound, SplitConnection } from './split-connection.ts';
import { asUpstreamError, UpstreamError } from './wire.ts';

/** How requests to an exchange are made. */
type RestTraits = Omit<RestClientOptions, 'clock' | 'baseUrl' | 'timeoutMs' | 'refusals' | 'ban'>;

/** Every pair that the exchange lists. */
interface Listing {
  readonly pairs: readonly ListedPair[];
  /** The same as in `CatalogueGaps`; true by default. */
  readonly isComplete?: boolean;
}

/** Refusals after which all pairs are asked for, where the request named some. */
const asksForAll: ReadonlySet<Consequence> = new Set(['ask_for_all', 'leave_market']);
/** Sessions that are opened together, and then one each second, where the traits of a connector name no other pace. */
const openingPace: Pace = { intervalMs: 1_000, burst: 5 };
/** Sessions of one connection. */
const sessionsMax = 50;

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
  /** The meaning of the exchange’s refusals. */
  protected abstract readonly refusals: RefusalTable;
  readonly ban: Ban;
  /** Markets whose names are refused in polls, with the words, until the next catalogue. */
  readonly refusedNames = new Map<MarketSymbol, string>();
  #rest: RestClient | undefined;
  /** False once named requests were refused though every pair is listed, until the next catalogue. */
  #canName = true;
  #bound: SessionBound | undefined;
  #openings: PacedQueue | undefined;

  constructor(options: ConnectorOptions) {
    this.id = options.id;
    this.options = options;
    this.ban = options.ban ?? new Ban(options.clock);
  }

  protected get rest(): RestClient {
    const { clock, urls, requestTimeoutMs: timeoutMs } = this.options;
    const { requests, refusals, ban } = this;
    this.#rest ??= new RestClient({ ...requests, refusals, ban, clock, baseUrl: urls.rest, timeoutMs });
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
    this.refusedNames.clear();
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

  /**
   * Polls pairs by name, at most `namesMax` of them, or all (`ids` is `undefined`). A refusal that is not of us may be
   * for one of the names: all are asked for then, and the names that the exchange does not list are left out from there
   * on.
   */
  protected async pollByName(
    symbols: readonly MarketSymbol[],
    namesMax: number,
    ask: (ids: readonly string[] | undefined) => Promise<RestAnswer>,
    read: (answer: RestAnswer) => readonly UpstreamTicker[],
  ): Promise<readonly UpstreamTicker[]> {
    const named = symbols.filter((symbol) => !this.refusedNames.has(symbol));
    const isNamed = this.#canName && named.length > 0 && named.length <= namesMax;
    try {
      return read(await ask(isNamed ? named.map((symbol) => this.idOf(symbol)) : undefined));
    } catch (error) {
      const { refusal, message } = asUpstreamError(error);
      if (!isNamed || refusal === undefined || !asksForAll.has(leadsTo[refusal])) throw error;
      const tickers = read(await ask(undefined));
      this.#leaveOut(named, tickers, message);
      return tickers;
    }
  }

  /** Where all are listed, names as such are refused: none is named until the next catalogue. */
  #leaveOut(named: readonly MarketSymbol[], tickers: readonly UpstreamTicker[], words: string): void {
    const listed = new Set(tickers.map(({ symbol }) => symbol));
    const unlisted = named.filter((symbol) => !listed.has(symbol));
    for (const symbol of unlisted) this.refusedNames.set(symbol, words);
    this.#canName = unlisted.length > 0;
  }

  /** Opens a connection of as many sessions as are needed. */
  protected openSocket(
    listener: LiveListener,
    traits: SocketTraits,
    protocol: LiveSocketOptions['protocol'],
  ): LiveConnection {
    const { clock, urls, frameBytesMax, streamsPerSession } = this.options;
    const { directory, ban } = this;
    // Announced pairs have the exchange's own names.
    const quotes = [...this.options.quotes, ...(this.options.assets?.keys() ?? [])];
    const socket = { clock, quotes, directory, traits, ban, url: urls.ws, frameBytesMax, protocol };
    this.#bound ??= { symbolsMax: streamsPerSession ?? traits.symbolsMax ?? Number.POSITIVE_INFINITY };
    this.#openings ??= new PacedQueue(clock, traits.openingPace ?? openingPace, () => ban.waitMs);
    return new SplitConnection({
      clock,
      open: (events, isLeading) => new LiveSocket({ ...socket, isLeading }, events).protocol,
      bound: this.#bound,
      sessionsMax,
      openings: this.#openings,
      hasAcknowledgements: traits.acknowledges !== 'none',
      listener,
    });
  }
}
