import type { Clock, EpochMs } from '../../clock.ts';
import type { DecimalString } from '../../market/decimal.ts';
import type { MarketSymbol } from '../../market/symbol.ts';
import type { UpstreamMarket, UpstreamTicker } from '../../market/upstream.ts';
import type {
  Candle,
  Catalogue,
  ConnectorOptions,
  ExchangeConnector,
  LiveConnection,
  LiveEvent,
  LiveListener,
} from '../connector.ts';
import { UpstreamError } from '../wire.ts';
import type { PushedMarket, PushedTicker } from './messages.ts';
import { type PushListener, PushSession, type PushTransport, upstreamMarkets } from './push-session.ts';

/** A connection of an engine, seen from where its frames come in. */
export interface AcceptedPush {
  received(text: string): void;
  /** The connection is gone. */
  closed(): void;
}

/**
 * The operator's own engine, which connects to the service and pushes its catalogue and prices (`/ingest/v1`). Where other
 * connectors open a connection, this one waits for one. One engine at a time: a later run of it takes over.
 */
export class PushConnector implements ExchangeConnector {
  readonly id: string;
  readonly #clock: Clock;
  readonly #options: ConnectorOptions;
  readonly #catalogueWaiters = new Set<() => void>();
  #markets: readonly UpstreamMarket[] | undefined;
  #symbols: ReadonlySet<string> = new Set();
  #epoch = 0;
  #session: PushSession | undefined;
  #live: PushLive | undefined;

  constructor(options: ConnectorOptions) {
    this.id = options.id;
    this.#clock = options.clock;
    this.#options = options;
  }

  /** An engine has connected, with a token of this source. */
  accept(transport: PushTransport): AcceptedPush {
    const session: PushSession = new PushSession(
      this.#clock,
      transport,
      this.#listenerOf(() => session),
    );
    return {
      received: (text) => session.received(text),
      closed: () => {
        session.end();
        this.#sessionEnded(session, 'the engine closed the connection');
      },
    };
  }

  /** Waits for the engine, which sends it. */
  async loadCatalogue(signal: AbortSignal): Promise<Catalogue> {
    if (this.#markets === undefined) await this.#catalogueCame(signal);
    if (this.#markets === undefined) throw new UpstreamError('aborted', 'the engine sent no catalogue');
    const { quotes, symbols } = this.#options;
    const isChosen = ({ symbol, quote }: UpstreamMarket) =>
      quotes.includes(quote) && (symbols === 'all' || symbols.includes(symbol));
    return { markets: this.#markets.filter(isChosen), skipped: [], isComplete: true };
  }

  /** There is nothing to ask: an engine that is away has no prices. */
  async pollTickers(): Promise<readonly UpstreamTicker[]> {
    throw new UpstreamError('network', 'the engine is not connected');
  }

  /** None: past prices come from the record, or from the feed once it has run that long. */
  async loadCandles(): Promise<readonly Candle[]> {
    return [];
  }

  openLive(listener: LiveListener): LiveConnection {
    const live = new PushLive(listener, {
      isListed: (symbol) => this.#symbols.has(symbol),
      resync: () => this.#session?.resync('requested'),
      terminated: () => {
        if (this.#live === live) this.#live = undefined;
        this.#session?.end(1013);
        this.#session = undefined;
      },
    });
    this.#live = live;
    if (this.#session !== undefined) {
      // Not before the caller has the connection in hand.
      queueMicrotask(() => live.opened());
      this.#session.resync('requested');
    }
    return live;
  }

  #listenerOf(self: () => PushSession): PushListener {
    return {
      helloReceived: (epoch) => this.#helloReceived(epoch, self()),
      catalogueReceived: (markets) => this.#catalogueReceived(markets),
      knows: (symbol) => this.#symbols.has(symbol),
      tickerReceived: (ticker, isSnapshot) => this.#live?.ticker(ticker, isSnapshot, this.#clock.now()),
      heard: () => this.#live?.emit({ type: 'frame' }),
      ended: (detail) => this.#sessionEnded(self(), detail),
    };
  }

  /** The same run may come back over a new connection, before the end of the old one was noticed. */
  #helloReceived(epoch: number, session: PushSession): boolean {
    if (epoch < this.#epoch) return false;
    this.#epoch = epoch;
    const before = this.#session;
    this.#session = session;
    if (before === undefined) this.#live?.opened();
    else before.fence();
    return true;
  }

  #catalogueReceived(pushed: readonly PushedMarket[]): string | undefined {
    const markets = upstreamMarkets(pushed);
    if (typeof markets === 'string') return markets;
    const known = this.#symbols;
    this.#markets = markets;
    this.#symbols = new Set(markets.map(({ symbol }) => symbol));
    for (const done of this.#catalogueWaiters) done();
    this.#live?.emit({
      type: 'instruments',
      pairs: markets.map(({ symbol, quote, status }) => ({
        name: symbol,
        symbol: known.has(symbol) ? symbol : undefined,
        isOurs: this.#options.quotes.includes(quote),
        status,
      })),
    });
    return undefined;
  }

  #catalogueCame(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#catalogueWaiters.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.#catalogueWaiters.add(done);
      signal.addEventListener('abort', done);
    });
  }

  #sessionEnded(session: PushSession, detail: string): void {
    if (this.#session !== session) return;
    this.#session = undefined;
    const live = this.#live;
    this.#live = undefined;
    live?.closed(detail);
  }
}

