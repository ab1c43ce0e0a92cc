import Type from 'typebox';
import * as part from '../contract/schema-parts.ts';
import type { FeedHealth } from '../feed/health.ts';
import { servedMarkets } from '../market/served-markets.ts';
import { allDoubts, DoubtSchema } from '../operator/doubt.ts';
import * as fields from '../operator/fields.ts';
import { ServedSchema, servedBody } from '../operator/served.ts';
import { noBody, operation } from './operation.ts';
import { SourceChangeSchema } from './source-reload.ts';
import { trendMinutesMax } from './source-trends.ts';
import { flowView, sourceFlow } from './views.ts';

const feedPath = fields.nullable(
  fields.openEnum(['live', 'fallback'], '`live`: over the live connection. `fallback`: over polls.'),
  'How data arrives; null until the feed has chosen a path.',
);

const FeedSpanSchema = fields.named(
  'FeedSpan',
  'A span in which the feed was in one state. Between two spans the service was not running.',
  {
    state: fields.openEnum(
      ['live', 'fallback', 'silent'],
      '`live`: over the live connection. `fallback`: over polls. `silent`: nothing arrives, whatever the status says.',
    ),
    ...fields.instantFields('from', 'When it began.'),
    ...fields.nullableInstantFields('to', 'When it ended; null for the one that lasts.'),
  },
);

const FeedHealthSchema = fields.named(
  'FeedHealth',
  'The feed of one source now; counters since the start of the process.',
  {
    path: feedPath,
    connection: fields.line('State of the live connection.', 'open', 64),
    sessions: fields.count('Sessions with the exchange that the live connection has.', 1),
    ...fields.nullableInstantFields(
      'bannedUntil',
      'The instant before which the exchange wants no request; null while it does not say so.',
    ),
    epoch: fields.count('Live connections attempted.', 1),
    connectionsEnded: fields.counts('Live connections ended, by reason.', { closed: 1 }),
    connectionsRenewed: fields.count(
      'Live connections replaced without a gap because the exchange planned their end.',
      1,
    ),
    framesReceived: fields.count('Frames received on the live connection.', 91_000),
    framesDropped: fields.counts('Frames ignored, by reason.', { unknown_channel: 2 }),
    tickersTaken: fields.count('Upstream tickers taken.', 90_000),
    tickersRejected: fields.counts('Upstream values not taken, by reason.', { crossed: 1 }),
    statisticsLeftOut: fields.counts('Statistics left out because they cannot be, by name.', {
      priceChangePercent24h: 1,
    }),
    symbolsWanted: fields.count('Markets that are to be subscribed.', 120),
    symbolsSubscribed: fields.count('Markets subscribed on the live connection.', 120),
    symbolsRejected: fields.listOf(part.symbol('A market.', 'BTCEUR'), 'Markets the exchange refuses to subscribe.'),
    symbolsQuiet: fields.count('Markets silent on the live connection and not confirmed otherwise.', 0),
    symbolsDoubted: fields.count('Markets for which polls show another price than the live connection.', 0),
    ...fields.nullableInstantFields('lastLiveDataAt', 'When the live connection last gave data.'),
    lastLiveDataAgeMs: fields.nullableCount('Time since then, in milliseconds.', 120),
    upstreamLagMs: fields.orNull(
      Type.Number({
        description:
          'How far the last live ticker was behind its own time; negative when the clocks differ; null while not connected.',
        examples: [35],
      }),
    ),
    ...fields.nullableInstantFields('lastFallbackPollAt', 'When the fallback was last polled.'),
    polls: fields.counts('Polls over the fallback, by outcome.', { ok: 3 }),
    ...fields.nullableInstantFields('lastCatalogueAt', 'When the catalogue was last loaded.'),
    catalogueLoads: fields.counts('Loads of the catalogue, by outcome.', { ok: 12 }),
    pairsSkipped: fields.count(
      'Pairs that are not offered: they lack something, or carry the live name of another pair.',
      0,
    ),
    systemStatus: fields.nullableLine(
      'The state that the exchange reports of itself; null until it does, and while not connected.',
      'online',
      64,
    ),
  },
);

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
  id: fields.line('Its id in the configuration.', 'kraken', 32),
  kind: fields.line('The protocol it speaks.', 'kraken', 32),
  paused: Type.Boolean({ description: 'Whether the configuration pauses it.' }),
  flow: fields.nullable(
    DataFlowSchema,
    'From this source alone; null of one that is paused, and where another process runs the feed.',
  ),
  served: fields.referenceTo(ServedSchema, 'The markets whose price it makes.'),
  health: fields.referenceTo(FeedHealthSchema, 'Details for debugging.'),
  trend: fields.listOf(
    fields.orNull(Type.Number({ examples: [900] })),
    'The last minutes, oldest first: milliseconds that live data stayed away at worst; null where the connection was never open.',
    trendMinutesMax,
  ),
  doubts: fields.listOf(DoubtSchema, 'Its prices that are doubted, by market.'),
});

const FeedSchema = fields.named('Feed', 'How market data arrives.', {
  path: fields.openEnum(
    ['live', 'fallback'],
    '`live`: the markets over their best path, but for a tenth at most. `fallback`: more of them over polls, or from another source.',
  ),
  flow: fields.referenceTo(DataFlowSchema, 'From whichever source makes prices.'),
  served: fields.referenceTo(ServedSchema, 'All markets of exchanges that have a price.'),
  dataAgeMs: fields.nullableCount('Age of the market data in milliseconds; null when there has been none.', 420),
  sources: fields.listOf(SourceFeedSchema, 'In order of preference.', 50),
  timeline: fields.listOf(FeedSpanSchema, 'The last 24 hours, oldest first. Kept across restarts.', 1_001),
});

const SourceReloadSchema = fields.named('SourceReload', 'What a reload changed.', {
  sources: fields.listOf(
    fields.line('The id of a source.', 'kraken', 32),
    'The sources now, in order of preference.',
    50,
  ),
  changes: fields.listOf(fields.line('A change.', 'added kraken'), 'What is not as before; empty where nothing is.'),
  changeCodes: fields.listOf(SourceChangeSchema, 'The same by their codes.'),
});

export const feedOperations = {
  readFeed: operation({
    path: '/api/feed',
    summary: 'How market data arrives',
    description: 'The connection to the exchange now, and its states over the last 24 hours.',
    answer: FeedSchema,
    handle({ now }, management) {
      const { feed, market, clock, timeline, trends } = management;
      const served = servedMarkets(market.markets, now);
      const doubts = Map.groupBy(allDoubts(management.market.markets, now), ({ source }) => source);
      return {
        path: market.feedStatus.path,
        flow: flowView(market.service.read(now).flow),
        served: servedBody(served),
        dataAgeMs: market.feedStatus.ageMs(now, clock.monotonicMs()) ?? null,
        sources: feed.sources().map(({ id, kind, isPaused: paused, health }) => ({
          id,
          kind,
          paused,
          flow: sourceFlow(management, { id, isPaused: paused }),
          served: servedBody(served.filter((each) => each.id === id)),
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
    },
  }),

  reloadSources: operation({
    path: '/api/sources/reload',
    summary: 'Take over the sources of the configuration',
    description:
      'Reads the configuration again, in this process, as SIGHUP does. A source that stays as it is keeps its connection. Where anything else changed, or is wrong, nothing is taken over, and `errors` names it.',
    access: 'operator',
    body: noBody,
    answer: SourceReloadSchema,
    problems: ['CONFLICT'],
    handle: ({ store }, { reload }) => reload.run(store),
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
