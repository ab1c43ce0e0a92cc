import { type LimitFigures, sharedBudget } from './budget.ts';
import { type Answered, type Call, PendingCall } from './call.ts';
import { type Market, pollingIntervalsMs, type ServerTime, type ServiceStatus, type Ticker } from './contract.ts';
import { GivenTickers } from './newest.ts';
import { Poller } from './poller.ts';
import { type CallLimits, Requester, type Resource } from './requester.ts';
import { type ClientOptions, checkedKey, type Settings, settingsOf } from './settings.ts';
import { readMarkets, readStatus, readTicker, readTickers, readTime } from './shapes.ts';
import { dataSource, statusGapMs, statusSource } from './sources.ts';
import { PolledWatch, type Watch, type WatchOptions } from './watch.ts';
import { dataAgeMs, type StateOptions } from './watch-state.ts';
import { Wire } from './wire.ts';

export interface CallOptions {
  /** Cancels the call with its waits and retries; it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Replaces the client's own. */
  readonly deadlineMs?: number;
  /** Replaces the client's own. */
  readonly maxAttempts?: number;
}

/** The local clock compared with the server's. */
export interface ClockOffset {
  /** Server time minus local time: what to add to the local clock. */
  readonly offsetMs: number;
  /** The true offset is within this distance of `offsetMs`; at best half of the round trip. */
  readonly uncertaintyMs: number;
}

/** How old data is. */
export interface Age {
  /** 0 at least; infinite for a feed that never delivered. */
  readonly ageMs: number;
  /** The true age is within this distance of `ageMs`; infinite before the first answer. */
  readonly uncertaintyMs: number;
}

const timeResource: Resource<ServerTime> = {
  path: '/v1/time',
  read: readTime,
  serverTimeMs: ({ serverTimeMs }) => serverTimeMs,
};
const statusResource: Resource<ServiceStatus> = {
  path: '/v1/status',
  read: readStatus,
  serverTimeMs: ({ serverTimeMs }) => serverTimeMs,
};
const marketsResource: Resource<readonly Market[]> = { path: '/v1/markets', read: readMarkets };
const tickersResource: Resource<readonly Ticker[]> = {
  path: '/v1/tickers',
  read: readTickers,
  newest: (answered, given) => given.tickers(answered),
};

/** How often the status is polled during an outage or maintenance, when the contract allows more than once a minute. */
const statusDuringOutageMs = 15_000;
/** The shortest wait for the end of a window. */
const windowEndGapMs = 1_000;
/** With wider bounds the end of a window is too uncertain to wait for: the client measures the server's time first. */
const impreciseClockMs = 2_000;
/** Shortest time between two measurements of the clock. */
const measureGapMs = 60_000;

/**
 * A client of one service with one key. It makes no request before the first call. All returned objects
 * are frozen.
 */
export class MarketDataClient {
  readonly #settings: Settings;
  readonly #requester: Requester;
  readonly #given: GivenTickers;
  #budget: ReturnType<typeof sharedBudget>;
  readonly #statusPoller: Poller<ServiceStatus>;
  readonly #marketsPoller: Poller<readonly Market[]>;
  readonly #tickersPoller: Poller<readonly Ticker[]>;
  readonly #tickerPollers = new Map<string, Poller<Ticker>>();
  /** The caller uses the server's time, so it is measured again from time to time. */
  #isClockUsed = false;
  #callsUnderWay = 0;
  #measureFromMs = Number.NEGATIVE_INFINITY;

