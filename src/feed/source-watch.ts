import type { Clock, Timer } from '../ground/clock.ts';
import type { Log } from '../ground/log.ts';
import type { FeedTarget } from '../market/feed-target.ts';
import { reviewSources, type SourceChange } from '../market/source-review.ts';
import type { FeedSupervisor } from './supervisor.ts';

interface SourceWatchParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly market: FeedTarget;
}

/** A source as its supervisor tells of it. */
export type WatchedSource = Pick<
  FeedSupervisor,
  'reach' | 'isHeard' | 'isQuiet' | 'isLive' | 'stalled' | 'hasLiveSince' | 'heardMs'
>;

const everyMs = 500;
/** A price this long after another source's last one shows that the market goes on without that source. */
const marketContinuesMs = 2_000;
const symbolsShown = 20;

/** Chooses, twice a second and whenever a source loses or gains its live connection, whose prices are served. */
export class SourceWatch {
  readonly #parts: SourceWatchParts;
  readonly #supervisors: ReadonlyMap<string, WatchedSource>;
  #timer: Timer | undefined;
  #stoppedBefore: ReadonlySet<string> = new Set();

  constructor(parts: SourceWatchParts, supervisors: ReadonlyMap<string, WatchedSource>) {
    this.#parts = parts;
    this.#supervisors = supervisors;
  }

  start(): void {
    const { market, clock } = this.#parts;
    market.markets.holdAbandoned(clock.now());
    this.#timer = clock.every(everyMs, () => this.review());
  }

  /** Other sources are there, or in another order. What was the price of one that is gone and of no other is held. */
  replaced(): void {
    if (this.#timer === undefined) return;
    this.review();
    this.#parts.market.markets.holdAbandoned(this.#parts.clock.now());
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  review(): void {
    const { market, clock } = this.#parts;
    const stopped = this.#stopped();
    const facts = {
      reach: (source: string, symbol: SourceChange['symbol']) =>
        stopped.has(source) ? ('silent' as const) : this.#supervisors.get(source)!.reach(symbol),
      isHeard: (source: string, symbol: SourceChange['symbol']) => this.#supervisors.get(source)!.isHeard(symbol),
      isQuiet: (source: string, symbol: SourceChange['symbol']) => this.#supervisors.get(source)!.isQuiet(symbol),
      isLive: (source: string) => !stopped.has(source) && this.#supervisors.get(source)!.isLive,
    };
    const at = { now: clock.now(), nowMs: clock.monotonicMs() };
    const { serving, changed } = reviewSources(market.markets, facts, at);
    if (changed.length > 0) this.#report(changed);
    for (const id of market.feedStatus.sourceIds) if (!this.#supervisors.has(id)) market.feedStatus.source(id).lost();
    for (const [id, { heardMs }] of this.#supervisors) {
      const signs = market.feedStatus.source(id);
      if (facts.isLive(id)) signs.heard(heardMs, at.now, at.nowMs);
      else signs.lost();
    }
    const isAnyLive = [...this.#supervisors.values()].some(({ isLive }) => isLive);
    market.feedStatus.reviewed(serving, isAnyLive, at.now, at.nowMs);
  }

  /**
   * The sources whose prices stopped although their connection is alive, while another has newer ones of the same
   * markets.
   */
  #stopped(): ReadonlySet<string> {
    const stopped = new Set<string>();
    for (const [id, supervisor] of this.#supervisors) {
      const { stalled } = supervisor;
      if (stalled === undefined) continue;
      const { atMs, symbols } = stalled;
      const others = [...this.#supervisors.values()].filter((other) => other !== supervisor);
      if (others.some((other) => other.hasLiveSince(atMs + marketContinuesMs, symbols))) stopped.add(id);
    }
    for (const source of stopped) {
      if (!this.#stoppedBefore.has(source))
        this.#parts.log.warn({ source }, 'no prices come although the connection is alive');
    }
    this.#stoppedBefore = stopped;
    return stopped;
  }

  #report(changed: readonly SourceChange[]): void {
    for (const [to, changes] of Map.groupBy(changed, (change) => change.to)) {
      const before = changes.filter(({ from }) => from !== undefined);
      if (before.length === 0) continue;
      const symbols = before.slice(0, symbolsShown).map(({ symbol }) => symbol);
      this.#parts.log.warn(
        { source: to, from: before[0]?.from, symbols, count: before.length },
        'prices come from another source',
      );
    }
  }
}
