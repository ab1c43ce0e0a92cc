import type { ServerResponse } from 'node:http';
import type { BreachLog } from '../access/breach-log.ts';
import type { ClientAddresses } from '../access/client-address.ts';
import type { KeyDirectory } from '../access/key-directory.ts';
import type { MemoryLimits } from '../access/limits.ts';
import type { Board } from '../board/board.ts';
import type { PriceChangelog } from '../board/price-changelog.ts';
import type { ServiceBoard } from '../board/service-board.ts';
import type { SharedLimitFigures } from '../cluster/redis-limits.ts';
import type { SharingFigures } from '../cluster/shared-feed.ts';
import type { ConditionView } from '../conditions/alert.ts';
import type { Note } from '../conditions/notes.ts';
import type { Observed } from '../conditions/observed.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { ClockReading } from '../feed/clock-watch.ts';
import type { FeedHealth } from '../feed/health.ts';
import type { PushConnector } from '../feed/push/connector.ts';
import type { RateHealth } from '../feed/rates/rate-keeper.ts';
import type { EpochMs, Randomness } from '../ground/clock.ts';
import type { Log } from '../ground/log.ts';
import type { LogFigures } from '../ground/log-sink.ts';
import type { RecordClient } from '../history/query/record-client.ts';
import type { Recording } from '../history/record/recording.ts';
import type { ConnectionFigures } from '../http/connections.ts';
import type { EventLoopDelay } from '../http/event-loop-delay.ts';
import type { Overload } from '../http/overload.ts';
import type { RecentRequests } from '../http/recent-requests.ts';
import type { RequestCounts } from '../http/request-counts.ts';
import type { Guard } from '../market/guard.ts';
import type { Markets } from '../market/markets.ts';
import type { FeedStatus } from '../market/service-status.ts';
import type { SharedNames } from '../notices/alert-claims.ts';
import type { Heartbeat } from '../notices/heartbeat.ts';
import type { NotifierFigures } from '../notices/notifier.ts';
import type { Subscribing } from '../notices/subscribing.ts';
import type { StoreFollower } from '../persistence/store-follower.ts';
import type { Store } from '../store/store.ts';
import type { FeedTimeline } from './feed-timeline.ts';
import type { RequestHistory } from './request-history.ts';
import type { SourceReload } from './source-reload.ts';
import type { SourceTrends } from './source-trends.ts';
import type { Sparklines } from './sparklines.ts';

/** The feed of a process, as far as others read it. */
export interface FeedView {
  /** The health of each source, in order of preference. */
  sources(): readonly (Pick<Configuration['sources'][number], 'id' | 'kind' | 'isPaused'> & {
    readonly health: FeedHealth;
  })[];
  rates(): readonly RateHealth[];
  /** How far the wall clock is from those of the exchanges; of a process that does not run the feed nothing. */
  clock(): ClockReading;
  /** The connector that an engine of the operator pushes to, in the process that runs the feed. */
  engine(source: string): PushConnector | undefined;
}

/** The rooms of a service, as far as its private listener reads and changes them. */
export interface AdminParts extends Observed {
  readonly version: string;
  readonly configuration: Pick<
    Configuration,
    'admin' | 'alerts' | 'environment' | 'mail' | 'markets' | 'notices' | 'portal' | 'pricing' | 'timeZone'
  >;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly logFigures?: (() => LogFigures) | undefined;
  readonly store: Store;
  readonly market: {
    readonly markets: Markets;
    readonly board: Board;
    readonly service: ServiceBoard;
    readonly feedStatus: FeedStatus;
    readonly guard: Pick<Guard, 'counts'>;
    /**
     * `save` writes what the feed reported of markets to the store now, so that a market can be changed there. It never
     * rejects.
     */
    readonly snapshots: { save(): Promise<void>; lastError(): Error | undefined };
  };
  readonly access: {
    readonly directory: KeyDirectory;
    readonly limits: MemoryLimits;
    readonly breaches: BreachLog;
    readonly addresses: ClientAddresses;
  };
  readonly feed: FeedView;
  readonly reload: Pick<SourceReload, 'run'>;
  readonly listener: {
    readonly counts: RequestCounts;
    readonly recent: Pick<RecentRequests, 'find'>;
    connectionFigures(): ConnectionFigures;
    /** Which signal requests are shed for, and why; `undefined` while none are. */
    readonly overload: Pick<Overload, 'signal' | 'cause'>;
    /** When the served certificate expires; `undefined` without TLS. */
    certificateExpiresAt(): EpochMs | undefined;
  };
  readonly delay: Pick<EventLoopDelay, 'p99Ms' | 'read'>;
  readonly changes: Pick<StoreFollower, 'reachable' | 'held' | 'look'>;
  /** Figures of the record; `undefined` where nothing is recorded. */
  readonly recording: () => ReturnType<Recording['figures']> | undefined;
  /** Looks things up in it; `undefined` where nothing is recorded. */
  readonly record: Pick<RecordClient, 'ask'> | undefined;
  readonly notifier: { figures(): NotifierFigures };
  /** Tells subscribers of the status page. */
  readonly subscribing: Pick<Subscribing, 'figures'>;
  readonly heartbeat: Pick<Heartbeat, 'figures'>;
  /** `undefined` where this process serves alone. */
  readonly sharedNames: SharedNames | undefined;
  /** Where clients find the API; known once the public listener listens. */
  readonly publicUrls: () => { readonly baseUrl: string; readonly errorsUrl: string };
  /** `undefined` where this process serves alone. */
  readonly sharedLimits: () => SharedLimitFigures | undefined;
  /** The same for market data. */
  readonly replication: () => SharingFigures | undefined;
}

/**
 * The parts that operations of the management API can use: the rooms, and what the private listener records of them.
 */
export interface Management extends AdminParts {
  readonly startedAt: EpochMs;
  readonly sparklines: Sparklines;
  readonly trends: SourceTrends;
  readonly timeline: FeedTimeline;
  readonly prices: PriceChangelog;
  readonly priceStreams: {
    readonly isFull: boolean;
    open(response: ServerResponse, version: string | undefined, isStillAllowed: () => Promise<boolean>): void;
  };
  /** Notes on what an operator must act on, the most urgent first. */
  readonly notes: () => Note[];
  /** Conditions that hold in this process, the most urgent first. */
  readonly alerts: () => ConditionView[];
  readonly requests: RequestHistory;
}
