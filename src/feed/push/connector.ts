import type { EpochMs } from '../../ground/clock.ts';
import type { MarketSymbol } from '../../market/symbol.ts';
import type { UpstreamMarket, UpstreamTicker } from '../../market/upstream.ts';
import type { Catalogue, ConnectorOptions, ExchangeConnector, LiveConnection, LiveListener } from '../connector.ts';
import { isChosen } from '../market-listing.ts';
import { UpstreamError } from '../wire.ts';
import type { PushedMarket, PushedTicker } from './messages.ts';
import { type PushListener, PushSession, type PushTransport, upstreamMarkets } from './push-session.ts';

/**
 * The operator's own engine, which connects to the service and pushes its catalogue and prices (`/ingest/v1`). Where
 * other connectors open a connection, this one waits for one. One engine at a time: a later run of it takes over.
 */
export class PushConnector implements ExchangeConnector {
  readonly id: string;
  /** Its catalogue comes by itself: taking it over costs nothing. */
  readonly catalogueSpacingMs = 1_000;
  readonly #options: ConnectorOptions;
  readonly #firstCatalogue = Promise.withResolvers<void>();
  #markets: readonly UpstreamMarket[] | undefined;
  #symbols: ReadonlySet<MarketSymbol> = new Set();
  /** The run that set the epoch in force, and the token it came with. */
  #run: { readonly epoch: number; readonly token: string | undefined } | undefined;
  #session: PushSession | undefined;
  #live: PushLive | undefined;

  constructor(options: ConnectorOptions) {
    this.id = options.id;
    this.#options = options;
  }

  /** The token whose engine set the epoch in force. */
  get epochToken(): string | undefined {
    return this.#run?.token;
  }

  /** The token that set the epoch is gone, and the epoch with it. */
  forgetEpoch(): void {
    this.#run = undefined;
  }

  /** An engine has connected. @param token it came with, if any */
  accept(transport: PushTransport, token?: string): PushSession {
    const helloReceived = (session: PushSession, epoch: number) => this.#helloReceived(session, epoch, token);
    return new PushSession(this.#options.clock, transport, { ...this.#sessionListener, helloReceived });
  }

  /** Waits for the engine, which sends it. */
  async loadCatalogue(signal: AbortSignal): Promise<Catalogue> {
    const aborted = () => new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    // Not again: the signal lives as long as the feed, and keeps whoever listens to it.
    if (this.#markets === undefined) await Promise.race([this.#firstCatalogue.promise, aborted()]);
    if (this.#markets === undefined) throw new UpstreamError('aborted', 'the engine sent no catalogue');
    const markets = this.#markets.filter(({ symbol, quote }) => isChosen(symbol, quote, this.#options));
    return { markets, skipped: [], isComplete: true };
  }

  /** There is nothing to ask: an engine that is away has no prices. */
  async pollTickers(): Promise<readonly UpstreamTicker[]> {
    throw new UpstreamError('network', 'the engine is not connected');
  }

  /** It opens when the engine comes, which may take any time. */
  openLive(listener: LiveListener): LiveConnection {
    const wanted = new Set<string>();
    const live: PushLive = { listener, wanted };
    this.#live = live;
    if (this.#session !== undefined) {
      // Not before the caller has the connection in hand.
      queueMicrotask(() => this.#live === live && listener({ type: 'opened' }));
      this.#session.resync('requested');
    }
    return {
      subscribe: (symbols) => this.#live === live && this.#subscribe(live, symbols),
      unsubscribe(symbols) {
        for (const symbol of symbols) wanted.delete(symbol);
      },
      // Heartbeats come by themselves, and their absence ends the session.
      ping() {},
      terminate: () => {
        if (this.#live !== live) return;
        this.#live = undefined;
        this.#session?.end(1013);
        this.#session = undefined;
      },
    };
  }

  /** The engine sends every market, so that there is nothing to ask it for but a snapshot. */
  #subscribe({ listener, wanted }: PushLive, symbols: readonly MarketSymbol[]): void {
    for (const symbol of symbols) {
      const isListed = this.#symbols.has(symbol);
      if (isListed) wanted.add(symbol);
      listener(isListed ? { type: 'accepted', symbol } : { type: 'rejected', symbol, reason: 'refused' });
    }
    if (symbols.some((symbol) => wanted.has(symbol))) this.#session?.resync('requested');
  }

  readonly #sessionListener: Omit<PushListener, 'helloReceived'> = {
    catalogueReceived: (markets) => this.#catalogueReceived(markets),
    isListed: (symbol) => this.#symbols.has(symbol as MarketSymbol),
    tickerReceived: (ticker, isSnapshot) => {
      if (this.#live?.wanted.has(ticker.symbol))
        this.#live.listener({
          type: 'ticker',
          isSnapshot,
          tickers: [upstreamTicker(ticker, this.#options.clock.now())],
        });
    },
    snapshotEnded: (priced) => {
      const symbols = [...this.#symbols].filter((each) => !priced.has(each) && this.#live?.wanted.has(each));
      if (symbols.length > 0) this.#live?.listener({ type: 'withdrawn', symbols });
      // The numbers in its heartbeats show from now on that nothing is missing.
      this.#live?.listener({ type: 'whole' });
    },
    messageReceived: () => this.#live?.listener({ type: 'frame' }),
    ended: (session, detail) => this.#sessionEnded(session, detail),
  };

  /** The same run may come back over a new connection, before the end of the old one was noticed. */
  #helloReceived(session: PushSession, epoch: number, token: string | undefined): boolean {
    if (this.#run !== undefined && epoch < this.#run.epoch) return false;
    this.#run = { epoch, token };
    const before = this.#session;
    this.#session = session;
    if (before === undefined) this.#live?.listener({ type: 'opened' });
    else before.fence();
    return true;
  }

  #catalogueReceived(pushed: readonly PushedMarket[]): string | undefined {
    const markets = upstreamMarkets(pushed);
    if (typeof markets === 'string') return markets;
    this.#markets = markets;
    this.#symbols = new Set(markets.map(({ symbol }) => symbol));
    this.#firstCatalogue.resolve();
    this.#live?.listener({
      type: 'instruments',
      pairs: markets.map(({ symbol, quote, status }) => ({
        name: symbol,
        symbol,
        isOurs: this.#options.quotes.includes(quote),
        status,
      })),
    });
    return undefined;
  }

  #sessionEnded(session: PushSession, detail: string): void {
    if (this.#session !== session) return;
    this.#session = undefined;
    const live = this.#live;
    this.#live = undefined;
    live?.listener({ type: 'closed', reason: 'closed', detail, retryAfterMs: undefined });
  }
}

/** The engine's connection as the feed sees it. */
interface PushLive {
  readonly listener: LiveListener;
  /** The subscribed symbols. */
  readonly wanted: Set<string>;
}

function upstreamTicker(ticker: PushedTicker, receivedAt: EpochMs): UpstreamTicker {
  const { type: _, seq: __, time, changePercent24h, ...values } = ticker;
  return {
    last: undefined,
    vwap24h: undefined,
    ...values,
    priceChangePercent24h: changePercent24h,
    path: 'live',
    upstreamTime: time,
    askedAt: receivedAt,
    receivedAt,
  } as UpstreamTicker;
}
