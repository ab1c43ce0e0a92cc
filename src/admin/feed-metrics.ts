import type { FeedHealth } from '../feed/health.ts';
import { type SourceQuote, sourceQuotes, sourceStates } from '../operator/source.ts';
import { type Counts, counter, gauge, type Metric, type Sample } from './metric.ts';
import type { AdminParts } from './sources.ts';

/** What each source of each market is to its price; nothing where there is one source alone. */
export function sourceMetrics({ market, clock }: AdminParts): Metric[] {
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
    gauge('source_markets', 'Markets of each source, by its state there.', states, 'source', 'state'),
  ];

  function quotes(): readonly (readonly [symbol: string, quote: SourceQuote])[] {
    const now = clock.now();
    const offered = market.book.catalogue.listed(now).filter((each) => !each.isConverted && each.status !== 'delisted');
    return offered.flatMap(({ symbol }) => {
      return sourceQuotes(market.book, symbol, now).map((quote) => [symbol, quote] as const);
    });
  }

  function perMarket(
    name: string,
    help: string,
    read: (quote: SourceQuote) => Sample | undefined,
    ...labels: readonly string[]
  ): Metric {
    const samples = () => {
      if (market.book.sources.all.length === 1) return [];
      return quotes().flatMap(([symbol, quote]): Sample[] => {
        const sample = read(quote);
        return sample === undefined ? [] : [[symbol, quote.id, ...sample]];
      });
    };
    return gauge(name, help, samples, 'market', 'source', ...labels);
  }

  function states(): Sample[] {
    const all = quotes().map(([, quote]) => quote);
    const count = (id: string, state: string) => all.filter((each) => each.id === id && each.state === state).length;
    const ids = market.book.sources.all.map(({ id }) => id);
    return ids.flatMap((id) => sourceStates.map((state): Sample => [id, state, count(id, state)]));
  }
}

/** How market data arrives, by source. */
export function feedMetrics({ feed, market }: AdminParts): Metric[] {
  const path = () => ['live', 'fallback'].map((name): Sample => [name, Number(market.feedStatus.path === name)]);
  return [
    gauge('feed_path', '1 for the path market data comes over, 0 for the other.', path, 'path'),
    ...figures.map(([kind, name, help, read]) => {
      const samples = () => feed.sources().map(({ id, health }): Sample => [id, read(health)]);
      return { kind, name: `feed_${name}`, help, labels: ['source'], read: samples };
    }),
    ...countsByName.map(([name, help, label, read]) => {
      const samplesOf = (id: string, counts: Counts) =>
        Object.entries(counts).map(([value, count = 0]): Sample => [id, value, count]);
      const samples = () => feed.sources().flatMap(({ id, health }) => samplesOf(id, read(health)));
      return counter(`feed_${name}_total`, help, samples, 'source', label);
    }),
  ];
}

type Figure = readonly [kind: Metric['kind'], name: string, help: string, read: (health: FeedHealth) => number];

const figures: readonly Figure[] = [
  ['counter', 'connections_total', 'Live connections attempted.', ({ epoch }) => epoch],
  [
    'counter',
    'connections_renewed_total',
    'Live connections replaced without a gap because the exchange planned their end.',
    ({ connectionsRenewed }) => connectionsRenewed,
  ],
  ['counter', 'frames_total', 'Frames received on the live connection.', ({ framesReceived }) => framesReceived],
  ['counter', 'tickers_total', 'Upstream tickers taken.', ({ tickersTaken }) => tickersTaken],
  [
    'gauge',
    'symbols_subscribed',
    'Markets subscribed on the live connection.',
    ({ symbolsSubscribed }) => symbolsSubscribed,
  ],
  [
    'gauge',
    'symbols_rejected',
    'Markets the upstream refuses to subscribe.',
    ({ symbolsRejected }) => symbolsRejected.length,
  ],
  [
    'gauge',
    'pairs_skipped',
    'Pairs of the exchange not offered for a fault in its catalogue.',
    ({ pairsSkipped }) => pairsSkipped,
  ],
  [
    'gauge',
    'symbols_quiet',
    'Markets silent on the live connection and not confirmed otherwise.',
    ({ symbolsQuiet }) => symbolsQuiet,
  ],
];

type CountByName = readonly [name: string, help: string, label: string, read: (health: FeedHealth) => Counts];

const countsByName: readonly CountByName[] = [
  ['connections_ended', 'Live connections ended, by reason.', 'reason', (health) => health.connectionsEnded],
  ['frames_dropped', 'Frames ignored, by reason.', 'reason', (health) => health.framesDropped],
  ['tickers_rejected', 'Upstream values not taken, by reason.', 'reason', (health) => health.tickersRejected],
  ['polls', 'Polls over the fallback, by outcome.', 'outcome', (health) => health.polls],
  [
    'catalogue_loads',
    'Loads of the catalogue, by outcome.',
    'outcome',
    ({ catalogueLoads }) => ({ ok: 0, incomplete: 0, ...catalogueLoads }),
  ],
];
