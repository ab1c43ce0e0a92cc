import Big from 'big.js';
import type { Static } from 'typebox';
import * as part from '../contract/schema-parts.ts';
import type { EpochMs } from '../ground/clock.ts';
import { type Metric, type MetricGroup, type Sample, samplesOf } from '../ground/metric.ts';
import { type DecimalString, roundTo, toBig } from '../market/decimal.ts';
import type { Markets } from '../market/markets.ts';
import type { Quote } from '../market/quote.ts';
import { servedPaths } from '../market/served-price.ts';
import { exclusions } from '../market/source-choice.ts';
import type { SourceState } from '../market/source-state.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import * as fields from './fields.ts';
import { provedBy, type ServedSchema, servedOver } from './served.ts';

const sourceStates = ['used', 'standby', 'stale', 'excluded'] as const;

const SourceQuoteSchema = fields.named('SourceQuote', 'One source of a market.', {
  id: fields.line('The source’s id in the configuration.', 'kraken', 32),
  state: fields.openEnum(
    sourceStates,
    'What it is to the price: `used`, ready to take over (`standby`), not delivering (`stale`), or `excluded`.',
  ),
  reason: fields.nullable(
    fields.openEnum(
      exclusions,
      'Why it is excluded: it is paused, does not list the market, does not trade it, is contradicted by others, was never comparable with the one in use, has a price that is held or far from the market’s, or has sent none.',
    ),
    'Null unless it is excluded.',
  ),
  reach: fields.openEnum(['live', 'polled', 'silent'], 'How it delivers the market.'),
  bid: fields.nullableDecimal('Its last good bid, or what it says while excluded for a doubt; null before.', '50000.0'),
  ask: fields.nullableDecimal('Its ask, in the same way.', '50000.1'),
  ...fields.nullableInstantFields('timestamp', 'When its last good values were captured.'),
  ageMs: fields.nullableCount('Their age in milliseconds.', 420),
  over: fields.nullable(servedOver, 'How the market is served from it; null unless it makes the price.'),
  ...fields.nullableInstantFields('provedAt', 'When its values were last proved current; null before its first.'),
  provedAgeMs: fields.nullableCount('Since then, in milliseconds.', 420),
  provedBy: fields.nullable(provedBy, 'How they were; null where this process does not know.'),
  reportedAgeMs: fields.nullableCount(
    'How long ago, in milliseconds, the process that runs the feed reported this; null in that process.',
    1200,
  ),
  deviationPercent: fields.nullable(
    part.percent('Its middle price from that of the market’s price, in percent.', '-0.01'),
    'Null before its first values.',
  ),
});

export const sourcesField = fields.listOf(SourceQuoteSchema, 'The sources of its price, in order of preference.', 50);

export type SourceQuote = Static<typeof SourceQuoteSchema>;

/** Every source of what an exchange market is priced from. */
export function sourceQuotes(markets: Markets, exchangeSymbol: MarketSymbol, now: EpochMs): SourceQuote[] {
  const made = markets.acceptedTicker(exchangeSymbol);
  return markets.sources.states(exchangeSymbol).map((state) => {
    const { id, reach, exclusion, doubt, prices, reportedAt, over, provedAt, provedBy } = state;
    const said = exclusion === undefined ? prices : (doubt ?? prices);
    return fields.viewOf(SourceQuoteSchema.properties, {
      id,
      state: stateOf(state),
      reason: exclusion,
      reach,
      bid: said?.bid,
      ask: said?.ask,
      timestamp: prices?.capturedAt,
      ageMs: prices && Math.max(0, now - prices.capturedAt),
      over,
      provedAt,
      provedAgeMs: provedAt && Math.max(0, now - provedAt),
      provedBy,
      reportedAgeMs: reportedAt === undefined ? undefined : Math.max(0, now - reportedAt),
      deviationPercent: said && made && deviation(said, made),
    });
  });
}

/** Gives what each source says of each market of an exchange that is not delisted. */
export function marketQuotes(markets: Markets, now: EpochMs) {
  const offered = markets.catalogue.listed(now).filter((each) => !each.isConverted && each.status !== 'delisted');
  return offered.flatMap(({ symbol }) => sourceQuotes(markets, symbol, now).map((quote) => [symbol, quote] as const));
}

function stateOf({ isUsed, exclusion, reach }: SourceState): SourceQuote['state'] {
  if (isUsed) return 'used';
  if (exclusion !== undefined) return 'excluded';
  return reach === 'silent' ? 'stale' : 'standby';
}

const FourDecimals = Big();
FourDecimals.DP = 4;

function deviation(own: Quote, made: Quote): string {
  const level = toBig(made.bid).plus(made.ask);
  const difference = toBig(own.bid).plus(own.ask).minus(level).times(100);
  return roundTo(new FourDecimals(difference).div(level).toFixed() as DecimalString, 2, 'half-even');
}

/** The sources of a process as they are counted. */
export interface CountedSources {
  /** By market; none where there is one source alone, which is the price. */
  readonly quotes: readonly (readonly [symbol: MarketSymbol, quote: SourceQuote])[];
  readonly sources: readonly {
    readonly id: string;
    readonly markets: Readonly<Record<string, number>>;
    readonly served: Static<typeof ServedSchema>;
  }[];
}

export const sourceMetrics: MetricGroup<CountedSources> = {
  title: 'Sources',
  metrics: [
    {
      name: 'source_markets',
      help: 'Markets of each source, by its state there.',
      labels: ['source', 'state'],
      read: ({ sources }) =>
        sources.flatMap(({ id, markets }) => samplesOf(markets).map((sample): Sample => [id, ...sample])),
    },
    {
      name: 'source_priced_markets',
      help:
        'Markets whose price each source makes, by how it comes: `best` is live or merely quiet, `polled` over REST ' +
        'because the subscription is refused or lost, `standby` in place of an earlier source, `silent` not at all now.',
      labels: ['source', 'path'],
      read: ({ sources }) =>
        sources.flatMap(({ id, served }) => servedPaths.map((path): Sample => [id, path, served[path]])),
    },
    {
      name: 'source_oldest_price_age_seconds',
      help: 'Time since the price of a market was last proved current, the longest of those that each source makes.',
      labels: ['source'],
      read: ({ sources }) =>
        sources.flatMap(({ id, served }): Sample[] =>
          served.oldest === null ? [] : [[id, served.oldest.ageMs / 1000]],
        ),
    },
    {
      name: 'market_source_age_seconds',
      help: 'Age of the last good values of each source of each market, with its state; only with several sources.',
      labels: ['market', 'source', 'state'],
      read: perQuote(({ state, ageMs }) => (ageMs === null ? undefined : [state, ageMs / 1000])),
    },
    {
      name: 'market_source_middle',
      help: 'Middle price of each source of each market, rounded to a float; only with several sources.',
      labels: ['market', 'source'],
      read: perQuote(({ bid, ask }) => (bid === null || ask === null ? undefined : [(Number(bid) + Number(ask)) / 2])),
    },
    {
      name: 'market_source_deviation_ratio',
      help: 'Distance of the middle price of each source from that of the market’s price; only with several sources.',
      labels: ['market', 'source'],
      read: perQuote(({ deviationPercent }) =>
        deviationPercent === null ? undefined : [Number(deviationPercent) / 100],
      ),
    },
  ],
};

function perQuote(read: (quote: SourceQuote) => Sample | undefined): Metric<CountedSources>['read'] {
  return ({ quotes }) =>
    quotes.flatMap(([symbol, quote]): Sample[] => {
      const sample = read(quote);
      return sample === undefined ? [] : [[symbol, quote.id, ...sample]];
    });
}