interface PushSource {
  isListed(symbol: MarketSymbol): boolean;
  resync(): void;
  terminated(): void;
}

/** What the feed sees of the engine's connection: it opens when the engine comes, which may take any time. */
class PushLive implements LiveConnection {
  readonly #listener: LiveListener;
  readonly #source: PushSource;
  readonly #wanted = new Set<string>();
  #hasEnded = false;

  constructor(listener: LiveListener, source: PushSource) {
    this.#listener = listener;
    this.#source = source;
  }

  opened(): void {
    this.emit({ type: 'opened' });
  }

  emit(event: LiveEvent): void {
    if (!this.#hasEnded) this.#listener(event);
  }

  closed(detail: string): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#listener({ type: 'closed', reason: 'closed', detail, retryAfterMs: undefined });
  }

  ticker(pushed: PushedTicker, isSnapshot: boolean, receivedAt: EpochMs): void {
    if (!this.#wanted.has(pushed.symbol)) return;
    this.emit({ type: 'ticker', isSnapshot, tickers: [upstreamTicker(pushed, receivedAt)] });
  }

  /** The engine sends every market, so that there is nothing to ask it for but a snapshot. */
  subscribe(symbols: readonly MarketSymbol[]): void {
    for (const symbol of symbols) {
      const isListed = this.#source.isListed(symbol);
      if (isListed) this.#wanted.add(symbol);
      this.emit(isListed ? { type: 'accepted', symbol } : { type: 'rejected', symbol, reason: 'refused' });
    }
    if (symbols.some((symbol) => this.#wanted.has(symbol))) this.#source.resync();
  }

  unsubscribe(symbols: readonly MarketSymbol[]): void {
    for (const symbol of symbols) this.#wanted.delete(symbol);
  }

  /** Heartbeats come by themselves, and their absence ends the session. */
  ping(): void {}

  terminate(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#source.terminated();
  }
}

function upstreamTicker(ticker: PushedTicker, receivedAt: EpochMs): UpstreamTicker {
  const { symbol, time, bid, ask, high24h, low24h, volume24h, last, vwap24h, changePercent24h } = ticker;
  return {
    symbol: symbol as MarketSymbol,
    bid: bid as DecimalString,
    ask: ask as DecimalString,
    last: last as DecimalString | undefined,
    high24h: high24h as DecimalString,
    low24h: low24h as DecimalString,
    volume24h: volume24h as DecimalString,
    vwap24h: vwap24h as DecimalString | undefined,
    priceChangePercent24h: changePercent24h as DecimalString | undefined,
    path: 'live',
    upstreamTime: time as EpochMs,
    askedAt: receivedAt,
    receivedAt,
  };
}
