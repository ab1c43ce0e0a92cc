import { tickerOutageAfterMs } from '../contract/limits.ts';
import type { EpochMs } from '../ground/clock.ts';
import type { MetricGroup, Sample } from '../ground/metric.ts';
import { ageOf, bestSign, clockDriftMs, type DataFlow, dataFlow, type LifeSign, SourceSigns } from './data-flow.ts';
import { type MaintenanceWindow, runningWindow, shownWindow } from './maintenance.ts';
import type { Serving } from './served-price.ts';
import type { FeedPath } from './upstream.ts';

/** Overall state of the service or of a part (contract, PublicServiceStatus; the set is open to new values). */
export type ServiceState = 'operational' | 'degraded' | 'outage' | 'maintenance';

/** State of the feed. */
export type FeedState = Exclude<ServiceState, 'maintenance'>;

/** Stands for the process that runs the feed, of which this one knows no single source. */
const elsewhere = '';

/** The share of the priced markets that may be served over a lesser path than their best while the feed is live. */
const lesserShareMax = 0.1;

/**
 * When the prices that are served last proved current, what the sources that make them show of whether data flows, and
 * over which path they come. Only the first survives a restart.
 */
export class FeedStatus {
  #path: FeedPath = 'fallback';
  #lastUpdatedAt: EpochMs | undefined;
  #lastUpdatedMonotonicMs: number | undefined;
  /** The instant is by the clock of another process, and shown as it is: two clocks never agree. */
  #isReported = false;
  readonly #sources = new Map<string, SourceSigns>();
  /** How prices came at the last review; `undefined` before the first, and where another process reviews. */
  #serving: Serving | undefined;

  /** Takes over the instant from before a restart. Only the wall clock knows its age. */
  restore(lastUpdatedAt: EpochMs | undefined): void {
    this.#lastUpdatedAt = lastUpdatedAt;
    this.#lastUpdatedMonotonicMs = undefined;
    this.#isReported = false;
  }

  feedCurrent(path: FeedPath, at: EpochMs, monotonicMs: number): void {
    this.updated(path, at, monotonicMs);
    this.source(elsewhere).current(path === 'live', at, monotonicMs);
  }

  /** The prices proved current at this instant; what sources show of themselves is noted apart. */
  updated(path: FeedPath, at: EpochMs, monotonicMs: number): void {
    this.followed(path, at, monotonicMs);
    this.#isReported = false;
  }

