import type { Clock, Timer } from '../ground/clock.ts';
import type { Log } from '../ground/log.ts';
import type { MetricGroup } from '../ground/metric.ts';
import { isSilent } from '../market/data-flow.ts';
import type { MarketState } from '../market/market-state.ts';
import type { BoardFollower } from './board-follower.ts';
import type { BoardPublisher } from './board-publisher.ts';
import type { LeaseObserver } from './feed-lease.ts';
import type { LeaderSign } from './market-replication.ts';

/** A feed of this process, which runs once. */
interface OwnFeed {
  start(): void;
  stop(): void | Promise<void>;
}

export interface SharedFeedParts<Feed extends OwnFeed> {
  readonly clock: Clock;
  readonly log: Log;
  readonly makeFeed: () => Feed;
  readonly publisher: Pick<BoardPublisher, 'lead' | 'resign' | 'giveWay' | 'offer'>;
  readonly follower: Pick<BoardFollower, 'start' | 'stop' | 'catchUp'>;
  /** The fencing number while this process may lead. */
  readonly fence: () => number | undefined;
  /**
   * Whether a feed of this process gets prices without the others: not where an engine pushes to one process, or
   * through Redis.
   */
  readonly mayFeedAlone: () => boolean;
  /**
   * Takes what the leading process sent.
   *
   * @param sign see `FollowerParts.take`
   * @param isNewer its tickers are newer than those of this process, whatever their times
   */
  readonly take: (state: MarketState, sign: LeaderSign | undefined, isNewer: boolean) => void;
}

/**
 * `following`: the leading process feeds the market. `leading`: this one does, for all. `alone`: it feeds its own
 * market, because nobody can be asked. `returning`: another leads again, and the own feed goes on until that has proved
 * to last.
 */
type Role = 'following' | 'leading' | 'alone' | 'returning';

/** The part of a process in the feed that several have together. */
export interface SharingFigures {
  /** It runs the feed for all. */
  readonly isLeading: boolean;
  /** It runs a feed for itself, because Redis cannot be asked, or could not until a moment ago. */
  readonly isAlone: boolean;
  /** How often it took the whole state. */
  readonly resyncs: number;
  /** Why the lease cannot be asked for; `undefined` while it can. */
  readonly leaseTrouble: string | undefined;
}

/**
 * How long an own feed goes on beside the leader's: a Redis that comes and goes makes no more than five connections a
 * minute.
 */
const returnAfterMs = 10_000;
/**
 * Whatever the leader has sent this long after the own feed has ended is newer than anything that came of it, or takes
 * that in.
 */
const settleMs = 1_500;

/**
 * Decides which feed makes the prices of this process: its own, or that of the leading one. Reactions come one after
 * the other.
 */
export class SharedFeed<Feed extends OwnFeed> implements LeaseObserver {
  readonly #parts: SharedFeedParts<Feed>;
  #role: Role = 'following';
  #feed: Feed;
  #isFeeding = false;
  #isStopped = false;
  #isReading = false;
  #turn: Promise<void> = Promise.resolve();
  #returning: Timer | undefined;
  /** The leader's state, collected while the own feed made the prices. */
  #collected: MarketState | undefined;
  #sign: LeaderSign | undefined;

  constructor(parts: SharedFeedParts<Feed>) {
    this.#parts = parts;
    this.#feed = parts.makeFeed();
  }

  /** The feed that runs, or the next one to. */
  get feed(): Feed {
    return this.#feed;
  }

  get isFeeding(): boolean {
    return this.#isFeeding;
  }

  get isLeading(): boolean {
    return this.#role === 'leading';
  }

  /** On a feed of its own, for nobody else. */
  get isAlone(): boolean {
    return this.#role === 'alone' || this.#role === 'returning';
  }