  constructor(options: ClientOptions) {
    const settings = settingsOf(options);
    const { clock, random, baseUrl, apiKey, fetch, hooks } = settings;
    this.#settings = settings;
    this.#budget = sharedBudget(clock, random, baseUrl, apiKey);
    this.#given = new GivenTickers(this.#budget.serverClock);
    const { waitForLimit: waitsForBudget, attemptTimeoutMs } = settings;
    const session = { wire: new Wire(baseUrl, apiKey, fetch, clock), budget: this.#budget };
    this.#requester = new Requester({ clock, random, hooks, waitsForBudget, attemptTimeoutMs }, session);
    this.#statusPoller = this.#poller(statusResource, (status) => statusIntervalMs(status, settings.maxDataAgeMs));
    this.#marketsPoller = this.#poller(marketsResource, () => pollingIntervalsMs.markets);
    this.#tickersPoller = this.#poller(tickersResource, () => pollingIntervalsMs.tickers);
  }

  /**
   * Sends another key from now on, in running watches too, which ask at once: for a key that is rotated, or was
   * refused. Throws `TypeError` for a text that cannot be a key.
   */
  exchangeKey(apiKey: string): void {
    const { clock, random, baseUrl, fetch } = this.#settings;
    const wire = new Wire(baseUrl, checkedKey(apiKey), fetch, clock);
    this.#budget = sharedBudget(clock, random, baseUrl, apiKey, this.#budget.serverClock);
    this.#requester.exchange({ wire, budget: this.#budget });
    const pollers = [this.#statusPoller, this.#marketsPoller, this.#tickersPoller, ...this.#tickerPollers.values()];
    for (const poller of pollers) poller.restart();
  }

  /** The server's time (`GET /v1/time`). Measures the clock along the way. */
  time(options: CallOptions = {}): Call<ServerTime> {
    return this.#get(timeResource, options);
  }

  /** State of the service and of the feed (`GET /v1/status`). Answers during maintenance too. */
  status(options: CallOptions = {}): Call<ServiceStatus> {
    return this.#get(statusResource, options);
  }

  /** All markets, ordered by symbol (`GET /v1/markets`). */
  markets(options: CallOptions = {}): Call<readonly Market[]> {
    return this.#get(marketsResource, options);
  }

  /**
   * One market's prices (`GET /v1/ticker`). The symbol's case does not matter. Never older than what this client has
   * given of the market before, by `timestampMs`: the same object again where the answer is older.
   */
  ticker(symbol: string, options: CallOptions = {}): Call<Ticker> {
    return this.#get(tickerResource(symbol), options);
  }

  /** The prices of every market that has one, ordered by symbol (`GET /v1/tickers`). None older than given before. */
  tickers(options: CallOptions = {}): Call<readonly Ticker[]> {
    return this.#get(tickersResource, options);
  }

  /** What is left of the key's limit in this minute, as far as answers have said it; undefined before the first. */
  get budget(): LimitFigures | undefined {
    return this.#budget.left;
  }

  /** Requests the server's time and returns the offset of the local clock. */
  async syncClock(options: CallOptions = {}): Promise<ClockOffset> {
    await this.#get(timeResource, options);
    this.#isClockUsed = true;
    const { serverClock } = this.#budget;
    return { offsetMs: serverClock.offsetMs, uncertaintyMs: serverClock.widthMs / 2 };
  }

  /**
   * The server's time in epoch milliseconds, as far as it is known: the local clock's before the first
   * `time`, `status`, `syncClock` or watch. Setting the local clock does not move it.
   */
  now(): number {
    this.#isClockUsed = true;
    return this.#budget.serverClock.now();
  }

  /**
   * The age of a ticker, or of the feed as of a status, by the server's clock as far as it is known, and how far the
   * truth can be from that. Sends nothing, now or later: `syncClock` or a watch make it exact.
   */
  age(of: Pick<Ticker, 'timestampMs'> | Pick<ServiceStatus, 'lastUpdatedAtMs'>): Age {
    return { ageMs: this.ageMs(of), uncertaintyMs: this.#budget.serverClock.uncertaintyMs };
  }

  /** The age alone. Infinite for a feed that never delivered. */
  ageMs(of: Pick<Ticker, 'timestampMs'> | Pick<ServiceStatus, 'lastUpdatedAtMs'>): number {
    const atMs = 'timestampMs' in of ? of.timestampMs : of.lastUpdatedAtMs;
    return atMs === null ? Number.POSITIVE_INFINITY : Math.max(0, this.#budget.serverClock.now() - atMs);
  }

  /**
   * The status whenever it changes. Polls once a minute, and every 15 seconds while the feed is worse and in
   * maintenance.
   */
  watchStatus(options: Omit<WatchOptions, 'includeStale'> = {}): Watch<ServiceStatus> {
    return this.#watch(statusSource(this.#statusPoller, this.#stateOptions), options);
  }

  /** All markets whenever one changes. Polls once an hour. */
  watchMarkets(options: Omit<WatchOptions, 'includeStale'> = {}): Watch<readonly Market[]> {
    return this.#watch(this.#dataSource(this.#marketsPoller, true), options);
  }

  /** All prices whenever one changes. Polls every 5 seconds, however many watches there are. */
  watchTickers(options: WatchOptions = {}): Watch<readonly Ticker[]> {
    return this.#watch(this.#dataSource(this.#tickersPoller, options.includeStale === true), options);
  }

  /** One market's prices whenever they change. Costs 12 requests a minute: for several markets use `watchTickers`. */
  watchTicker(symbol: string, options: WatchOptions = {}): Watch<Ticker> {
    const resource = tickerResource(symbol);
    const poller = this.#tickerPollers.get(resource.path) ?? this.#poller(resource, () => pollingIntervalsMs.ticker);
    this.#tickerPollers.set(resource.path, poller);
    return this.#watch(this.#dataSource(poller, options.includeStale === true), options);
  }

  toJSON(): object {
    return { baseUrl: this.#settings.baseUrl };
  }

  #watch<T>(source: ConstructorParameters<typeof PolledWatch<T>>[0], options: WatchOptions): Watch<T> {
    this.#isClockUsed = true;
    return new PolledWatch(source, options);
  }

  #dataSource<T>(poller: Poller<T>, includesUnreliable: boolean) {
    return dataSource(poller, this.#statusPoller, { ...this.#stateOptions, includesUnreliable });
  }

  get #stateOptions(): StateOptions {
    const toServerTime = (monotonicMs: number) => this.#toServerTime(monotonicMs);
    return { toServerTime, maxDataAgeMs: this.#settings.maxDataAgeMs };
  }

  #poller<T>(resource: Resource<T>, intervalMs: (latest: T) => number): Poller<T> {
    const { clock, random } = this.#settings;
    // The recommended interval, but a minute at most: after a failure an hour would be too long.
    const afterFailureMs = resource.path.startsWith('/v1/ticker')
      ? pollingIntervalsMs.tickers
      : pollingIntervalsMs.status;
    const ask = (signal: AbortSignal, onWait: (waitMs: number) => void) => {
      return this.#newestOf(resource, { signal, onWait, attempts: 1, deadlineMs: Number.POSITIVE_INFINITY });
    };
    return new Poller({ clock, random, ask, intervalMs, afterFailureMs });
  }

  #get<T>(resource: Resource<T>, options: CallOptions): Call<T> {
    return new PendingCall(this.#answered(resource, options));
  }

  async #answered<T>(resource: Resource<T>, { signal, deadlineMs, maxAttempts }: CallOptions): Promise<Answered<T>> {
    const limits: CallLimits = {
      signal,
      attempts: maxAttempts ?? this.#settings.maxAttempts,
      deadlineMs: deadlineMs ?? this.#settings.deadlineMs,
    };
    signal?.throwIfAborted();
    this.#callsUnderWay++;
    try {
      return await this.#newestOf(resource, limits);
    } finally {
      this.#callsUnderWay--;
    }
  }

  /** One answer, as it is given: nothing is awaited between the choice of the newest and the caller. */
  async #newestOf<T>(resource: Resource<T>, limits: CallLimits): Promise<Answered<T>> {
    this.#prepareClock(resource);
    const { data, response } = await this.#requester.get(resource, limits);
    return { data: resource.newest?.(data, this.#given) ?? data, response };
  }

  /**
   * Measures the clock when that is due, just before a request and without delaying it: while the caller
   * uses the server's time, and when calls run in parallel or the window is nearly used up, because a
   * wait for the next window needs to know when that begins.
   */
  #prepareClock(resource: Resource<unknown>): void {
    if (resource.serverTimeMs !== undefined) return;
    const { serverClock, isScarce } = this.#budget;
    const { waitForLimit, remeasureClockMs, clock } = this.#settings;
    const isDue = this.#isClockUsed && serverClock.preciseAgeMs > remeasureClockMs;
    const isImprecise = waitForLimit && serverClock.widthMs > impreciseClockMs;
    const nowMs = clock.monotonicMs();
    if ((isDue || (isImprecise && (isScarce || this.#callsUnderWay > 1))) && nowMs >= this.#measureFromMs) {
      this.#measureFromMs = nowMs + measureGapMs;
      void this.#measure();
    }
  }

  /** Ignores failures: the request that follows meets them too. */
  async #measure(): Promise<void> {
    const limits = { signal: undefined, attempts: 1, deadlineMs: this.#settings.attemptTimeoutMs };
    await this.#requester.get(timeResource, limits).catch(() => {});
  }

  #toServerTime(monotonicMs: number): number {
    return Math.round(this.now() + monotonicMs - this.#settings.clock.monotonicMs());
  }
}

/**
 * Once a minute, more often while something is wrong, at the announced end of a window, and when data is getting too
 * old.
 */
function statusIntervalMs(latest: ServiceStatus, maxDataAgeMs: number): number {
  const { status, components, maintenance, serverTimeMs } = latest;
  if (status === 'maintenance' && maintenance !== null) {
    return Math.max(windowEndGapMs, Math.min(statusDuringOutageMs, maintenance.toMs - serverTimeMs));
  }
  if (components.ticker === 'degraded') {
    const leftMs = maxDataAgeMs - dataAgeMs(latest);
    return leftMs < 0 ? statusDuringOutageMs : Math.max(statusGapMs, Math.min(statusDuringOutageMs, leftMs + 1));
  }
  return components.ticker === 'outage' ? statusDuringOutageMs : pollingIntervalsMs.status;
}

/** Creates a client. Throws when an option is invalid; makes no request. */
export function createClient(options: ClientOptions): MarketDataClient {
  return new MarketDataClient(options);
}

function tickerResource(symbol: string): Resource<Ticker> {
  return {
    path: `/v1/ticker?symbol=${encodeURIComponent(symbol.replace(/[a-z]/g, (letter) => letter.toUpperCase()))}`,
    read: readTicker,
    newest: (answered, given) => given.ticker(answered),
  };
}
