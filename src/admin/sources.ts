import type { Board } from '../board/board.ts';
import type { ServiceBoard } from '../board/service-board.ts';
import type { Clock } from '../clock.ts';
import type { SharedLimitFigures } from '../cluster/redis-limits.ts';
import type { FeedHealth } from '../feed/health.ts';
import type { ConnectionFigures } from '../http/public-listener.ts';
import type { RequestCounts } from '../http/request-counts.ts';
import type { MarketBook } from '../market/market-book.ts';
import type { FeedStatus } from '../market/service-status.ts';
import type { CurrencyCode } from '../market/symbol.ts';

/** Where the process is in its life. Only `serving` is ready for traffic. */
export type Phase = 'starting' | 'serving' | 'draining';

/** E-mail notices on repeated breaches, of this process since it started; `pending` is of all. */
export interface NoticeFigures {
  /** Minutes in which a key was refused by its limit. */
  readonly breachedMinutes: number;
  readonly decided: number;
  /** Attempts to send, by how they ended. */
  readonly attempts: Readonly<Record<string, number>>;
  readonly pending: number;
}

/** Threads that serve, where there are several. */
export interface WorkerFigures {
  readonly configured: number;
  readonly serving: number;
  /** Threads started since the start in the place of one that ended. */
  readonly restarts: number;
  /** Of each that serves, by its number: the 99th percentile of the last few seconds. */
  readonly eventLoopDelaysMs: ReadonlyMap<number, number>;
}

/** All the private listener reads. It changes nothing. */
export interface AdminSources {
  readonly version: string;
  readonly clock: Clock;
  readonly phase: () => Phase;
  readonly requests: RequestCounts;
  readonly connections: () => ConnectionFigures;
  readonly keysHeld: () => number;
  /** Whether changes in the store can be read just now. */
  readonly storeReachable: () => boolean;
  readonly book: MarketBook;
  readonly board: Board;
  readonly service: ServiceBoard;
  readonly feedStatus: FeedStatus;
  readonly feedHealth: () => FeedHealth;
  readonly notices: () => NoticeFigures;
  /** `undefined` where this process serves alone. */
  readonly sharedLimits?: () => SharedLimitFigures | undefined;
  /** The same for market data: whether this process runs the feed, and how often it took the whole state from another. */
  readonly replication?: () => { readonly isLeading: boolean; readonly resyncs: number } | undefined;
  /** `undefined` where the main thread serves. */
  readonly workers?: () => WorkerFigures | undefined;
  /** The quotes whose prices depend on a rate. */
  readonly convertedQuotes: readonly CurrencyCode[];
}
