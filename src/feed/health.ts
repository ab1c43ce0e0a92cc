import type { EpochMs } from '../ground/clock.ts';
import {
  type Counts as AnyCounts,
  fromZero,
  type Metric,
  type MetricGroup,
  type Sample,
  samplesOf,
} from '../ground/metric.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import type { FeedPath, OptionalValue, RejectionReason } from '../market/upstream.ts';
import type { CloseReason, DroppedFrame } from './connector.ts';
import type { UpstreamErrorKind } from './wire.ts';

export type LinkState = 'idle' | 'connecting' | 'open' | 'waiting';

/** Why a connection ended: the connector's reasons, and the watchdogs'. The names are metric labels. */
export type EndReason = CloseReason | 'transport_silent' | 'data_silent';

/**
 * How an attempt ended: `ok`, an error's kind, `empty` (well-formed, nothing in it), or `incomplete`: it lacks too much
 * to be evidence.
 */
export type AttemptOutcome = 'ok' | 'empty' | 'incomplete' | UpstreamErrorKind;

type Counts<Name extends string> = Partial<Record<Name, number>>;

/** Counters of a feed, from its start, and its latest events. */
export class FeedCounters {
  /** Counts the connections tried. */
  epoch = 0;
  readonly connectionsEnded: Counts<EndReason> = {};
  /** Replaced without a gap because the exchange planned their end. */
  connectionsRenewed = 0;
  framesReceived = 0;
  readonly framesDropped: Counts<DroppedFrame> = {};
  tickersTaken = 0;
  readonly tickersRejected: Counts<RejectionReason> = {};
  readonly statisticsLeftOut: Counts<OptionalValue> = {};
  readonly polls: Counts<AttemptOutcome> = {};
  readonly catalogueLoads: Counts<AttemptOutcome> = {};
  lastLiveDataAt: EpochMs | undefined;
  /** How far the last live ticker was behind its own upstream time when it arrived; negative when the clocks differ. */
  upstreamLagMs: number | undefined;
  /** When a poll last succeeded, of any markets. */
  lastFallbackPollAt: EpochMs | undefined;
  lastCatalogueAt: EpochMs | undefined;
  /** Pairs that should be markets and lack a required value. */
  pairsSkipped = 0;
  /** The state that the exchange last announced for itself; `undefined` before the first. */
  systemStatus: string | undefined;
}

export function countOne<Name extends string>(counts: Counts<Name>, name: Name): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

/** The feed at one instant, for metrics, the console and readiness. Plain data. */
export interface FeedHealth extends Readonly<FeedCounters> {
  /** `undefined` until the feed has chosen a path, at most two seconds after its start. */
  readonly path: FeedPath | undefined;
  readonly connection: LinkState;
  /** Sessions with the exchange that the live connection has. */
  readonly sessions: number;
  /** The exchange wants nothing from us before this; `undefined` while it does not say so. */
  readonly bannedUntil: EpochMs | undefined;
  readonly symbolsWanted: number;
  readonly symbolsSubscribed: number;
  readonly symbolsRejected: readonly MarketSymbol[];
  /** Silent for longer than `staleAfterMs`, and not confirmed over REST since. */
  readonly symbolsQuiet: number;
  /** REST shows another price than the live connection. */
  readonly symbolsDoubted: number;
  /** By the monotonic clock, so that a clock that jumps does not make it younger. */
  readonly lastLiveDataAgeMs: number | undefined;
}

/** The sources of a process, each with its figures. */
export type CountedFeed = readonly { readonly id: string; readonly health: FeedHealth }[];

export const feedMetrics: MetricGroup<CountedFeed> = {
  title: 'Feed',
  metrics: [
    ofEach('feed_connections_total', 'Live connections attempted.', ({ epoch }) => epoch),
    ofEach(
      'feed_connections_renewed_total',
      'Live connections replaced without a gap because the exchange planned their end.',
      ({ connectionsRenewed }) => connectionsRenewed,
    ),
    countsOfEach(
      'feed_connections_ended_total',
      'Live connections ended, by reason.',
      'reason',
      ({ connectionsEnded }) => connectionsEnded,
    ),
    ofEach('feed_frames_total', 'Frames received on the live connection.', ({ framesReceived }) => framesReceived),
    countsOfEach(
      'feed_frames_dropped_total',
      'Frames ignored, by reason: `crossed` is an order book that missed a change, `old_statistics` optional fields ' +
        'over 5 minutes old.',
      'reason',
      ({ framesDropped }) => framesDropped,
    ),
    ofEach('feed_tickers_total', 'Upstream tickers taken.', ({ tickersTaken }) => tickersTaken),
    countsOfEach(
      'feed_tickers_rejected_total',
      'Upstream values not taken, by reason.',
      'reason',
      ({ tickersRejected }) => tickersRejected,
    ),
    countsOfEach(
      'feed_statistics_left_out_total',
      'Statistics left out because they cannot be, by name.',
      'statistic',
      ({ statisticsLeftOut }) => statisticsLeftOut,
    ),
    countsOfEach('feed_polls_total', 'Polls over the fallback, by outcome.', 'outcome', ({ polls }) => polls),
    countsOfEach('feed_catalogue_loads_total', 'Loads of the catalogue, by outcome.', 'outcome', ({ catalogueLoads }) =>
      fromZero(['ok', 'incomplete'], Object.entries(catalogueLoads)),
    ),
    ofEach('feed_sessions', 'Sessions with the exchange that the live connection has.', ({ sessions }) => sessions),
    ofEach(
      'feed_banned',
      '1 while the exchange wants no request before an instant that it named.',
      ({ bannedUntil }) => (bannedUntil === undefined ? 0 : 1),
    ),
    ofEach(
      'feed_symbols_subscribed',
      'Markets subscribed on the live connection.',
      ({ symbolsSubscribed }) => symbolsSubscribed,
    ),
    ofEach(
      'feed_symbols_rejected',
      'Markets the exchange refuses to subscribe.',
      ({ symbolsRejected }) => symbolsRejected.length,
    ),
    ofEach(
      'feed_symbols_quiet',
      'Markets silent on the live connection and not confirmed otherwise.',
      ({ symbolsQuiet }) => symbolsQuiet,
    ),
    ofEach(
      'feed_pairs_skipped',
      'Pairs that are not offered: they lack something, or carry the live name of another pair.',
      ({ pairsSkipped }) => pairsSkipped,
    ),
  ],
};

function ofEach(name: string, help: string, figure: (health: FeedHealth) => number): Metric<CountedFeed> {
  return {
    name,
    help,
    labels: ['source'],
    read: (sources) => sources.map(({ id, health }): Sample => [id, figure(health)]),
  };
}

function countsOfEach(
  name: string,
  help: string,
  label: string,
  counts: (health: FeedHealth) => AnyCounts,
): Metric<CountedFeed> {
  return {
    name,
    help,
    labels: ['source', label],
    read: (sources) =>
      sources.flatMap(({ id, health }) => samplesOf(counts(health)).map((sample): Sample => [id, ...sample])),
  };
}
