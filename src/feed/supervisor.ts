import type { EpochMs, Timer } from '../ground/clock.ts';
import { impossibleIn } from '../market/impossible-statistics.ts';
import type { Reach } from '../market/source-choice.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import type { CatalogueReport, FeedPath, RejectionReason, UpstreamTicker } from '../market/upstream.ts';
import { Cadence } from './cadence.ts';
import { CatalogueKeeper } from './catalogue-keeper.ts';
import { ClockOffset } from './clock-offset.ts';
import type { Catalogue, LiveEvent, SubscriptionRefusal } from './connector.ts';
import { countOne, FeedCounters, type FeedHealth } from './health.ts';
import { LiveLink } from './live-link.ts';
import { defaultTiming, type FeedParts, type FeedTiming } from './parts.ts';
import { Poller, type PollPlan } from './poller.ts';
import { ReferencePriceTracker } from './reference-price-tracker.ts';
import { RefusalLog } from './refusal-log.ts';
import { RefusedValues } from './refused-values.ts';
import { SubscriptionStates } from './subscription-states.ts';

/** An answer over REST whose every ticker is older proves nothing. */
const cachedAfterMs = 5_000;

interface FeedSupervisorOptions extends Omit<FeedParts, 'timing' | 'counters'> {
  readonly timing?: Partial<FeedTiming>;
}

/** By the type of the event. */
type LiveHandlers = {
  readonly [Type in LiveEvent['type']]?: (event: Extract<LiveEvent, { readonly type: Type }>) => void;
};

/**
 * Runs the feed of one exchange: live while the live connection delivers, over REST while it does not, and back. It
 * starts with the exchange down and recovers by itself. Every frame is handled completely when it arrives, so nothing
 * queues here at any rate: the newest values win in the sink, and unread data waits in the sender's own buffers.
 */
export class FeedSupervisor {
  readonly #parts: FeedParts;
  readonly #book: SubscriptionStates;
  readonly #link: LiveLink;
  readonly #catalogue: CatalogueKeeper;
  readonly #poller: Poller;
  readonly #candles: ReferencePriceTracker;
  readonly #refused: RefusedValues;
  readonly #cadence = new Cadence();
  readonly #clockOffset = new ClockOffset();
  readonly #timers = new Set<Timer>();
  readonly #refusals: RefusalLog;
  #path: FeedPath | undefined;
  /** When live data last arrived. Monotonic. */
  #liveAtMs: number | undefined;
  /** False while the exchange says of itself that it is in maintenance, or takes fewer kinds of order. */
  #isTrading = true;

