import { tickerOutageAfterMs } from '../contract/limits.ts';
import { symbol } from '../contract/schema-parts.ts';
import { publicServiceStatuses } from '../contract/schemas.ts';
import { isOld, oldestOf, servedMarkets } from '../market/served-markets.ts';
import { count, line, object, openEnum } from '../operator/fields.ts';
import { countServed, servedCounts } from '../operator/served.ts';
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

const offBestPath = 'Prices have not come over their best path for five minutes';
const { markets, polled, standby, silent } = servedCounts;

function servedOf({ market, clock }: Observed) {
  return servedMarkets(market.markets, clock.now());
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
    isPlannedInMaintenance: true,
    title: offBestPath,
    values: { markets, polled, standby, silent },
    *find(observed) {
      if (observed.market.feedStatus.path !== 'fallback') return;
      const { best: _best, ...values } = countServed(servedOf(observed));
      yield { values, ...asUrgentAsCause(observed) };
    },
    sentence({ markets: all, ...lesser }) {
      if (all === 0) return offBestPath;
      const number = lesser.polled + lesser.standby + lesser.silent;
      return `${number} of ${all} priced markets are not served over their best path: ${lesser.polled} over REST, ${lesser.standby} from a standby, ${lesser.silent} not delivered`;
    },
    // Where none is delivered the status and the sources without a connection say it.
    note: { page: 'feed', when: ({ markets: all, silent: none }) => none < all },
    rule: {
      expr: 'mdapi_feed_path{path="fallback"} == 1',
      description:
        'Over a tenth of the priced markets of {{ $labels.instance }} are polled, on a standby, or not delivered: a connection is lost or silent, or subscriptions are refused. /v1/status says degraded; `mdapi sources list` shows of which source.',
    },
  }),

  MarketPricesOld: condition({
    event: 'prices',
    severity: 'warning',
    forMs: minuteMs,
    title: 'Prices that are not had live grow old',
    values: {
      old: count('Markets whose price was not proved current for over 15 s and that no live connection tells of.', 104),
      markets,
      oldest: object('The one whose price was not for longest.', {
        market: symbol('The market.', 'BTCEUR'),
        source: line('The source that makes its price.', 'coinbase', 32),
        seconds: count('For how long it was not.', 128),
      }),
    },
    *find(observed) {
      // Where no data flows all prices grow old, which the status says.
      if (observed.market.service.read(observed.clock.now()).flow.state === 'silent') return;
      const served = servedOf(observed);
      const old = served.filter(isOld);
      const oldest = oldestOf(old);
      if (oldest === undefined) return;
      const { symbol: market, id: source, ageMs } = oldest;
      const values = {
        old: old.length,
        markets: served.length,
        oldest: { market, source, seconds: Math.floor(ageMs / 1_000) },
      };
      yield { values };
    },
    sentence: ({ old, markets: all, oldest }) =>
      `${old} of ${all} prices were last proved current over 15 s ago and are not had live; the oldest is ${oldest.market} of ${oldest.source}, ${oldest.seconds} s`,
    note: { page: 'feed', markets: ({ oldest }) => [oldest.market] },
    rule: {
      expr: 'count by (job, instance) (mdapi_market_price_age_seconds{reach!="live"} > 15) > 0',
      description:
        '{{ $value }} markets of {{ $labels.instance }} have a price that was last proved current over 15 s ago, and no live connection that would tell of a change.',
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
    title: 'Some markets ended at the exchange',
    values: missingMarkets,
    *find(observed) {
      const { missing } = absencesOf(observed);
      if (missing.length > 0) yield { values: { markets: fewOf(missing) } };
    },
    sentence: ({ markets }) =>
      `missing from the exchange’s list or ended in it, and delisted unless they come back: ${fewText(markets)}`,
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
        "{{ $value }} markets of {{ $labels.instance }} are due to be delisted, but over a tenth of all are missing from the exchange's list or ended in it.",
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
