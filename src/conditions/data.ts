import { tickerOutageAfterMs } from '../contract/limits.ts';
import { publicServiceStatuses } from '../contract/schemas.ts';
import { openEnum } from '../operator/fields.ts';
import { condition, measured, type Severity } from './condition.ts';
import { fewNames, fewOf, fewText } from './few.ts';
import type { Observed } from './observed.ts';

const minuteMs = 60_000;
const lateAfterMs = minuteMs;

/** Late, polled and lost data say the same as missing data: one trouble is not told as urgent and as not. */
export function asUrgentAsCause(observed: {
  readonly market: Pick<Observed['market'], 'service'>;
  readonly clock: Pick<Observed['clock'], 'now'>;
}): { readonly severity?: Severity } {
  const { flow } = observed.market.service.read(observed.clock.now());
  return flow.state === 'silent' ? { severity: 'critical' } : {};
}

function ageMsOf({ market, clock }: Observed): number | undefined {
  return market.feedStatus.ageMs(clock.now(), clock.monotonicMs());
}

function absencesOf({ market, configuration }: Observed) {
  return market.markets.catalogue.absences(configuration.markets.delistAfterMs);
}

const missingMarkets = { markets: fewNames('The markets.', 'ETHEUR') };

/** Conditions of market data as a whole, and of the lists of markets. */
export const data = {
  MarketDataLate: condition({
    event: 'status',
    severity: 'warning',
    forMs: 30_000,
    title: 'Market data is late',
    isPlannedInMaintenance: true,
    *find(observed) {
      const ageMs = ageMsOf(observed) ?? 0;
      if (ageMs > lateAfterMs && ageMs <= tickerOutageAfterMs) yield asUrgentAsCause(observed);
    },
    rule: {
      expr: 'mdapi_market_data_age_seconds > 60 and mdapi_market_data_age_seconds <= 300',
      description:
        'The market data of {{ $labels.instance }} is {{ $value | humanizeDuration }} old. Clients get the last known prices.',
    },
  }),

  MarketDataOutage: condition({
    event: 'status',
    severity: 'critical',
    forMs: 0,
    title: 'Market data has not arrived for five minutes',
    isPlannedInMaintenance: true,
    find: (observed) => (ageMsOf(observed) ?? 0) > tickerOutageAfterMs,
    rule: {
      expr: 'mdapi_market_data_age_seconds > 300',
      description:
        'The market data of {{ $labels.instance }} is {{ $value | humanizeDuration }} old, and /v1/status says outage.',
    },
  }),

  NoMarketData: condition({
    event: 'status',
    severity: 'critical',
    forMs: 2 * minuteMs,
    title: 'No market data since the start',
    isPlannedInMaintenance: true,
    find: (observed) => {
      const { status } = observed.market.service.read(observed.clock.now());
      return status === 'outage' && ageMsOf(observed) === undefined;
    },
    rule: {
      expr: 'mdapi_service_status{state="outage"} == 1 unless on (job, instance) mdapi_market_data_age_seconds',
      description:
        '{{ $labels.instance }} has received no data since its start, and its database holds none. Prices are answered with 503.',
    },
  }),

  StatusChanged: condition({
    event: 'status',
    severity: 'warning',
    forMs: 0,
    title: 'Market data is not operational',
    isPlannedInMaintenance: true,
    values: { ticker: openEnum(publicServiceStatuses, 'What `/v1/status` says of the market data.') },
    *find(observed) {
      const { ticker } = observed.market.service.read(observed.clock.now());
      if (ticker !== 'operational') yield { subject: ticker, values: { ticker }, ...asUrgentAsCause(observed) };
    },
    sentence: ({ ticker }) => `market data: ${ticker}`,
    note: { page: 'feed' },
  }),

  FeedOnFallback: condition({
    event: 'source',
    severity: 'warning',
    forMs: 5 * minuteMs,
    title: 'Market data has been polled for five minutes',
    isPlannedInMaintenance: true,
    *find(observed) {
      if (observed.market.feedStatus.path === 'fallback') yield asUrgentAsCause(observed);
    },
    rule: {
      expr: 'mdapi_feed_path{path="fallback"} == 1',
      description:
        '{{ $labels.instance }} polls the exchange because its live connection is lost or silent. /v1/status says degraded, and how old the data is.',
    },
  }),

  FeedUnsteady: measured({
    event: 'source',
    severity: 'warning',
    forMs: 5 * minuteMs,
    title: 'The live connection to the exchange keeps breaking',
    rule: {
      expr: 'sum by (job, instance) (increase(mdapi_feed_connections_ended_total[15m])) > 10',
      description: 'It ended {{ $value | humanize }} times in 15 minutes on {{ $labels.instance }}.',
    },
  }),

  UpstreamValuesRejected: measured({
    event: 'source',
    severity: 'warning',
    forMs: 10 * minuteMs,
    title: 'The exchange sends values that are rejected',
    rule: {
      expr: `sum by (job, instance) (rate(mdapi_feed_tickers_rejected_total{reason!~"out_of_order|older_than_live|unknown_market|held|on_hold"}[10m]))
  > 0.05 * sum by (job, instance) (rate(mdapi_feed_tickers_total[10m]))`,
      description:
        '{{ $labels.instance }} leaves {{ $value | humanize }} tickers a second unused. Their markets keep their last good price, which grows old.',
    },
  }),

  MarketsMissing: condition({
    event: 'source',
    severity: 'warning',
    forMs: 5 * minuteMs,
    title: 'The exchange no longer lists some markets',
    values: missingMarkets,
    *find(observed) {
      const { missing } = absencesOf(observed);
      if (missing.length > 0) yield { values: { markets: fewOf(missing) } };
    },
    sentence: ({ markets }) =>
      `missing from the exchange’s list, and delisted unless they come back: ${fewText(markets)}`,
    note: { page: 'markets' },
    rule: {
      expr: 'mdapi_markets_missing{state="paused"} > 0',
      description:
        '{{ $labels.instance }} has paused {{ $value }} markets, and delists them for good after markets.delistAfter unless they come back.',
    },
  }),

  DelistingHeldBack: condition({
    event: 'source',
    severity: 'critical',
    forMs: 0,
    title: 'Delisting is held back and waits for the operator',
    values: missingMarkets,
    *find(observed) {
      const { due, isHeldBack } = absencesOf(observed);
      if (isHeldBack) yield { values: { markets: fewOf(due) } };
    },
    sentence: ({ markets }) => `delisting waits for an operator: ${fewText(markets)}`,
    note: { page: 'markets' },
    rule: {
      expr: 'mdapi_markets_missing{state="held_back"} > 0',
      description:
        "{{ $value }} markets of {{ $labels.instance }} are due to be delisted, but over a tenth of all are missing from the exchange's list.",
    },
  }),

  MarketsDelisted: measured({
    event: 'source',
    severity: 'warning',
    forMs: 0,
    title: 'Markets were delisted in the last hour',
    rule: {
      expr: 'mdapi_markets{status="delisted"} > (mdapi_markets{status="delisted"} offset 1h)',
      description:
        '{{ $labels.instance }} lists {{ $value }} delisted markets, more than an hour ago. Delisting is final.',
    },
  }),

  CatalogueIncomplete: measured({
    event: 'source',
    severity: 'warning',
    forMs: 0,
    title: "The exchange's list of markets lacks most of them",
    rule: {
      expr: 'sum by (job, instance) (increase(mdapi_feed_catalogue_loads_total{outcome="incomplete"}[30m])) > 3',
      description:
        '{{ $labels.instance }} has ignored what {{ $value | humanize }} loads in 30 minutes lack, because it is too much to be true.',
    },
  }),
};