  constructor(options: FeedSupervisorOptions) {
    const parts = { ...options, timing: { ...defaultTiming, ...options.timing }, counters: new FeedCounters() };
    this.#parts = parts;
    this.#book = new SubscriptionStates(parts.timing);
    this.#link = new LiveLink(parts, {
      event: (event) => this.#received(event),
      ended: () => this.#ended(),
      subscribed: () => this.#book.subscribed,
    });
    this.#catalogue = new CatalogueKeeper(parts, (catalogue, at) => this.#catalogueLoaded(catalogue, at));
    this.#poller = new Poller(parts, {
      plan: () => this.#plan(),
      polled: (plan, tickers) => this.#polled(plan, tickers),
    });
    this.#candles = new ReferencePriceTracker(parts);
    this.#refused = new RefusedValues(parts.log, parts.clock);
    this.#refusals = new RefusalLog(parts.log, parts.clock);
  }

  /** Begins to connect and load. Failures are retried for ever. Call it once. */
  start(): void {
    this.#catalogue.start();
    this.#poller.start();
    this.#after(this.#parts.timing.liveGraceMs, () => this.#giveUpOnLive());
    this.#timers.add(
      this.#parts.clock.every(this.#parts.timing.quietCheckMs, () => {
        this.#subscribeDue();
        this.#considerLive();
      }),
    );
    this.#candles.start();
  }

  /** Ends every connection, request and timer at once. */
  stop(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
    this.#link.stop();
    this.#catalogue.stop();
    this.#poller.stop();
    this.#candles.stop();
    this.#refusals.stop();
  }

  /** Loads the catalogue again soon: more of it is offered than before. */
  reloadCatalogue(): void {
    this.#catalogue.reloadSoon();
  }

  /** Other sources came or went: how soon one of them may take over changes. */
  retime(timing: Pick<FeedTiming, 'takeoverAfterMs' | 'steadyPauseMaxMs'>): void {
    Object.assign(this.#parts.timing, timing);
  }

  /** Its counts by name go on counting: read them at once. */
  health(): FeedHealth {
    const nowMs = this.#parts.clock.monotonicMs();
    return {
      ...this.#parts.counters,
      path: this.#path,
      connection: this.#link.state,
      sessions: this.#sessions,
      bannedUntil: this.#parts.connector.ban?.until,
      ...this.#book.health(nowMs),
      lastLiveDataAgeMs: this.#liveAtMs === undefined ? undefined : nowMs - this.#liveAtMs,
    };
  }

  /**
   * When the live connection last gave a sign of life of any kind, by the monotonic clock; `-Infinity` before the
   * first.
   */
  get heardMs(): number {
    return this.#link.heardMs;
  }

  /** The live connection delivers, so that polls are for single symbols alone. */
  get isLive(): boolean {
    return this.#path === 'live' && this.#link.isReceiving && this.#isTrading;
  }

  /** It may still say its first price. */
  get isAwaited(): boolean {
    return this.#catalogue.isAwaited;
  }

  /**
   * Where prices came steadily and then none for `takeoverAfterMs`, though the connection is alive: when the last one
   * came, by the monotonic clock, and the markets. Only another source shows whether the source stopped or the market
   * did.
   */
  get stalled(): { readonly atMs: number; readonly symbols: readonly MarketSymbol[] } | undefined {
    const { lastAtMs } = this.#cadence;
    const { clock, timing } = this.#parts;
    if (!this.isLive || lastAtMs === undefined) return undefined;
    if (!this.#cadence.wasSteady(timing.steadyPauseMaxMs)) return undefined;
    if (clock.monotonicMs() - lastAtMs < timing.takeoverAfterMs) return undefined;
    return { atMs: lastAtMs, symbols: this.#book.symbols };
  }

  /** Whether it is live and had a price of one of these markets since an instant of the monotonic clock. */
  hasLiveSince(atMs: number, symbols: readonly MarketSymbol[]): boolean {
    return this.isLive && this.#book.hasLiveSince(atMs, symbols);
  }

  /** The wall clock minus that of the source, by its live data; `undefined` while that does not tell. */
  get clockOffsetMs(): number | undefined {
    const { clock } = this.#parts;
    return this.#clockOffset.offsetMs(clock.now(), clock.monotonicMs());
  }

  /** How this source has a market now. */
  reach(symbol: MarketSymbol): Reach {
    if (!this.#isTrading) return 'silent';
    const nowMs = this.#parts.clock.monotonicMs();
    if (this.isLive && this.#book.isLive(symbol, nowMs)) return 'live';
    return this.#book.isPolled(symbol, nowMs) ? 'polled' : 'silent';
  }

  /** Whether this source gave a market's price since it was last connected. */
  isHeard(symbol: MarketSymbol): boolean {
    return this.#book.isHeard(symbol);
  }

  /** Whether a market's subscription stands, and nothing came over it yet; says something only of a live source. */
  isQuiet(symbol: MarketSymbol): boolean {
    return this.#book.isQuiet(symbol);
  }

  #catalogueLoaded({ markets, ...gaps }: Catalogue, at: EpochMs): CatalogueReport {
    const verdict = this.#parts.sink.catalogueLoaded(markets, at, gaps);
    const symbols = markets
      .filter(({ symbol, status }) => status !== 'ended' && !verdict.withheld.has(symbol))
      .map(({ symbol }) => symbol);
    const gone = this.#book.catalogueLoaded(symbols, verdict);
    countOne(this.#parts.counters.catalogueLoads, verdict.isEvidence ? 'ok' : 'incomplete');
    if (gone.length > 0) for (const connection of this.#link.connections) connection.unsubscribe(gone);
    this.#candles.follow(this.#book.symbols);
    this.#link.start();
    this.#subscribeDue();
    if (this.#path === 'fallback') this.#poller.wake();
    return verdict;
  }

  #received(event: LiveEvent): void {
    try {
      (this.#handlers[event.type] as ((event: LiveEvent) => void) | undefined)?.(event);
    } catch (error) {
      countOne(this.#parts.counters.framesDropped, 'failed');
      this.#parts.log.error({ err: error, event: event.type }, 'handling a live event failed');
    }
  }

  readonly #handlers: LiveHandlers = {
    ticker: ({ tickers, isSnapshot }) => this.#liveTickers(tickers, isSnapshot),
    frame: () => void this.#parts.counters.framesReceived++,
    opened: () => {
      this.#parts.log.info({ epoch: this.#parts.counters.epoch }, 'live connection open');
      this.#subscribeDue();
    },
    withdrawn: ({ symbols }) => {
      for (const symbol of symbols) this.#parts.sink.priceWithdrawn(symbol, this.#parts.clock.now());
    },
    whole: () => {
      this.#book.toldWhole();
      this.#considerLive();
    },
    accepted: ({ symbol }) => this.#book.accepted(symbol),
    rejected: ({ symbol, reason }) => this.#rejected(symbol, reason),
    instruments: ({ pairs }) => this.#catalogue.pairsSeen(pairs),
    system: ({ status, isTrading }) => this.#systemStatusReceived(status, isTrading),
    dropped: ({ reason }) => countOne(this.#parts.counters.framesDropped, reason),
  };

  #ended(): void {
    this.#book.connectionEnded();
    this.#cadence.reset();
    // The next connection says it again, where it still holds.
    this.#isTrading = true;
    this.#giveUpOnLive();
  }

  /** Subscribes new symbols, and rejected ones due for a retry. */
  #subscribeDue(): void {
    const { connections } = this.#link;
    if (connections.length === 0 || this.#isBanned) return;
    const symbols = this.#book.takeUnsubscribed(this.#parts.clock.monotonicMs());
    if (symbols.length === 0) return;
    for (const connection of connections) connection.subscribe(symbols);
    this.#link.expectData();
  }

  /** Nothing is to be sent, on an open connection neither. */
  get #isBanned(): boolean {
    return this.#parts.connector.ban?.until !== undefined;
  }

  #rejected(symbol: MarketSymbol, reason: SubscriptionRefusal): void {
    if (this.#book.rejected(symbol, reason, this.#parts.clock.monotonicMs())) this.#refusals.rejected(symbol, reason);
    if (this.#book.expected === 0) this.#link.expectNoData();
    this.#poller.wake();
    this.#considerLive();
  }

  get #sessions(): number {
    return this.#link.connections.reduce((sum, { sessions = 1 }) => sum + sessions, 0);
  }

  /** Takes the exchange's word about itself, which changes at once which source makes the prices. */
  #systemStatusReceived(status: string, isTrading: boolean): void {
    const { log, sink, clock, counters } = this.#parts;
    if (status !== counters.systemStatus) log.info({ status }, 'exchange system status');
    counters.systemStatus = status;
    if (isTrading === this.#isTrading) return;
    this.#isTrading = isTrading;
    if (this.#path !== undefined) sink.feedPathChanged(this.#path, clock.now());
  }

  #liveTickers(tickers: readonly UpstreamTicker[], isSnapshot: boolean): void {
    const nowMs = this.#parts.clock.monotonicMs();
    let taken: UpstreamTicker | undefined;
    let isDelivering = false;
    for (const ticker of tickers) {
      if (!this.#book.has(ticker.symbol)) continue;
      if (!isSnapshot && ticker.upstreamTime !== undefined) this.#clockOffset.note(ticker.upstreamTime, nowMs);
      const rejection = this.#offer(ticker);
      if (this.#book.liveArrived(ticker, isSnapshot, rejection, nowMs)) isDelivering = true;
      if (rejection === undefined) taken = ticker;
    }
    if (isDelivering) {
      this.#link.dataArrived(nowMs);
      this.#cadence.note(nowMs);
      this.#considerLive();
    }
    if (taken !== undefined) this.#liveTaken(taken, nowMs);
  }

  #liveTaken(ticker: UpstreamTicker, nowMs: number): void {
    const { counters } = this.#parts;
    this.#liveAtMs = nowMs;
    counters.lastLiveDataAt = ticker.receivedAt;
    counters.upstreamLagMs = ticker.upstreamTime === undefined ? undefined : ticker.receivedAt - ticker.upstreamTime;
    // Until the live path is taken, live data keeps the feed current without making it operational.
    this.#parts.sink.feedCurrent(this.isLive ? 'live' : 'fallback', ticker.receivedAt);
  }

  /** Offers a ticker to the sink. Returns why it was rejected. */
  #offer(received: UpstreamTicker): RejectionReason | undefined {
    const leftOut = impossibleIn(received);
    for (const name of leftOut) countOne(this.#parts.counters.statisticsLeftOut, name);
    const without = Object.fromEntries(leftOut.map((name) => [name, undefined]));
    const ticker = leftOut.length === 0 ? received : { ...received, ...without };
    const rejection = this.#parts.sink.tickerReceived(ticker);
    if (rejection === undefined) {
      this.#parts.counters.tickersTaken++;
      this.#candles.note(ticker);
      this.#catalogue.priceSeen(ticker);
    } else {
      countOne(this.#parts.counters.tickersRejected, rejection);
      this.#refused.refused(ticker, rejection);
    }
    // What the guard holds is taken once REST agrees with it.
    if (this.#book.held(ticker.symbol, rejection === 'held')) this.#poller.wake();
    return rejection;
  }

  #considerLive(): void {
    if (this.#path === 'live' || this.#link.state !== 'open') return;
    if (this.#book.isCovered(this.#parts.clock.monotonicMs())) this.#switchTo('live');
  }

  /** Switches to the fallback when no path was chosen yet, or when the live one has lost its connection. */
  #giveUpOnLive(): void {
    const isLive = this.#path === 'live' && this.#link.state === 'open';
    if (isLive || this.#path === 'fallback') return;
    this.#switchTo('fallback');
    this.#poller.wake();
  }

  #switchTo(path: FeedPath): void {
    this.#path = path;
    this.#parts.log.info({ path, epoch: this.#parts.counters.epoch }, 'feed path changed');
    this.#parts.sink.feedPathChanged(path, this.#parts.clock.now());
  }

  #plan(): PollPlan {
    if (this.#path === 'fallback') return { scope: 'all', symbols: this.#book.symbols };
    const symbols = this.#path === 'live' ? this.#book.toPoll(this.#parts.clock.monotonicMs()) : [];
    return { scope: 'some', symbols, isUrgent: this.#book.hasHeld || this.#book.isPartlyStreamed };
  }

  #polled(plan: PollPlan, tickers: readonly UpstreamTicker[]): void {
    this.#refusals.refusedNames(this.#parts.connector.refusedNames ?? new Map());
    const nowMs = this.#parts.clock.monotonicMs();
    const isFallback = this.#path === 'fallback';
    const doubted: MarketSymbol[] = [];
    let taken: UpstreamTicker | undefined;
    for (const ticker of tickers) {
      if (!this.#book.has(ticker.symbol)) continue;
      if (!isFallback && this.#book.polled(ticker, nowMs)) doubted.push(ticker.symbol);
      if (this.#offer(ticker) !== undefined) continue;
      this.#book.pollTaken(ticker.symbol, nowMs);
      taken = taken === undefined || asOf(taken) < asOf(ticker) ? ticker : taken;
    }
    // An answer whose every ticker is refused proves that the exchange answers, not that its prices are current.
    if (isFallback && plan.scope === 'all' && taken !== undefined) this.#polledAll(taken);
    if (doubted.length > 0) this.#after(this.#parts.timing.doubtGraceMs, () => this.#renew(doubted));
  }

  /** An answer whose newest ticker is old comes from a cache. @param newest of them */
  #polledAll(newest: UpstreamTicker): void {
    const aheadMs = newest.upstreamTime === undefined ? 0 : (this.clockOffsetMs ?? 0);
    if (newest.receivedAt - aheadMs - asOf(newest) <= cachedAfterMs)
      this.#parts.sink.feedCurrent('fallback', newest.askedAt, this.#parts.timing.fallbackPollMs);
  }

  /** Renews the subscriptions on which a price that REST showed has not arrived live by now. */
  #renew(symbols: readonly MarketSymbol[]): void {
    const silent = this.#book.takeDoubted(symbols, this.#parts.clock.monotonicMs());
    if (silent.length === 0 || this.#isBanned) return;
    this.#parts.log.warn(
      { symbols: silent.slice(0, 20), count: silent.length },
      'symbols silent on the live connection',
    );
    const [connection] = this.#link.connections;
    connection?.unsubscribe(silent);
    connection?.subscribe(silent);
  }

  #after(delayMs: number, run: () => void): void {
    const timer = this.#parts.clock.after(delayMs, () => {
      this.#timers.delete(timer);
      run();
    });
    this.#timers.add(timer);
  }
}

/** The instant that a polled ticker is of: the exchange's own, or when it was asked for. */
function asOf({ upstreamTime, askedAt }: UpstreamTicker): EpochMs {
  return upstreamTime ?? askedAt;
}
