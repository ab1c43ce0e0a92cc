import type { Clock, Randomness } from '../ground/clock.ts';
import type { Log } from '../ground/log.ts';
import type { FeedSink } from '../market/upstream.ts';
import type { ExchangeConnector } from './connector.ts';
import type { FeedCounters } from './health.ts';
import type { RecentConnects } from './recent-connects.ts';
import type { RecordLookup } from './recorded-references.ts';

export interface FeedParts {
  readonly connector: ExchangeConnector;
  readonly sink: FeedSink;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly timing: FeedTiming;
  readonly counters: FeedCounters;
  /** For a source without candles. */
  readonly lookUpRecord?: RecordLookup | undefined;
  /** Shared by the feeds of one source that run one after the other. */
  readonly connects?: RecentConnects;
}

/** Every interval and bound of the feed, in milliseconds unless named otherwise. */
export const defaultTiming = {
  /** How long the start waits for the live connection before the fallback begins. */
  liveGraceMs: 2_000,
  /** A live connection without a price update for this long is ended; a silent symbol is checked over REST. */
  staleAfterMs: 10_000,
  pingEveryMs: 5_000,
  /** A connection on which nothing at all arrives for this long is ended. */
  transportTimeoutMs: 10_000,
  /** Where there are other sources they take over once nothing at all arrives for this long; over `pingEveryMs`. */
  takeoverAfterMs: 10_000,
  /**
   * So do they once no price arrives for `takeoverAfterMs` though the connection is alive, if prices never paused for
   * longer than this before and another source has newer ones. 0: never.
   */
  steadyPauseMaxMs: 0,
  reconnectMinMs: 500,
  reconnectMaxMs: 30_000,
  /** The back-off starts over after this much healthy data on one connection. */
  healthyAfterMs: 30_000,
  connectsPerMinuteMax: 10,
  fallbackPollMs: 1_000,
  /** The wait after a failed poll grows up to this. */
  fallbackRetryMaxMs: 10_000,
  /** How often silent, rejected and doubted symbols are checked while the rest is live. */
  quietCheckMs: 5_000,
  /** How long a price that differs over REST may take to arrive live. */
  doubtGraceMs: 1_000,
  /**
   * The shortest time between two renewals of one symbol's subscription; one that was never answered is repeated after
   * it.
   */
  resubscribeEveryMs: 60_000,
  /** A symbol that the exchange refuses to stream is asked for again after this. */
  rejectedRetryMs: 300_000,
  /** One refused for no known reason; doubled with each time, up to `resubscribeEveryMs`. */
  unclearRetryMs: 15_000,
  /** One that no session takes. */
  sessionRetryMs: 30_000,
  catalogueReloadMs: 600_000,
  /** How soon the catalogue is loaded again after one that lacked a known market. */
  catalogueRecheckMs: 60_000,
  /** The shortest time between two loads, however many changes are announced. */
  catalogueSpacingMs: 30_000,
  catalogueRetryMaxMs: 10_000,
  /** The live path is taken at once with this share of the symbols, 0 to 1; with any of them after `staleAfterMs`. */
  liveShareMin: 0.9,
};

export type FeedTiming = { readonly [Name in keyof typeof defaultTiming]: number };