  /** Follows from now on. Resolves once this process has what the others published before, or that cannot be had. */
  async start(): Promise<void> {
    await this.#parts.follower.catchUp();
    if (!this.#isStopped) this.#read();
  }

  /** The feed ends at once; resolves when nothing more is taken. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelReturn();
    this.#end();
    await this.#turn;
    this.#end();
    await this.#parts.follower.stop();
  }

  gained(fence: number): void {
    this.#next(() => this.#lead(fence));
  }

  elsewhere(): void {
    this.#next(() => this.#giveWay());
  }

  unreachable(reason: string): void {
    this.#next(() => this.#goAlone(reason));
  }

  failed(reason: string): void {
    this.#parts.log.warn({ reason }, 'the lease of the feed cannot be had: Redis does not answer as it should');
  }

  /** Something came from the leading process. */
  received(state: MarketState, sign: LeaderSign | undefined): void {
    if (this.#role === 'following') this.#parts.take(state, sign, false);
    if (this.#role !== 'returning') return;
    this.#collected = this.#collected === undefined ? state : merged(this.#collected, state);
    if (sign !== undefined && sign.atMs > (this.#sign?.atMs ?? Number.NEGATIVE_INFINITY)) this.#sign = sign;
  }

  #next(run: () => Promise<void> | void): void {
    this.#turn = this.#turn.then(() => (this.#isStopped ? undefined : run()));
  }

  async #lead(fence: number): Promise<void> {
    const { publisher, follower, log } = this.#parts;
    this.#cancelReturn();
    if (!this.#isFeeding && this.#role === 'following') {
      await follower.catchUp();
      this.#isReading = false;
      if (this.#parts.fence() !== fence) return this.#read();
    }
    this.#stopReading();
    log.info({ fence }, 'this process runs the feed now, for all processes');
    this.#role = 'leading';
    publisher.lead();
    this.#beginFeed();
  }

  #giveWay(): void {
    const { log, clock } = this.#parts;
    if (this.#role === 'leading') {
      log.warn({}, 'this process does not run the feed any more: another does');
      this.#parts.publisher.giveWay();
      this.#end();
      this.#role = 'following';
    } else if (this.#role === 'alone') {
      this.#role = 'returning';
      this.#returning = clock.after(returnAfterMs, () => this.#next(() => this.#endOwn()));
    }
    this.#read();
  }

  #goAlone(reason: string): void {
    const { publisher, log, mayFeedAlone } = this.#parts;
    publisher.resign();
    this.#cancelReturn();
    if (!this.#isFeeding && !mayFeedAlone()) {
      this.#role = 'following';
      log.warn(
        { reason },
        'Redis cannot be asked, and this process cannot have a feed of its own: its prices stand still',
      );
      return;
    }
    log.warn({ reason }, 'Redis cannot be asked: this process goes on with a feed of its own');
    this.#role = 'alone';
    // What came before it knows that another leads would be lost: whoever follows again begins with the whole state.
    this.#stopReading();
    this.#beginFeed();
  }

  /**
   * The leader's values are taken a moment later: what came last of the own feed may still be on its way to the others.
   */
  #endOwn(): void {
    const { clock } = this.#parts;
    if (this.#role !== 'returning') return;
    const sign = this.#sign;
    const isLeaderFed = sign !== undefined && !isSilent(clock.monotonicMs() - sign.atMs, sign.pollEveryMs);
    if (isLeaderFed) {
      this.#end();
      this.#parts.publisher.offer(this.#collected!);
    }
    const next = isLeaderFed ? () => this.#follow() : () => this.#endOwn();
    this.#returning = clock.after(settleMs, () => this.#next(next));
  }

  #follow(): void {
    if (this.#role !== 'returning') return;
    const state = this.#collected;
    const sign = this.#sign;
    this.#cancelReturn();
    this.#role = 'following';
    if (state !== undefined) this.#parts.take(state, sign, true);
    this.#parts.log.info({}, 'this process follows the feed of another again');
  }

  #cancelReturn(): void {
    this.#returning?.cancel();
    this.#collected = undefined;
    this.#sign = undefined;
  }

  #read(): void {
    if (!this.#isReading) this.#parts.follower.start();
    this.#isReading = true;
  }

  /** Not waited for: a read can hang as long as the server does, and what it brings is not taken any more. */
  #stopReading(): void {
    if (this.#isReading) void this.#parts.follower.stop();
    this.#isReading = false;
  }

  #beginFeed(): void {
    if (this.#isFeeding) return;
    this.#isFeeding = true;
    this.#feed.start();
  }

  #end(): void {
    this.#parts.publisher.resign();
    if (!this.#isFeeding) return;
    this.#isFeeding = false;
    void this.#feed.stop();
    this.#feed = this.#parts.makeFeed();
  }
}

/** Both changes as one. */
function merged(one: MarketState, next: MarketState): MarketState {
  const tickers = new Map([...one.tickers, ...next.tickers]);
  const references = new Map([...one.references, ...next.references]);
  const rates = new Map([...one.rates, ...next.rates]);
  const beliefs = new Map([...(one.beliefs ?? []), ...(next.beliefs ?? [])]);
  return { ...one, ...next, tickers, references, rates, beliefs };
}

export const sharedFeedMetrics: MetricGroup<SharingFigures | undefined> = {
  title: 'Redis',
  metrics: [
    {
      name: 'feed_leading',
      help: '1 while this process runs the feed for all, 0 while it follows another; 1 in all over the processes.',
      read: (figures) => Number(figures?.isLeading ?? false),
    },
    {
      name: 'feed_alone',
      help: '1 while this process runs a feed for itself, because Redis cannot be asked who leads.',
      read: (figures) => Number(figures?.isAlone ?? false),
    },
    {
      name: 'feed_state_taken_total',
      help: 'Times the whole market state was taken from another process.',
      read: (figures) => figures?.resyncs ?? 0,
    },
  ],
};
