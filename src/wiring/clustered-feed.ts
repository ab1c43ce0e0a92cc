import { BoardFollower, followerBlockMs } from '../cluster/board-follower.ts';
import type { BoardPosition } from '../cluster/board-position.ts';
import { BoardPublisher } from '../cluster/board-publisher.ts';
import { FeedLease } from '../cluster/feed-lease.ts';
import { MarketChanges, notBefore, positionOf, takeState } from '../cluster/market-replication.ts';
import { RedisCalls } from '../cluster/redis-calls.ts';
import type { RedisAddress } from '../cluster/redis-connection.ts';
import { redisLeases } from '../cluster/redis-lease.ts';
import { SharedFeed, type SharingFigures } from '../cluster/shared-feed.ts';
import { sharedNames } from '../cluster/shared-names.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { loadKinds } from '../feed/connectors.ts';
import type { RecordLookup } from '../feed/recorded-references.ts';
import { engineKinds } from '../feed/source-set.ts';
import type { FeedTarget } from '../market/feed-target.ts';
import type { DelistingPolicy } from '../persistence/delisting-policy.ts';
import type { SourceBans } from '../persistence/source-bans.ts';
import { createFeed, type Feed } from './feed.ts';
import { rulesOf } from './market-room.ts';
import type { ServiceOptions } from './service-options.ts';

interface ClusteredFeedParts extends FeedTarget, Pick<ServiceOptions, 'clock' | 'randomness' | 'log'> {
  readonly address: RedisAddress;
  readonly position: BoardPosition;
  /** A feed runs once: each time this process has one of its own it gets a new one. */
  readonly makeFeed: () => Feed;
  /** Whether this process may lead; if not it only follows. */
  readonly mayLead: boolean;
  readonly mayFeedAlone: () => boolean;
}

/** The feed of a process: its own, or the one that several processes have together. */
export interface ProcessFeed extends Feed {
  /**
   * Takes over the sources of another configuration, in the market too, all at once.
   *
   * @param renewed see `Markets.replaceSources`
   */
  reconfigure(next: Configuration, renewed: ReadonlySet<string>): Promise<void>;
  /** Takes what the others have served. Absent, as what follows is, where it does not share its feed. */
  join?(): Promise<void>;
  figures?(): SharingFigures;
  readonly names?: ReturnType<typeof sharedNames>;
}

/** Makes it as configured. @param only the part of the service that runs; an `api` never leads */
export async function processFeed(
  options: ServiceOptions,
  market: FeedTarget & { readonly review: Pick<DelistingPolicy, 'loaded'>; readonly bans?: SourceBans },
  lookUpRecord: RecordLookup | undefined,
  position: BoardPosition,
): Promise<ProcessFeed> {
  let { configuration } = options;
  const kinds = new Map(await loadKinds(configuration.sources));
  await market.bans?.restore();
  const { review, bans } = market;
  const parts = { ...options, market, review, bans, lookUpRecord, standings: new Map() };
  const makeFeed = () => createFeed(configuration, kinds, parts);
  const mayFeedAlone = () => configuration.sources.some(({ kind, isPaused }) => !isPaused && !engineKinds.has(kind));
  const shared = { ...options, ...market, position, makeFeed, mayLead: options.only !== 'api', mayFeedAlone };
  const feed = configuration.redis ? clusteredFeed({ ...shared, address: configuration.redis }) : makeFeed();
  return {
    ...feed,
    async reconfigure(next, renewed) {
      for (const [kind, loaded] of await loadKinds(next.sources)) kinds.set(kind, loaded);
      configuration = next;
      market.markets.replaceSources(rulesOf(next), renewed);
      feed.replace(next.sources);
    },
  };
}

/** One feed for several processes; what decides whose is `SharedFeed`. */
function clusteredFeed(parts: ClusteredFeedParts): Omit<ProcessFeed, 'reconfigure'> {
  const { address, position, clock, randomness, log, mayLead } = parts;
  const redis = new RedisCalls(address, clock, randomness, followerBlockMs);
  const fence = () => lease.fence;
  const publisher = new BoardPublisher({
    call: redis.ask,
    clock,
    changes: new MarketChanges(parts, clock),
    fence,
    refused: () => lease.refused(),
    position,
  });
  const follower = new BoardFollower({
    ask: redis.ask,
    wait: redis.wait,
    clock,
    take: (state, sign) => shared.received(state, sign),
    position,
    log,
  });
  const shared: SharedFeed<Feed> = new SharedFeed({
    ...parts,
    publisher,
    follower,
    fence,
    take(state, sign, isNewer) {
      takeState(parts, clock, isNewer ? notBefore(parts, state) : state, sign);
      position.follow(positionOf(state));
    },
  });
  const holder = Buffer.from(randomness.bytes(12)).toString('base64url');
  const lease = new FeedLease(redisLeases(redis.ask), clock, holder, shared);
  return {
    async join() {
      await redis.start();
      await shared.start();
    },
    start() {
      if (mayLead) lease.start();
    },
    async stop() {
      await publisher.handOver();
      const stopped = shared.stop();
      await lease.stop();
      redis.stop();
      await stopped;
    },
    replace: (sources) => shared.feed.replace(sources),
    sources: () => shared.feed.sources(),
    rates: () => shared.feed.rates(),
    clock: () => shared.feed.clock(),
    engine: (source) => (shared.isFeeding ? shared.feed.engine(source) : undefined),
    names: sharedNames(redis.ask),
    figures: () => ({
      isLeading: shared.isLeading,
      isAlone: shared.isAlone,
      resyncs: follower.resyncs,
      leaseTrouble: lease.lastError,
    }),
  };
}
