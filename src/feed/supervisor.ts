import type { Clock, EpochMs, Randomness, Timer } from '../clock.ts';
import type { Log } from '../log.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import type { FeedPath, FeedSink, RejectionReason, UpstreamMarket, UpstreamTicker } from '../market/upstream.ts';
import { CandleKeeper } from './candles.ts';
import { CatalogueKeeper } from './catalogue-keeper.ts';
import type { ExchangeConnector, LiveEvent, SubscriptionRefusal } from './connector.ts';
import type { FeedHealth, FeedObserver } from './health.ts';
import { FeedCounters } from './health.ts';
import type { EndReason } from './live-link.ts';
import { LiveLink } from './live-link.ts';
import type { PollPlan } from './poller.ts';
import { Poller } from './poller.ts';
import { SymbolBook } from './symbol-book.ts';
import type { FeedTiming } from './timing.ts';
import { defaultTiming } from './timing.ts';
import { Watchdog } from './watchdog.ts';

export interface FeedSupervisorOptions {
  readonly connector: ExchangeConnector;
  readonly sink: FeedSink;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly observer?: FeedObserver;
  readonly timing?: Partial<FeedTiming>;
  /** Whether to load candles and keep reference prices; `true` by default. */
  readonly candles?: boolean;
}

/**
 * Runs the feed of one exchange: live while the live connection delivers, over REST while it does
 * not, and back. It starts with the exchange down and recovers by itself. Every frame is handled to
 * its end when it arrives, so nothing queues here whatever the rate: the newest values win in the
 * sink, and what cannot be read in time waits in the sender's own buffers.
 */
export class FeedSupervisor {
  readonly #clock: Clock;
  readonly #sink: FeedSink;
  readonly #log: Log;
  readonly #timing: FeedTiming;
  readonly #counters: FeedCounters;
  readonly #book: SymbolBook;
  readonly #link: LiveLink;
  readonly #catalogue: CatalogueKeeper;
  readonly #poller: Poller;
  readonly #candles: CandleKeeper | undefined;
  /** Watches for live data; heartbeats do not count. */
  readonly #data: Watchdog;
  readonly #timers = new Set<Timer>();
  #path: FeedPath | undefined;
  #running = false;
  #updated = false;
  #dataSinceMs: number | undefined;
  #lastLive: { readonly at: EpochMs; readonly atMs: number; readonly lagMs: number | undefined } | undefined;
  #systemStatus: string | undefined;

