import type { Board } from '../board/board.ts';
import type { ServiceBoard } from '../board/service-board.ts';
import type { SharedLimitFigures } from '../cluster/redis-limits.ts';
import type { SharingFigures } from '../cluster/shared-feed.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { ClockReading } from '../feed/clock-watch.ts';
import type { FeedHealth } from '../feed/health.ts';
import type { Clock, EpochMs } from '../ground/clock.ts';
import type { LogFigures } from '../ground/log-sink.ts';
import type { Recording } from '../history/record/recording.ts';
import type { ConnectionFigures } from '../http/connections.ts';
import type { Overload } from '../http/overload.ts';
import type { RequestCounts } from '../http/request-counts.ts';
import type { Markets } from '../market/markets.ts';
import type { FeedStatus } from '../market/service-status.ts';
import type { NotifierFigures } from '../notices/notifier.ts';
import type { StoreFollower } from '../persistence/store-follower.ts';
import type { RefusedKey } from '../store/breaches.ts';
import type { Store } from '../store/store.ts';

/** Where the process is in its life. Only `serving` is ready for traffic. */
export type Phase = 'starting' | 'serving' | 'draining';

/** A source as its health shows it. */
export type ObservedSource = Pick<Configuration['sources'][number], 'id' | 'isPaused'> & {
  readonly health: Pick<
    FeedHealth,
    'connection' | 'lastLiveDataAgeMs' | 'epoch' | 'lastCatalogueAt' | 'catalogueLoads'
  >;
};

type Figures<Of extends { figures(): object }> = ReturnType<Of['figures']>;

/** The state of a process, as far as conditions are found in it. Nothing of it waits: all is in memory. */
export interface Observed {
  readonly clock: Clock;
  readonly configuration: {
    readonly markets: Pick<Configuration['markets'], 'delistAfterMs'>;
    readonly notices: Pick<Configuration['notices'], 'breachedMinutes'>;
    readonly pricing: Pick<Configuration['pricing'], 'converted'>;
  };
  readonly phase: () => Phase;
  readonly market: {
    readonly markets: Markets;
    readonly board: Board;
    readonly service: ServiceBoard;
    readonly feedStatus: FeedStatus;
    /** Why nothing could be saved when that was last tried; `undefined` when it could. */
    readonly snapshots: { lastError(): Error | undefined };
  };
  readonly feed: {
    /** The health of each source, in order of preference. */
    sources(): readonly ObservedSource[];
    /** How far the wall clock is from those of the exchanges; of a process that does not run the feed nothing. */
    clock(): ClockReading;
  };
  readonly listener: {
    readonly counts: Pick<RequestCounts, 'byCode' | 'shed'>;
    connectionFigures(): Pick<ConnectionFigures, 'dropped'>;
    /** Which requests are shed now, and why. */
    readonly overload: Pick<Overload, 'cause'>;
    /** When the served certificate expires; `undefined` without TLS. */
    certificateExpiresAt(): EpochMs | undefined;
  };
  /** Whether the log is written; absent where somebody else writes it. */
  readonly logFigures?: (() => Pick<LogFigures, 'trouble' | 'lost'>) | undefined;
  readonly store: Pick<Store, 'kept' | 'made'>;
  /** How many keys there are. */
  readonly access: { readonly directory: { readonly size: number } };
  readonly changes: Pick<StoreFollower, 'reachable' | 'held'>;
  /** The result of SQLite's last look at its file. */
  readonly storeCheck: { result(): { readonly finding: string | undefined } | undefined };
  /** Figures of the record; `undefined` where nothing is recorded. */
  readonly recording: () => Pick<Figures<Recording>, 'gaps' | 'gapSince' | 'silent' | 'doubt' | 'trouble'> | undefined;
  readonly notifier: { figures(): Pick<NotifierFigures, 'isFailing' | 'pending'> };
  /** `undefined` where this process serves alone. */
  readonly sharedLimits: () => Pick<SharedLimitFigures, 'isUp' | 'clockSkewMs'> | undefined;
  /** The same for market data. */
  readonly replication: () => Pick<SharingFigures, 'isAlone' | 'leaseTrouble'> | undefined;
  /** The keys that their limit refused most of late, as the store last said; absent where nobody asks it. */
  readonly refusedKeys?: () => readonly RefusedKey[];
}
