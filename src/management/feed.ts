import Type from 'typebox';
import * as part from '../contract/schema-parts.ts';
import type { FeedHealth } from '../feed/health.ts';
import type { EpochMs } from '../ground/clock.ts';
import type { CurrencyCode } from '../market/symbol.ts';
import { DoubtSchema } from '../operator/doubt.ts';
import * as fields from '../operator/fields.ts';
import { noBody, operation, reading } from './operation.ts';
import type { Management } from './parts.ts';
import { trendMinutesMax } from './source-trends.ts';
import { allDoubts, flowView, sourceFlow } from './views.ts';

const feedPath = fields.nullable(
  fields.openEnum(['live', 'fallback'], '`live`: over the live connection. `fallback`: over polls.'),
  fields.texts.FeedHealth.path,
);

const FeedSpanSchema = fields.named('FeedSpan', fields.texts.FeedSpan.schema, {
  state: fields.openEnum(['live', 'fallback', 'outage'], fields.texts.FeedSpan.state),
  ...fields.instantFields('from', 'When it began.'),
  ...fields.nullableInstantFields('to', 'When it ended; null for the one that lasts.'),
});

export const FeedHealthSchema = fields.named('FeedHealth', fields.texts.FeedHealth.schema, {
  path: feedPath,
  ...fields.tabled('FeedHealth.connection'),
  symbolsRejected: fields.listOf(part.symbol('A market.', 'BTCEUR'), fields.texts.FeedHealth.symbolsRejected),
  ...fields.tabled('FeedHealth.quiet'),
  upstreamLagMs: fields.orNull(Type.Number({ description: fields.texts.FeedHealth.upstreamLagMs, examples: [35] })),
  ...fields.tabled('FeedHealth.polls'),
});

const flowStates =
  '`flowing`: over a live connection that delivers, however quiet the market. `polled`: over polls that are not overdue, ' +
  'or in the seconds after the live connection was lost. `silent`: not at all.';

const DataFlowSchema = fields.named('DataFlow', 'Whether data flows. The interval of polls is counted in.', {
  state: fields.openEnum(['flowing', 'polled', 'silent'], flowStates),
  ...fields.nullableInstantFields(
    'since',
    'When it last flowed, where it is silent; null while it flows, and where there never was any data.',
  ),
});

const SourceFeedSchema = fields.named('SourceFeed', 'A source of market data.', {
  ...fields.tabled('SourceFeed'),
  flow: fields.nullable(
    DataFlowSchema,
    'From this source alone; null of one that is paused, and where another process runs the feed.',
  ),
  health: fields.described(FeedHealthSchema, 'Details for debugging.'),
  trend: fields.listOf(fields.orNull(Type.Number({ examples: [900] })), fields.texts.SourceFeed.trend, trendMinutesMax),
  doubts: fields.listOf(DoubtSchema, 'Its prices that are doubted, by market.'),
});

const FeedSchema = fields.named('Feed', 'How market data arrives.', {
  path: fields.openEnum(['live', 'fallback'], fields.texts.Feed.path),
  flow: fields.described(DataFlowSchema, 'From whichever source.'),
  dataAgeMs: fields.nullableCount('Age of the market data in milliseconds; null when there has been none.', 420),
  sources: fields.listOf(SourceFeedSchema, 'In order of preference.', 50),
  timeline: fields.listOf(FeedSpanSchema, 'The last 24 hours, oldest first. Kept across restarts.', 1_001),
});

const SourceReloadSchema = fields.named('SourceReload', 'What a reload changed.', {
  sources: fields.listOf(fields.line('The id of a source.', 'kraken', 32), fields.texts.SourceReload.sources, 50),
  changes: fields.listOf(fields.line('A change.', 'paused kraken'), 'What is not as before; empty where nothing is.'),
});

const RateSchema = fields.named('Rate', 'A conversion rate.', fields.tabled('Rate'));

const RateListSchema = fields.named('RateList', 'The conversion rates.', {
  rates: fields.listOf(RateSchema, 'One for each converted quote currency.'),
});

export const feedOperations = {
  readFeed: reading(FeedSchema, ({ now }, management) => {
    const { feed, market, clock, timeline, trends } = management;
    const doubts = Map.groupBy(allDoubts(management), ({ source }) => source);
    return {
      path: market.feedStatus.path,
      flow: flowView(market.service.read(now).flow),
      dataAgeMs: market.feedStatus.ageMs(now, clock.monotonicMs()) ?? null,
      sources: feed.sources().map(({ id, kind, isPaused: paused, health }) => ({
        id,
        kind,
        paused,
        flow: sourceFlow(management, { id, isPaused: paused }),
        health: healthBody(health),
        trend: trends.of(id),
        doubts: doubts.get(id) ?? [],
      })),
      timeline: timeline.spans(now).map(({ state, fromMs, toMs }) => ({
        state,
        ...fields.instants('from', fromMs),
        ...fields.instants('to', toMs),
      })),
    };
  }),

  reloadSources: operation({
    access: 'operator',
    body: noBody,
    answer: SourceReloadSchema,
    problems: ['CONFLICT'],
    handle: ({ store }, { reload }) => reload.run(store),
  }),

  readRates: reading(RateListSchema, ({ now }, management) => {
    return {
      rates: [...management.configuration.pricing.converted.keys()].map((quote) => rateBody(management, quote, now)),
    };
  }),
};

/** While there is no connection, what the exchange said over the last one is left out. */
export function healthBody(health: FeedHealth) {
  const isConnected = health.connection === 'open';
  const ageMs = health.lastLiveDataAgeMs;
  return fields.viewOf(FeedHealthSchema.properties, {
    ...health,
    symbolsRejected: [...health.symbolsRejected],
    lastLiveDataAgeMs: ageMs && Math.max(0, Math.round(ageMs)),
    upstreamLagMs: isConnected ? health.upstreamLagMs : undefined,
    systemStatus: isConnected ? health.systemStatus : undefined,
  });
}

function rateBody({ configuration, feed, market: { markets } }: Management, quote: CurrencyCode, now: EpochMs) {
  const { via } = configuration.pricing.converted.get(quote)!;
  const known = markets.rate(quote);
  const health = feed.rates().find((rate) => rate.quote === quote);
  return {
    via,
    quote,
    source: health?.source ?? known?.rate.source ?? 'none',
    mid: known?.rate.mid ?? null,
    fixingDate: known?.rate.fixingDate ?? null,
    ...fields.instants('refreshedAt', known?.rate.refreshedAt),
    ageMs: known === undefined ? null : Math.max(0, now - known.rate.refreshedAt),
    ...fields.instants('validUntil', known?.validUntil),
    valid: known !== undefined && now < known.validUntil,
    marginPercent: markets.marginOf(quote),
    lastOutcome: health?.lastOutcome ?? null,
  };
}
