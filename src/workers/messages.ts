import type { MessagePort } from 'node:worker_threads';
import type { RefusedMinute } from '../access/breach-log.ts';
import type { KeyGrowth, KeyMemory } from '../access/key-directory.ts';
import type { CounterSegment } from '../access/key-limiter.ts';
import type { LimitsMemory } from '../access/limits.ts';
import type { SharedLimitFigures } from '../cluster/redis-limits.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { Certificate, ConnectionFigures } from '../http/public-listener.ts';
import type { CountsTaken } from '../http/request-counts.ts';

/** What a thread must know of the configuration. */
export type ThreadConfiguration = Pick<Configuration, 'server' | 'exchange' | 'pricing' | 'rates' | 'limits' | 'redis'>;

/** What a thread starts with. */
export interface ThreadData {
  /** By which shared locks know it: never used twice in a process. */
  readonly owner: number;
  readonly configuration: ThreadConfiguration;
  /** 0 takes any free port. */
  readonly port: number;
  readonly tls: Certificate | undefined;
  readonly version: string;
  readonly limits: LimitsMemory;
  readonly keys: KeyMemory;
  readonly news: NewsOrigin;
}

/** What the hub tells all threads: the state to begin with, and where all that comes after it arrives. */
export interface NewsOrigin {
  readonly port: MessagePort;
  /** Shared: the number of the newest news that every thread was sent. */
  readonly newest: Int32Array<SharedArrayBuffer>;
  /** Shared: the number of the news that this thread applied last. */
  readonly applied: Int32Array<SharedArrayBuffer>;
  /** The number of the news that `state` holds already. */
  readonly number: number;
  /** JSON of `MarketEvent[]`. */
  readonly state: string;
}

/** What happened since the news before, in its order: the keys' memory first, which nothing else depends on. */
export interface News {
  readonly number: number;
  readonly keys: readonly SharedGrowth[];
  /** JSON of `MarketEvent[]`: written once, however many threads read it. `undefined` when nothing happened. */
  readonly market: string | undefined;
  /** From now on every answer is the last on its connection. */
  readonly isDraining: boolean;
}

/** A new segment of keys comes with the segment of their counters. */
export type SharedGrowth = KeyGrowth & { readonly counters?: CounterSegment | undefined };

/** From the hub to one thread: what to do as the method of that name of `PublicListener` does. */
export type Order =
  | { readonly kind: 'close'; readonly deadlineMs: number }
  | { readonly kind: 'renewCertificate'; readonly certificate: Certificate };

/** From one thread to the hub. */
export type Report =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'failed'; readonly error: FailureReport }
  | { readonly kind: 'log'; readonly level: LogLevel; readonly fields: object; readonly message: string }
  | ({ readonly kind: 'figures' } & ThreadFigures)
  /** All connections are closed, and the figures before were the last. */
  | { readonly kind: 'closed' };

export type LogLevel = 'info' | 'warn' | 'error';

/** An error with the fields that tell what could not be listened on: a clone of an `Error` would lose them. */
export interface FailureReport {
  readonly message: string;
  readonly stack: string | undefined;
  readonly fields: Readonly<Record<string, string | number>>;
}

/** What a thread did since it told last, and how it fares. */
export interface ThreadFigures {
  readonly counts: CountsTaken;
  readonly breaches: readonly RefusedMinute[];
  /** Since the thread started. */
  readonly connections: ConnectionFigures;
  readonly eventLoopDelayMs: number;
  /** Where Redis counts the limits. */
  readonly sharedLimits: SharedLimitFigures | undefined;
}
