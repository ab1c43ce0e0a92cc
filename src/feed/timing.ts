/** Every interval and bound of the feed, in milliseconds unless named otherwise. */
export interface FeedTiming {
  /** How long the start waits for the live connection before the fallback begins. */
  readonly liveGraceMs: number;
  /** A live connection without a price update for this long is ended; a silent symbol is checked over REST. */
  readonly staleAfterMs: number;
  readonly pingEveryMs: number;
  /** A connection on which nothing at all arrives for this long is ended. */
  readonly transportPatienceMs: number;
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
  /** How long a price that REST shows differently may take to arrive live. */
  readonly doubtGraceMs: number;
  /** The distance between two renewals of one symbol's subscription, at least. */
  readonly resubscribeEveryMs: number;
  readonly rejectedRetryMs: number;
  readonly catalogueReloadMs: number;
  /** The next load after one that lacked a known market. */
  readonly catalogueRecheckMs: number;
  /** The distance between two loads, at least, however many changes are announced. */
  readonly catalogueSpacingMs: number;
  readonly catalogueRetryMaxMs: number;
  /** The live path is taken once this share of the symbols has fresh live data, 0 to 1. */
  readonly liveShareMin: number;
}

export const defaultTiming: FeedTiming = {
  liveGraceMs: 2_000,
  staleAfterMs: 10_000,
  pingEveryMs: 5_000,
  transportPatienceMs: 10_000,
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
  catalogueRetryMaxMs: 60_000,
  liveShareMin: 0.9,
};
