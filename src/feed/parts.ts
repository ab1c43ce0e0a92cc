import type { Clock, Randomness } from '../clock.ts';
import type { Log } from '../log.ts';
import type { FeedSink } from '../market/upstream.ts';
import type { ExchangeConnector } from './connector.ts';
import type { FeedCounters } from './health.ts';

/** What the parts of one exchange's feed share. */
export interface FeedParts {
  readonly connector: ExchangeConnector;
  readonly sink: FeedSink;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly timing: FeedTiming;
  readonly counters: FeedCounters;
}

/** Every interval and bound of the feed, in milliseconds unless named otherwise. */
export interface FeedTiming {
  /** How long the start waits for the live connection before the fallback begins. */
  readonly liveGraceMs: number;
  /** A live connection without a price update for this long is ended; a silent symbol is checked over REST. */
  readonly staleAfterMs: number;
  readonly pingEveryMs: number;
  /** A connection on which nothing at all arrives for this long is ended. */
  readonly transportTimeoutMs: number;
  /** Where there are other sources they take over once nothing at all arrives for this long; over `pingEveryMs`. */
  readonly silentAfterMs: number;
  /**
   * So do they once no price arrives for `silentAfterMs` though the connection is alive, if prices never paused for longer than this before
   * and another source has newer ones. 0: never.
   */
  readonly steadyPauseMaxMs: number;
  readonly reconnectMinMs: number;
  readonly reconnectMaxMs: number;
  /** The back-off starts over after this much healthy data on one connection. */
  readonly healthyAfterMs: number;
  readonly connectsPerMinuteMax: number;
  readonly fallbackPollMs: number;
  /** The wait after a failed poll grows up to this. */
  readonly fallbackRetryMaxMs: number;
  /** How often silent, rejected and doubted symbols are checked while the rest is live. */
  readonly quietCheckMs: number;
  /** How long a price that differs over REST may take to arrive live. */
  readonly doubtGraceMs: number;
  /** The shortest time between two renewals of one symbol's subscription. */
  readonly resubscribeEveryMs: number;
  readonly rejectedRetryMs: number;
  readonly catalogueReloadMs: number;
  /** The next load after one that lacked a known market. */
  readonly catalogueRecheckMs: number;
  /** The shortest time between two loads, however many changes are announced. */
  readonly catalogueSpacingMs: number;
  readonly catalogueRetryMaxMs: number;
  /** The live path is taken at once with this share of the symbols, 0 to 1; with any of them after `staleAfterMs`. */
  readonly liveShareMin: number;
}

export const defaultTiming: FeedTiming = {
  liveGraceMs: 2_000,
  staleAfterMs: 10_000,
  pingEveryMs: 5_000,
  transportTimeoutMs: 10_000,
  silentAfterMs: 10_000,
  steadyPauseMaxMs: 0,
  reconnectMinMs: 500,
  reconnectMaxMs: 30_000,
  healthyAfterMs: 30_000,
  connectsPerMinuteMax: 10,
  fallbackPollMs: 1_000,
  fallbackRetryMaxMs: 10_000,
  quietCheckMs: 5_000,
  doubtGraceMs: 1_000,
  resubscribeEveryMs: 60_000,
  rejectedRetryMs: 300_000,
  catalogueReloadMs: 600_000,
  catalogueRecheckMs: 60_000,
  catalogueSpacingMs: 30_000,
  catalogueRetryMaxMs: 10_000,
  liveShareMin: 0.9,
};
