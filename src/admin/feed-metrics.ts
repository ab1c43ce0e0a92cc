import type { FeedHealth } from '../feed/health.ts';
import { FeedHealthSchema } from '../management/feed.ts';
import type { AdminParts } from '../management/parts.ts';
import { sourceViews } from '../management/views.ts';
import { marketQuotes, type SourceQuote } from '../operator/source.ts';
import { type Counts, fromZero, type Metric, type Readers, type Sample, samplesOf } from './metric.ts';

/** The part that each source of each market has in its price; empty where there is one source alone. */
export function sourceMetrics(parts: AdminParts): Readers {
  return {
    market_source_age_seconds: perMarket(({ state, ageMs }) => (ageMs === null ? undefined : [state, ageMs / 1000])),
    market_source_middle: perMarket(({ bid, ask }) =>
      bid === null || ask === null ? undefined : [(Number(bid) + Number(ask)) / 2],
    ),
    market_source_deviation_ratio: perMarket(({ deviationPercent }) =>
      deviationPercent === null ? undefined : [Number(deviationPercent) / 100],
    ),
    source_markets: () =>
      sourceViews(parts).flatMap(({ id, markets }) => samplesOf(markets).map((sample): Sample => [id, ...sample])),
  };

  function perMarket(read: (quote: SourceQuote) => Sample | undefined): Metric['read'] {
    return () => {
      if (parts.market.markets.sources.all.length === 1) return [];
      return marketQuotes(parts.market.markets, parts.clock.now()).flatMap(([symbol, quote]): Sample[] => {
        const sample = read(quote);
        return sample === undefined ? [] : [[symbol, quote.id, ...sample]];
      });
    };
  }
}

/** How market data arrives. */
export function feedMetrics({ feed, market }: AdminParts): Readers {
  return {
    feed_path: () => ['live', 'fallback'].map((name): Sample => [name, Number(market.feedStatus.path === name)]),
    clock_offset_seconds: () => [...feed.clock().bySource].map(([id, offsetMs]): Sample => [id, offsetMs / 1000]),
    clock_wrong: () => Number(feed.clock().isWrong),
  };
}

/** The figures of each source. */
export function supervisorMetrics({ feed }: AdminParts): Metric[] {
  return [
    ...Object.entries(figures).map(([name, field]) => {
      const read = () => feed.sources().map(({ id, health }): Sample => [id, figureOf(health[field])]);
      return { name: `feed_${name}`, labels: ['source'], help: helpOf(field), read };
    }),
    ...Object.entries(countsByName).map(([name, [label, field, ...known]]) => {
      const countsOf = (counts: Counts) => samplesOf(fromZero(known, Object.entries(counts)));
      const read = () =>
        feed.sources().flatMap(({ id, health }) => countsOf(health[field]).map((sample): Sample => [id, ...sample]));
      return { name: `feed_${name}`, labels: ['source', label], help: helpOf(field), read };
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
