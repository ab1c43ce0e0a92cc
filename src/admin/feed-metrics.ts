import type { FeedHealth } from '../feed/health.ts';
import { FeedHealthSchema } from '../management/feed.ts';
import type { AdminParts } from '../management/parts.ts';
import { marketQuotes, sourceViews } from '../management/views.ts';
import type { SourceQuote } from '../operator/source.ts';
import { type Counts, fromZero, labelled, type Metric, metric, type Sample, samplesOf } from './metric.ts';

/** The part that each source of each market has in its price; empty where there is one source alone. */
export function sourceMetrics(parts: AdminParts): Metric[] {
  return [
    perMarket(
      'market_source_age_seconds',
      'Age of the last good values of each source of each market, with its state.',
      ({ state, ageMs }) => (ageMs === null ? undefined : [state, ageMs / 1000]),
      'state',
    ),
    perMarket(
      'market_source_middle',
      'Middle price of each source of each market, rounded to a float.',
      ({ bid, ask }) => (bid === null || ask === null ? undefined : [(Number(bid) + Number(ask)) / 2]),
    ),
    perMarket(
      'market_source_deviation_ratio',
      'Distance of the middle price of each source from that of the market’s price.',
      ({ deviationPercent }) => (deviationPercent === null ? undefined : [Number(deviationPercent) / 100]),
    ),
    labelled('source_markets', ['source', 'state'], 'Markets of each source, by its state there.', states),
  ];

  function perMarket(
    name: string,
    help: string,
    read: (quote: SourceQuote) => Sample | undefined,
    ...labels: readonly string[]
  ): Metric {
    const samples = () => {
      if (parts.market.markets.sources.all.length === 1) return [];
      return marketQuotes(parts).flatMap(([symbol, quote]): Sample[] => {
        const sample = read(quote);
        return sample === undefined ? [] : [[symbol, quote.id, ...sample]];
      });
    };
    return labelled(name, ['market', 'source', ...labels], help, samples);
  }

  function states(): Sample[] {
    return sourceViews(parts).flatMap(({ id, markets }) => samplesOf(markets).map((sample): Sample => [id, ...sample]));
  }
}

/** How market data arrives, by source. */
export function feedMetrics({ feed, market }: AdminParts): Metric[] {
  const path = () => ['live', 'fallback'].map((name): Sample => [name, Number(market.feedStatus.path === name)]);
  return [
    labelled('feed_path', ['path'], '1 for the path market data comes over, 0 for the other.', path),
    labelled(
      'clock_offset_seconds',
      ['source'],
      'Wall clock of this process minus that of each exchange, by its live data; absent while that does not tell.',
      () => [...feed.clock().bySource].map(([id, offsetMs]): Sample => [id, offsetMs / 1000]),
    ),
    metric('clock_wrong', '1 while the wall clock of this process disagrees with the exchanges by more than 2 s.', () =>
      Number(feed.clock().isWrong),
    ),
    ...Object.entries(figures).map(([name, field]) => {
      const samples = () => feed.sources().map(({ id, health }): Sample => [id, figureOf(health[field])]);
      return labelled(`feed_${name}`, ['source'], helpOf(field), samples);
    }),
    ...Object.entries(countsByName).map(([name, [label, field, ...known]]) => {
      const countsOf = (counts: Counts) => samplesOf(fromZero(known, Object.entries(counts)));
      const samples = () =>
        feed.sources().flatMap(({ id, health }) => countsOf(health[field]).map((sample): Sample => [id, ...sample]));
      return labelled(`feed_${name}`, ['source', label], helpOf(field), samples);
    }),
  ];
}

const figures = {
  connections_total: 'epoch',
  connections_renewed_total: 'connectionsRenewed',
  frames_total: 'framesReceived',
  tickers_total: 'tickersTaken',
  symbols_subscribed: 'symbolsSubscribed',
  symbols_rejected: 'symbolsRejected',
  pairs_skipped: 'pairsSkipped',
  symbols_quiet: 'symbolsQuiet',
} as const;

/** The label of the counts, their field, and the names that are known from the start. */
const countsByName = {
  connections_ended_total: ['reason', 'connectionsEnded'],
  frames_dropped_total: ['reason', 'framesDropped'],
  tickers_rejected_total: ['reason', 'tickersRejected'],
  statistics_left_out_total: ['statistic', 'statisticsLeftOut'],
  polls_total: ['outcome', 'polls'],
  catalogue_loads_total: ['outcome', 'catalogueLoads', 'ok', 'incomplete'],
} as const;

/** Gives the length of a list, and any other figure as it is. */
function figureOf(figure: FeedHealth[(typeof figures)[keyof typeof figures]]): number {
  return typeof figure === 'number' ? figure : figure.length;
}

/** The description that the management API has of it. */
function helpOf(field: keyof typeof FeedHealthSchema.properties): string {
  return (FeedHealthSchema.properties[field] as { readonly description?: string }).description!;
}