  /** A price that is served was current at an instant. An earlier one than is known changes nothing. */
  pricesCurrent(at: EpochMs, now: EpochMs, monotonicMs: number): void {
    if (this.isNewer(at, now)) this.updated(this.#path, at, monotonicMs - Math.max(0, now - at));
  }

  /**
   * Takes how the prices come now. They are on the fallback while no source is live, or more than a tenth of them are
   * not over their best path.
   */
  reviewed(serving: Serving, isAnyLive: boolean, now: EpochMs, monotonicMs: number): void {
    this.#serving = serving;
    const { priced, lesser, newestAt } = serving;
    this.#path = isAnyLive && lesser <= priced * lesserShareMax ? 'live' : 'fallback';
    // A price is also made by a choice, of values that came before it.
    if (newestAt !== undefined) this.pricesCurrent(newestAt, now, monotonicMs);
  }

  /**
   * Whether an instant of the feed replaces the known one: not an earlier one, unless that is ahead of the clock, which
   * was set back since.
   */
  isNewer(at: EpochMs, now: EpochMs): boolean {
    const known = this.#lastUpdatedAt ?? 0;
    return at > known || known > now + clockDriftMs;
  }

  /** The feed of another process proved current, which shows nothing of whether it still lives. */
  followed(path: FeedPath, at: EpochMs, monotonicMs: number): void {
    this.#path = path;
    this.#lastUpdatedAt = at;
    this.#lastUpdatedMonotonicMs = monotonicMs;
    this.#isReported = true;
  }

  /** The signs of life of a source of this process. */
  source(id: string): SourceSigns {
    const known = this.#sources.get(id) ?? new SourceSigns();
    this.#sources.set(id, known);
    return known;
  }

  /** The ids of the sources that were ever asked for. */
  get sourceIds(): Iterable<string> {
    return this.#sources.keys();
  }

  /**
   * The feed lived at `signMs`, by the monotonic clock, which shows `monotonicMs` now. An older sign changes nothing.
   *
   * @param pollEveryMs how soon another sign follows, where it polls
   */
  signOfLife(signMs: number, now: EpochMs, monotonicMs: number, pollEveryMs?: number): void {
    if (pollEveryMs === undefined) this.source(elsewhere).heard(signMs, now, monotonicMs);
    else this.source(elsewhere).polled(signMs, pollEveryMs, now, monotonicMs);
  }

  /** Gives the sign of life that says most of whether data flows. */
  sign(now: EpochMs, monotonicMs: number): LifeSign {
    return bestSign(this.#makers(), now, monotonicMs);
  }

  /** The signs of the sources that make prices: no other's say anything of those. */
  *#makers(): Generator<SourceSigns> {
    for (const [id, signs] of this.#sources)
      if (id === elsewhere || this.#serving === undefined || this.#serving.makers.has(id)) yield signs;
  }

  /** Decides whether data flows from one source of this process. */
  flowOf(id: string, now: EpochMs, monotonicMs: number): DataFlow {
    return (this.#sources.get(id) ?? new SourceSigns()).flow(now, monotonicMs);
  }

  /** Decides whether data flows, from whichever source makes prices. */
  flow(now: EpochMs, monotonicMs: number): DataFlow {
    const ageMs = this.ageMs(now, monotonicMs);
    const updatedAt = ageMs === undefined ? undefined : this.shownAt(now, ageMs);
    return dataFlow(this.#makers(), updatedAt, ageMs, now, monotonicMs);
  }

  /** Gives the feed as it would be if the wall clock showed `at` now: its data as old, and as alive. */
  movedTo(at: EpochMs, now: EpochMs, monotonicMs: number): FeedStatus {
    const moved = new FeedStatus();
    moved.pathChanged(this.#path);
    const ageMs = this.ageMs(now, monotonicMs);
    if (ageMs !== undefined) moved.updated(this.#path, (at - ageMs) as EpochMs, monotonicMs - ageMs);
    const { silentMs, pollEveryMs } = this.sign(now, monotonicMs);
    if (Number.isFinite(silentMs)) moved.signOfLife(monotonicMs - silentMs, at, monotonicMs, pollEveryMs);
    return moved;
  }

  pathChanged(path: FeedPath): void {
    this.#path = path;
  }

  get path(): FeedPath {
    return this.#path;
  }

  get lastUpdatedAt(): EpochMs | undefined {
    return this.#lastUpdatedAt;
  }

  /** `lastUpdatedAt` as clients see it: by the clock that gives the age, where it was this process's own. */
  shownAt(now: EpochMs, ageMs: number): EpochMs {
    return this.#isReported ? this.#lastUpdatedAt! : ((now - ageMs) as EpochMs);
  }

  /** Age of the market data in milliseconds, `undefined` when there never was any. */
  ageMs(now: EpochMs, monotonicMs: number): number | undefined {
    this.#anchorRestored(now, monotonicMs);
    if (this.#lastUpdatedAt === undefined) return undefined;
    return ageOf(this.#lastUpdatedAt, this.#lastUpdatedMonotonicMs, now, monotonicMs);
  }

  /**
   * The wall clock gives the age of restored data once; from then on the monotonic clock counts along.
   * An instant in the future means that the wall clock was set back, and nobody knows the age: it counts as too old to
   * rely on. It is no reason to say that there never was any data.
   */
  #anchorRestored(now: EpochMs, monotonicMs: number): void {
    if (this.#lastUpdatedAt === undefined || this.#lastUpdatedMonotonicMs !== undefined) return;
    if (this.#lastUpdatedAt > now + clockDriftMs) this.#lastUpdatedAt = (now - tickerOutageAfterMs - 1) as EpochMs;
    this.#lastUpdatedMonotonicMs = monotonicMs - Math.max(0, now - this.#lastUpdatedAt);
  }
}

/** `components.ticker` at one instant. A quiet market on a living connection is no fault. */
export function tickerState(feed: FeedStatus, now: EpochMs, monotonicMs: number): FeedState {
  const ageMs = feed.ageMs(now, monotonicMs);
  if (ageMs === undefined || ageMs > tickerOutageAfterMs) return 'outage';
  const isAtItsBest = feed.path === 'live' && feed.flow(now, monotonicMs).state === 'flowing';
  return isAtItsBest ? 'operational' : 'degraded';
}

/**
 * The service's status now (contract, ServiceStatus): `maintenance` in a window, else the worst of `api` (operational
 * by then) and the ticker's.
 */
export function serviceStatus(
  feed: FeedStatus,
  windows: readonly MaintenanceWindow[],
  now: EpochMs,
  monotonicMs: number,
) {
  const ageMs = feed.ageMs(now, monotonicMs);
  const ticker = tickerState(feed, now, monotonicMs);
  const running = runningWindow(windows, now) !== undefined;
  return {
    status: running ? ('maintenance' as const) : ticker,
    api: running ? ('maintenance' as const) : ('operational' as const),
    ticker,
    flow: feed.flow(now, monotonicMs),
    maintenance: shownWindow(windows, now),
    /**
     * `now` less the data's age; in other processes the instant of the one with the feed. `undefined` when it never
     * delivered.
     */
    lastUpdatedAt: ageMs === undefined ? undefined : feed.shownAt(now, ageMs),
  };
}

export const feedStatusMetrics: MetricGroup<{
  readonly status: FeedStatus;
  readonly now: EpochMs;
  readonly monotonicMs: number;
}> = {
  title: 'Data',
  metrics: [
    {
      name: 'market_data_age_seconds',
      help: 'Age of the market data; absent until there is any.',
      read: ({ status, now, monotonicMs }) => {
        const ageMs = status.ageMs(now, monotonicMs);
        return ageMs === undefined ? undefined : ageMs / 1000;
      },
    },
    {
      name: 'feed_path',
      help:
        '1 for the path market data comes over, 0 for the other: `live`, or `fallback` while a market that was live is ' +
        'polled or on a standby.',
      labels: ['path'],
      read: ({ status }) => ['live', 'fallback'].map((name): Sample => [name, Number(status.path === name)]),
    },
  ],
};
