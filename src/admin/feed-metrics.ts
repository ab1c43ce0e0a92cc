import type { FeedHealth } from '../feed/health.ts';
import { type Counts, counter, gauge, type Metric, type Sample } from './metric.ts';
import type { AdminParts } from './sources.ts';

/** How market data arrives, by source. */
export function feedMetrics({ feed, market }: AdminParts): Metric[] {
  return [
    gauge(
      'feed_path',
      '1 for the path market data comes over, 0 for the other.',
      () => ['live', 'fallback'].map((path): Sample => [path, Number(market.feedStatus.path === path)]),
      'path',
    ),
    counter(
      'feed_connections_total',
      'Live connections attempted.',
      each((health) => health.epoch),
      'source',
    ),
    perReason('connections_ended', 'Live connections ended, by reason.', 'reason', (health) => health.connectionsEnded),
    counter(
      'feed_connections_renewed_total',
      'Live connections replaced without a gap because the exchange planned their end.',
      each((health) => health.connectionsRenewed),
      'source',
    ),
    counter(
      'feed_frames_total',
      'Frames received on the live connection.',
      each((health) => health.framesReceived),
      'source',
    ),
    perReason('frames_dropped', 'Frames ignored, by reason.', 'reason', (health) => health.framesDropped),
    counter(
      'feed_tickers_total',
      'Upstream tickers taken.',
      each((health) => health.tickersTaken),
      'source',
    ),
    perReason(
      'tickers_rejected',
      'Upstream values not taken, by reason.',
      'reason',
      (health) => health.tickersRejected,
    ),
    perReason('polls', 'Polls over the fallback, by outcome.', 'outcome', (health) => health.polls),
    perReason('catalogue_loads', 'Loads of the catalogue, by outcome.', 'outcome', (health) => {
      return { ok: 0, incomplete: 0, ...health.catalogueLoads };
    }),
    gauge(
      'feed_symbols_subscribed',
      'Markets subscribed on the live connection.',
      each((health) => health.symbolsSubscribed),
      'source',
    ),
    gauge(
      'feed_symbols_rejected',
      'Markets the upstream refuses to subscribe.',
      each((health) => health.symbolsRejected.length),
      'source',
    ),
    gauge(
      'feed_pairs_skipped',
      'Pairs of the exchange not offered for a fault in its catalogue.',
      each((health) => health.pairsSkipped),
      'source',
    ),
    gauge(
      'feed_symbols_quiet',
      'Markets silent on the live connection and not confirmed otherwise.',
      each((health) => health.symbolsQuiet),
      'source',
    ),
  ];

  function each(read: (health: FeedHealth) => number): () => Sample[] {
    return () => feed.sources().map(({ id, health }): Sample => [id, read(health)]);
  }

  function perReason(name: string, help: string, label: string, read: (health: FeedHealth) => Counts): Metric {
    const samples = () =>
      feed.sources().flatMap(({ id, health }) => {
        return Object.entries(read(health)).map(([value, count = 0]): Sample => [id, value, count]);
      });
    return counter(`feed_${name}_total`, help, samples, 'source', label);
  }
}