  constructor(options: FeedSupervisorOptions) {
    const { connector, clock, randomness, log } = options;
    const timing = { ...defaultTiming, ...options.timing };
    const counters = new FeedCounters(options.observer ?? {});
    const parts = { connector, clock, randomness, log, timing, counters };
    this.#clock = clock;
    this.#sink = options.sink;
    this.#log = log;
    this.#timing = timing;
    this.#counters = counters;
    this.#book = new SymbolBook(timing);
    this.#data = new Watchdog(clock, timing.staleAfterMs, () => this.#link.drop('data_silent'));
    this.#link = new LiveLink(parts, {
      event: (event) => this.#received(event),
      ended: (reason) => this.#ended(reason),
      late: () => counters.frameDropped('late'),
    });
    this.#catalogue = new CatalogueKeeper(parts, {
      loaded: (markets, at) => this.#catalogueLoaded(markets, at),
      statusChanged: (symbol, status, at) => this.#sink.marketStatusChanged(symbol, status, at),
    });
    this.#poller = new Poller(parts, {
      plan: () => this.#plan(),
      polled: (plan, tickers) => this.#polled(plan, tickers),
    });
    this.#candles = options.candles === false ? undefined : new CandleKeeper({ ...parts, sink: options.sink });
  }

  /** Begins to connect and load. Failures are retried for ever. Call it once. */
  start(): void {
    if (this.#running) return;
    this.#running = true;
    this.#catalogue.start();
    this.#poller.start();
    this.#after(this.#timing.liveGraceMs, () => this.#giveUpOnLive());
    this.#every(this.#timing.quietCheckMs, () => this.#subscribeDue());
    this.#candles?.start();
  }

  /** Ends every connection, request and timer at once. */
  stop(): void {
    this.#running = false;
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
    this.#data.stop();
    this.#link.stop();
    this.#catalogue.stop();
    this.#poller.stop();
    this.#candles?.stop();
  }

  health(): FeedHealth {
    const nowMs = this.#clock.monotonicMs();
    const counts = this.#book.counts(nowMs);
    return {
      path: this.#path,
      connection: this.#link.state,
      epoch: this.#link.epoch,
      connectionsEnded: { ...this.#counters.connectionsEnded },
      framesReceived: this.#counters.framesReceived,
      framesDropped: { ...this.#counters.framesDropped },
      tickersTaken: this.#counters.tickersTaken,
      tickersRejected: { ...this.#counters.tickersRejected },
      symbolsWanted: this.#book.size,
      symbolsSubscribed: counts.subscribed,
      symbolsRejected: counts.rejected,
      symbolsQuiet: counts.quiet,
      symbolsDoubted: counts.doubted,
      lastLiveDataAt: this.#lastLive?.at,
      lastLiveDataAgeMs: this.#lastLive === undefined ? undefined : nowMs - this.#lastLive.atMs,
      upstreamLagMs: this.#lastLive?.lagMs,
      lastFallbackPollAt: this.#poller.lastPollAt,
      polls: { ...this.#counters.polls },
      lastCatalogueAt: this.#catalogue.lastLoadAt,
      catalogueLoads: { ...this.#counters.catalogueLoads },
      pairsSkipped: this.#catalogue.pairsSkipped,
      systemStatus: this.#systemStatus,
    };
  }

  #catalogueLoaded(markets: readonly UpstreamMarket[], at: EpochMs): number {
    this.#sink.catalogueLoaded(markets, at);
    const { gone, missing } = this.#book.catalogueLoaded(markets.map((market) => market.symbol));
    if (gone.length > 0) this.#link.connection?.unsubscribe(gone);
    this.#candles?.follow(this.#book.symbols);
    this.#link.start();
    this.#subscribeDue();
    if (this.#path === 'fallback') this.#poller.wake();
    return missing;
  }

  #received(event: LiveEvent): void {
    try {
      this.#handle(event);
    } catch (thrown) {
      this.#counters.frameDropped('failed');
      this.#log.error({ err: thrown, event: event.type }, 'a live event could not be handled');
    }
  }

  #handle(event: LiveEvent): void {
    switch (event.type) {
      case 'ticker':
        this.#liveTickers(event.tickers, event.snapshot);
        break;
      case 'frame':
        this.#counters.frameReceived();
        break;
      case 'opened':
        this.#opened();
        break;
      case 'accepted':
        this.#book.accepted(event.symbol);
        break;
      case 'rejected':
        this.#rejected(event.symbol, event.reason);
        break;
      case 'instruments':
        this.#catalogue.pairsSeen(event.pairs);
        break;
      case 'system':
        this.#systemSaid(event.status);
        break;
      case 'dropped':
        this.#counters.frameDropped(event.reason);
        break;
      default:
    }
  }

  #opened(): void {
    this.#log.info({ epoch: this.#link.epoch }, 'live connection open');
    this.#updated = false;
    this.#dataSinceMs = undefined;
    this.#subscribeDue();
  }

  #ended(reason: EndReason): void {
    this.#data.stop();
    this.#counters.connectionEnded(reason);
    this.#book.connectionEnded();
    this.#giveUpOnLive();
  }

  /** Subscribes what is new, and what was rejected long enough ago. */
  #subscribeDue(): void {
    const connection = this.#link.connection;
    if (connection === undefined) return;
    const symbols = this.#book.takeUnsubscribed(this.#clock.monotonicMs());
    if (symbols.length === 0) return;
    connection.subscribe(symbols);
    if (!this.#data.watching) this.#data.start();
  }

  #rejected(symbol: MarketSymbol, reason: SubscriptionRefusal): void {
    this.#log.warn({ symbol, reason }, 'the exchange does not stream this symbol');
    this.#book.rejected(symbol, this.#clock.monotonicMs());
    // With nothing left to wait for, silence says nothing about the connection.
    if (this.#book.expected === 0) this.#data.stop();
    this.#poller.wake();
    this.#considerLive();
  }

  #systemSaid(status: string): void {
    if (status !== this.#systemStatus) this.#log.info({ status }, 'the exchange tells of its state');
    this.#systemStatus = status;
  }

  #liveTickers(tickers: readonly UpstreamTicker[], snapshot: boolean): void {
    const nowMs = this.#clock.monotonicMs();
    let taken: UpstreamTicker | undefined;
    let alive = false;
    for (const ticker of tickers) {
      if (!this.#book.has(ticker.symbol)) continue;
      const reason = this.#offer(ticker);
      this.#book.liveArrived(ticker, reason, nowMs);
      if (reason === undefined) taken = ticker;
      alive ||= reason === undefined || reason === 'unknown_market';
    }
    if (alive) this.#liveProved(snapshot, nowMs);
    if (taken !== undefined) this.#liveTaken(taken, nowMs);
  }

  /** The connection delivers: good values, or values of a market that only the operator does not want. */
  #liveProved(snapshot: boolean, nowMs: number): void {
    this.#data.touch();
    this.#updated ||= !snapshot;
    this.#dataSinceMs ??= nowMs;
    if (nowMs - this.#dataSinceMs >= this.#timing.healthyAfterMs) this.#link.settled();
    this.#considerLive();
  }

  #liveTaken(ticker: UpstreamTicker, nowMs: number): void {
    const lagMs = ticker.upstreamTime === undefined ? undefined : ticker.receivedAt - ticker.upstreamTime;
    this.#lastLive = { at: ticker.receivedAt, atMs: nowMs, lagMs };
    // Until the live path is taken, live data keeps the feed current without making it operational.
    this.#sink.feedCurrent(this.#path ?? 'fallback', ticker.receivedAt);
  }

  /** Offers a ticker to the sink. Gives why it was not taken. */
  #offer(ticker: UpstreamTicker): RejectionReason | undefined {
    const reason = this.#sink.tickerReceived(ticker);
    if (reason === undefined) {
      this.#counters.tickerTaken(ticker.path);
      this.#candles?.note(ticker);
    } else {
      this.#counters.tickerRejected(ticker.path, reason);
    }
    return reason;
  }

  #considerLive(): void {
    if (this.#path !== 'live' && this.#updated && this.#link.state === 'open' && this.#book.isCovered) {
      this.#take('live');
    }
  }

  /** Takes the fallback when no path was chosen yet, or when the live one has lost its connection. */
  #giveUpOnLive(): void {
    const liveGoesOn = this.#path === 'live' && this.#link.state === 'open';
    if (liveGoesOn || this.#path === 'fallback') return;
    this.#take('fallback');
    this.#poller.wake();
  }

  #take(path: FeedPath): void {
    this.#path = path;
    this.#log.info({ path, epoch: this.#link.epoch }, 'the feed takes another path');
    this.#counters.pathChanged(path);
    this.#sink.feedPathChanged(path, this.#clock.now());
  }

  #plan(): PollPlan {
    if (this.#path === 'fallback') return { scope: 'all', symbols: this.#book.symbols };
    const symbols = this.#path === 'live' ? this.#book.restServed(this.#clock.monotonicMs()) : [];
    return { scope: 'some', symbols };
  }

  #polled(plan: PollPlan, tickers: readonly UpstreamTicker[]): void {
    const nowMs = this.#clock.monotonicMs();
    const onFallback = this.#path === 'fallback';
    const doubted: MarketSymbol[] = [];
    for (const ticker of tickers) {
      if (!this.#book.has(ticker.symbol)) continue;
      if (!onFallback && this.#book.polled(ticker, nowMs)) doubted.push(ticker.symbol);
      this.#offer(ticker);
    }
    const receivedAt = tickers[0]?.receivedAt ?? this.#clock.now();
    if (onFallback && plan.scope === 'all') this.#sink.feedCurrent('fallback', receivedAt);
    if (doubted.length > 0) this.#after(this.#timing.doubtGraceMs, () => this.#renew(doubted));
  }

  /** What REST showed should have arrived live by now; where it has not, the subscription is renewed. */
  #renew(symbols: readonly MarketSymbol[]): void {
    const mute = this.#book.takeDoubted(symbols, this.#clock.monotonicMs());
    if (mute.length === 0) return;
    this.#log.warn({ symbols: mute.slice(0, 20), count: mute.length }, 'symbols went silent on the live connection');
    this.#link.connection?.resubscribe(mute);
  }

  #after(delayMs: number, run: () => void): void {
    const timer = this.#clock.after(delayMs, () => {
      this.#timers.delete(timer);
      run();
    });
    this.#timers.add(timer);
  }

  #every(periodMs: number, run: () => void): void {
    this.#timers.add(this.#clock.every(periodMs, run));
  }
}
