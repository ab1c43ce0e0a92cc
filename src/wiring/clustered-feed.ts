import { BoardFollower, followerBlockMs } from '../cluster/board-follower.ts';
import { BoardPublisher } from '../cluster/board-publisher.ts';
import { FeedLease } from '../cluster/feed-lease.ts';
import { MarketChanges, takeState } from '../cluster/market-replication.ts';
import { RedisCalls } from '../cluster/redis-calls.ts';
import type { RedisAddress } from '../cluster/redis-connection.ts';
import { redisLeases } from '../cluster/redis-lease.ts';
import type { AskRecord } from '../feed/recorded-references.ts';
import type { FeedTarget } from '../market/feed-target.ts';
import type { MarketState } from '../market/market-state.ts';
import type { CatalogueReview } from '../persistence/catalogue-review.ts';
import { createFeed, type Feed, loadKinds } from './feed.ts';
import type { ServiceOptions } from './service-options.ts';

interface ClusteredFeedParts extends FeedTarget, Pick<ServiceOptions, 'clock' | 'randomness' | 'log'> {
  readonly address: RedisAddress;
  /** A feed runs once: each time this process leads it gets a new one. */
  readonly makeFeed: () => Feed;
  /** Whether this process may lead; if not it only follows. */
  readonly mayLead: boolean;
}

/** The feed of a process: its own, or the one that several processes have together. */
export interface ProcessFeed extends Feed {
  /** Whether this process runs the feed for all, and how often it took the whole state. Absent where it does not share its feed. */
  figures?(): { readonly isLeading: boolean; readonly resyncs: number };
}

/** Makes it as configured. @param only the part of the service that runs; an `api` never leads */
export async function processFeed(
  options: ServiceOptions,
  market: FeedTarget & { readonly review: CatalogueReview },
  askRecord: AskRecord | undefined,
): Promise<ProcessFeed> {
  const { configuration, only } = options;
  const { redis } = configuration;
  const kinds = await loadKinds(configuration);
  const { review } = market;
  const makeFeed = () => createFeed(configuration, kinds, { ...options, market, review, askRecord });
  if (redis === undefined) return makeFeed();
  return new ClusteredFeed({ ...options, ...market, address: redis, makeFeed, mayLead: only !== 'api' });
}

/**
 * One feed for several processes: the holder of the lease runs it and publishes what it delivers; the others follow, and one of them
 * takes over within seconds when it is gone.
 */
class ClusteredFeed implements ProcessFeed {
  readonly #parts: ClusteredFeedParts;
  readonly #redis: RedisCalls;
  readonly #lease: FeedLease;
  readonly #publisher: BoardPublisher;
  readonly #follower: BoardFollower;
  #feed: Feed;
  #isFeeding = false;
  /** Reactions to changes of leadership, one after the other. */
  #turn: Promise<void> = Promise.resolve();

  constructor(parts: ClusteredFeedParts) {
    const { address, clock, randomness, log } = parts;
    this.#parts = parts;
    const redis = new RedisCalls(address, clock, randomness, followerBlockMs);
    this.#redis = redis;
    const holder = Buffer.from(randomness.bytes(12)).toString('base64url');
    this.#lease = new FeedLease(redisLeases(redis.ask), clock, holder, {
      gained: (fence) => this.#next(() => this.#lead(fence)),
      lost: (reason) => {
        this.#publisher.resign();
        this.#next(() => this.#follow(reason));
      },
    });
    this.#publisher = new BoardPublisher({
      call: redis.ask,
      clock,
      changes: new MarketChanges(parts, clock),
      fence: () => this.#lease.fence,
      refused: () => this.#lease.refused(),
    });
    const take = (state: MarketState) => takeState(parts, clock, state);
    this.#follower = new BoardFollower({ call: redis.wait, clock, take, log });
    this.#feed = parts.makeFeed();
  }

  start(): void {
    this.#redis.start();
    this.#follower.start();
    if (this.#parts.mayLead) this.#lease.start();
  }

  async stop(): Promise<void> {
    this.#stopFeed();
    await this.#lease.stop();
    await this.#turn;
    const followed = this.#follower.stop();
    this.#redis.stop();
    await followed;
  }

  sources() {
    return this.#feed.sources();
  }

  rates() {
    return this.#feed.rates();
  }

  clock() {
    return this.#feed.clock();
  }

  engine(source: string) {
    return this.#isFeeding ? this.#feed.engine(source) : undefined;
  }

  figures() {
    return { isLeading: this.#isFeeding, resyncs: this.#follower.resyncs };
  }

  #next(run: () => Promise<void> | void): void {
    this.#turn = this.#turn.then(run);
  }

  async #lead(fence: number): Promise<void> {
    await this.#follower.catchUp();
    if (this.#lease.fence !== fence) return;
    this.#parts.log.info({ fence }, 'this process runs the feed now, for all processes');
    this.#publisher.lead();
    this.#feed.start();
    this.#isFeeding = true;
  }

  #follow(reason: string): void {
    this.#stopFeed();
    this.#parts.log.warn({ reason }, 'this process does not run the feed any more');
    this.#follower.start();
  }

  #stopFeed(): void {
    this.#publisher.resign();
    if (!this.#isFeeding) return;
    this.#isFeeding = false;
    void this.#feed.stop();
    this.#feed = this.#parts.makeFeed();
  }
}
