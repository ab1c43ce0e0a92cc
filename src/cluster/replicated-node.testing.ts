import type { TestContext } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { seededRandomness } from '../../test/support/fake-clock.ts';
import { upstreamMarket, upstreamTicker } from '../../test/support/listener-harness.ts';
import type { RedisServer } from '../../test/support/redis.ts';
import { ShiftedClock } from '../../test/support/shifted-clock.ts';
import { Board } from '../board/board.ts';
import type { EpochMs } from '../ground/clock.ts';
import { silentLog } from '../ground/log.ts';
import type { RateSink } from '../market/conversion-rates.ts';
import type { DecimalString } from '../market/decimal.ts';
import { marketSink } from '../market/feed-target.ts';
import { Markets } from '../market/markets.ts';
import { everyEuroMarket, pricingPolicy } from '../market/samples.testing.ts';
import { FeedStatus } from '../market/service-status.ts';
import type { CurrencyCode, MarketSymbol } from '../market/symbol.ts';
import type { FeedSink } from '../market/upstream.ts';
import { BoardFollower } from './board-follower.ts';
import { BoardPosition } from './board-position.ts';
import { BoardPublisher } from './board-publisher.ts';
import { MarketChanges, positionOf, takeState } from './market-replication.ts';
import { callerWithTimeout } from './redis-calls.ts';
import { RedisConnection } from './redis-connection.ts';
import { redisLeases } from './redis-lease.ts';

/** Parts that a node has already, such as those of a listener. */
export interface NodeParts {
  readonly markets: Markets;
  readonly feedStatus: FeedStatus;
  readonly position: BoardPosition;
}

/** A node's market, which can lead or follow, its feed played by a test. */
export class ReplicatedNode {
  readonly clock = new ShiftedClock();
  readonly markets: Markets;
  readonly feedStatus: FeedStatus;
  readonly board: Board;
  readonly position: BoardPosition;
  readonly connection: RedisConnection;
  readonly publisher: BoardPublisher;
  readonly follower: BoardFollower;
  /** The sink that the node's feed delivers into when it leads. */
  readonly feed: FeedSink & RateSink;
  readonly logged: string[] = [];
  fence: number | undefined;
  timesRefused = 0;

  private constructor(redis: Pick<RedisServer, 'address'>, parts: Partial<NodeParts>) {
    this.markets = parts.markets ?? new Markets(pricingPolicy(), everyEuroMarket);
    this.feedStatus = parts.feedStatus ?? new FeedStatus();
    this.position = parts.position ?? new BoardPosition(this.clock);
    this.board = new Board(this.markets);
    this.connection = new RedisConnection(redis.address, this.clock, seededRandomness(1));
    const { clock } = this;
    const market = { markets: this.markets, feedStatus: this.feedStatus };
    const call = callerWithTimeout(this.connection, clock, 5_000);
    this.publisher = new BoardPublisher({
      call,
      clock,
      changes: new MarketChanges(market, clock),
      fence: () => this.fence,
      refused: () => this.timesRefused++,
      position: this.position,
    });
    const log = { ...silentLog, warn: (_fields: object, message: string) => this.logged.push(message) };
    this.follower = new BoardFollower({
      ask: call,
      wait: call,
      clock,
      take: (state, sign) => {
        takeState(market, clock, state, sign);
        this.position.follow(positionOf(state));
      },
      position: this.position,
      log,
    });
    this.feed = marketSink(market, clock);
  }

  static async start(
    t: Pick<TestContext, 'after'>,
    redis: Pick<RedisServer, 'address'>,
    parts: Partial<NodeParts> = {},
  ): Promise<ReplicatedNode> {
    const node = new ReplicatedNode(redis, parts);
    node.connection.start();
    t.after(async () => {
      node.publisher.resign();
      const stopped = node.follower.stop();
      node.connection.stop();
      await stopped;
    });
    await eventually('connected', () => node.connection.isOpen);
    return node;
  }

  /** Takes the lease, whoever held it, and leads. */
  async lead(redis: RedisServer): Promise<void> {
    await redis.ask('DEL', '{mdapi}:feed:lease');
    this.fence = await redisLeases((command) => this.connection.call(command)).acquire('a', 60_000);
    this.publisher.lead();
  }

  list(...bases: readonly string[]): void {
    this.feed.catalogueLoaded(bases.map(upstreamMarket), this.clock.now());
  }

  tick(base: string, bid: string, ask: string, at: EpochMs = this.clock.now()): void {
    this.feed.tickerReceived(upstreamTicker(base, bid, ask, at));
    this.feed.feedCurrent('live', at);
  }

  rate(mid: string): void {
    this.feed.rateRefreshed({
      base: 'EUR' as CurrencyCode,
      quote: 'CZK' as CurrencyCode,
      mid: mid as DecimalString,
      source: 'cnb',
      fixingDate: undefined,
      refreshedAt: this.clock.now(),
    });
  }

  /** Gives what clients of this node get, with the entity tags. */
  published(now: EpochMs = this.clock.now()): string {
    const pages = [this.board.markets(now), this.board.tickers(now)];
    return JSON.stringify([
      ...pages.map((page) => page && [String(page.as('identity').body), page.entityTag('gzip')]),
      this.feedStatus.path,
      this.feedStatus.lastUpdatedAt,
    ]);
  }

  capturedAt(symbol: string): number {
    return this.markets.contents().tickers.get(symbol as MarketSymbol)?.capturedAt ?? 0;
  }
}
