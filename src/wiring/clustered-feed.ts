import type { Clock, Randomness } from '../clock.ts';
import { BoardFollower, followerBlockMs } from '../cluster/board-follower.ts';
import { BoardPublisher } from '../cluster/board-publisher.ts';
import { FeedLease } from '../cluster/feed-lease.ts';
import { patientCaller } from '../cluster/patient-caller.ts';
import { type RedisAddress, RedisConnection } from '../cluster/redis-connection.ts';
import { redisLeases } from '../cluster/redis-lease.ts';
import type { Log } from '../log.ts';
import type { MarketEvent } from '../market/market-event.ts';
import type { FeedSink } from '../market/upstream.ts';
import type { Feed } from './feed.ts';
import { type FedParts, feedStateOf, recordedFeed } from './market-replication.ts';

export interface ClusteredFeedParts extends FedParts {
  readonly address: RedisAddress;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  /** Leads what comes from this process's feed into its market. */
  readonly sink: FeedSink;
  /** Leads what comes from another process's feed there. */
  readonly apply: (event: MarketEvent) => void;
  /** Makes a feed that tells this sink. A feed runs once: each time this process leads it gets a new one. */
  readonly makeFeed: (sink: FeedSink) => Feed;
  /** Whether this process may lead; if not it only follows. */
  readonly mayLead: boolean;
}

/** How market data comes to this process. */
export interface ReplicationFigures {
  /** This process runs the feed, for all. */
  readonly isLeading: boolean;
  /** How often the whole state was taken from Redis. */
  readonly resyncs: number;
}

/** A server that does not answer in this time is asked on another connection. */
const patienceMs = 1_500;

/**
 * One feed for several processes: whoever holds the lease runs it and publishes what it tells; the others follow, and one of them
 * takes over within seconds when it is gone.
 */
export class ClusteredFeed implements Feed {
  readonly #parts: ClusteredFeedParts;
  readonly #connections: readonly RedisConnection[];
  readonly #lease: FeedLease;
  readonly #publisher: BoardPublisher;
  readonly #follower: BoardFollower;
  #feed: Feed;
  #isFeeding = false;
  /** What changes of leadership set off, one after the other. */
  #turn: Promise<void> = Promise.resolve();

  constructor(parts: ClusteredFeedParts) {
    const { address, clock, randomness, log } = parts;
    this.#parts = parts;
    const connect = () => new RedisConnection(address, clock, randomness, { opened: () => {}, lost: () => {} });
    const asking = connect();
    // Apart: a read that waits for changes holds up all behind it.
    const following = connect();
    this.#connections = [asking, following];
    const call = patientCaller(asking, clock, patienceMs);
    const holder = Buffer.from(randomness.bytes(12)).toString('base64url');
    this.#lease = new FeedLease(redisLeases(call), clock, holder, {
      gained: (fence) => this.#next(() => this.#lead(fence)),
      lost: (reason) => {
        this.#publisher.resign();
        this.#next(() => this.#follow(reason));
      },
    });
    this.#publisher = new BoardPublisher({
      call,
      clock,
      state: () => feedStateOf(parts, clock),
      fence: () => this.#lease.fence,
      refused: () => this.#lease.refused(),
    });
    const followingCall = patientCaller(following, clock, followerBlockMs + patienceMs);
    this.#follower = new BoardFollower({ call: followingCall, clock, apply: parts.apply, log });
    this.#feed = this.#newFeed();
  }

  start(): void {
    for (const connection of this.#connections) connection.start();
    this.#follower.start();
    if (this.#parts.mayLead) this.#lease.start();
  }

  async stop(): Promise<void> {
    this.#stopFeed();
    await this.#lease.stop();
    await this.#turn;
    const followed = this.#follower.stop();
    for (const connection of this.#connections) connection.stop();
    await followed;
  }

  health(): ReturnType<Feed['health']> {
    return this.#feed.health();
  }

  rates(): ReturnType<Feed['rates']> {
    return this.#feed.rates();
  }

  figures(): ReplicationFigures {
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
    this.#feed = this.#newFeed();
  }

  #newFeed(): Feed {
    const { sink, book, makeFeed } = this.#parts;
    return makeFeed(recordedFeed(sink, book, this.#publisher.record));
  }
}
