import { monitorEventLoopDelay } from 'node:perf_hooks';
import Big from 'big.js';
import { Counter, collectDefaultMetrics, Registry } from 'prom-client';
import { errorCodes } from '../contract/errors.ts';
import { type LimitCategory, limitTable } from '../contract/limits.ts';
import { publicServiceStatuses } from '../contract/schemas.ts';
import { overloadSignals } from '../http/overload.ts';
import { type Durations, durationBounds } from '../http/request-counts.ts';
import type { ManagementCounters } from '../management/gate.ts';
import type { AdminParts } from '../management/parts.ts';
import type { OfferedMarket } from '../market/market-catalogue.ts';
import type { AcceptedTicker } from '../market/ticker-acceptance.ts';
import { allDoubts } from '../operator/doubt.ts';
import { marketsByStatus } from '../operator/market.ts';
import { feedMetrics, sourceMetrics, supervisorMetrics } from './feed-metrics.ts';
import { type Counts, described, fromZero, type Metric, type Readers, register, type Sample } from './metric.ts';

const limitCategories = Object.keys(limitTable) as LimitCategory[];

/**
 * All metrics in Prometheus form but those of the management API. Everything is read when it is scraped, so that counting
 * costs the request path nothing. No label holds a key, an account, an address or anything a client chose.
 */
export function metricsRegistry(parts: AdminParts): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'mdapi_' });
  // Gauges under a counter's name, and no more than the sums of those without the ending.
  for (const sum of ['handles', 'requests', 'resources']) {
    registry.removeSingleMetric(`mdapi_nodejs_active_${sum}_total`);
  }
  const readers = {
    ...requestMetrics(parts),
    ...processMetrics(parts),
    ...marketMetrics(parts),
    ...feedMetrics(parts),
    ...sourceMetrics(parts),
    ...noticeMetrics(parts),
    ...clusterMetrics(parts),
    ...recordMetrics(parts),
  };
  for (const metric of [...described(readers), ...supervisorMetrics(parts)]) register(registry, metric);
  registry.registerMetric(requestDurations(parts) as never);
  return registry;
}

/** Adds the metrics of the management API. */
export function managementCounters(registry: Registry, sessions: () => number): ManagementCounters {
  for (const metric of described({ management_sessions: sessions })) register(registry, metric);
  const own = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Counter({ name: `mdapi_management_${name}`, help, labelNames, registers: [registry] });
  return {
    requests: own('requests_total', 'Answered requests to the management API by operation and status.', [
      'operation',
      'status',
    ]),
    signIns: own('sign_ins_total', 'Sign-ins to the console.'),
    signInFailures: own(
      'sign_in_failures_total',
      'Operator tokens that were not accepted, in a sign-in or in a header.',
    ),
  };
}

function requestMetrics({ listener, delay }: AdminParts): Readers {
  const signal = () => listener.overload.signal;
  const requests = () => listener.counts;
  const connections = () => listener.connectionFigures();
  return {
    requests_total: answered,
    errors_total: () => fromZero(errorCodes, requests().byCode),
    limited_requests_total: () => fromZero(limitCategories, requests().limitedByCategory),
    requests_shed_total: () => requests().shed,
    overload: () => overloadSignals.map((each): Sample => [each, Number(each === signal())]),
    unsent_answers_bytes: () => listener.unsentBytes(),
    serving_thread_busy_ratio: () => delay.read().busyShare,
    connections_open: () => connections().open,
    connections_dropped_total: () => connections().dropped,
    connections_ended_total: ended,
    connections_cut_total: () => connections().cut,
  };

  function ended(): Counts {
    const { droppedOfAddress, evicted } = connections();
    return { address: droppedOfAddress, evicted };
  }

  function* answered(): Iterable<Sample> {
    for (const [route, statuses] of requests().byRouteAndStatus) {
      for (const [status, count] of statuses) yield [route, String(status), count];
    }
  }
}

/** A histogram that is kept where requests are counted, and read as `prom-client` reads its own. */
function requestDurations({ listener }: AdminParts) {
  const name = 'mdapi_request_duration_seconds';
  const help = 'Time from reading a request to writing its answer, by route.';
  function* valuesOf(route: string, { counts, sumSeconds, count }: Durations) {
    let below = 0;
    for (const [index, le] of durationBounds.entries()) {
      below += counts[index]!;
      yield { metricName: `${name}_bucket`, labels: { route, le }, value: below };
    }
    yield { metricName: `${name}_bucket`, labels: { route, le: '+Inf' }, value: count };
    yield { metricName: `${name}_sum`, labels: { route }, value: sumSeconds };
    yield { metricName: `${name}_count`, labels: { route }, value: count };
  }
  const values = () => [...listener.counts.durationsByRoute].flatMap(([route, found]) => [...valuesOf(route, found)]);
  return {
    name,
    help,
    type: 'histogram',
    aggregator: 'sum',
    get: async () => ({ name, help, type: 'histogram', values: values() }),
  };
}

function processMetrics({ version, access, changes, market, storeCheck }: AdminParts): Readers {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  return {
    api_keys: () => access.directory.size,
    store_reachable: () => Number(changes.reachable() && market.snapshots.lastError() === undefined),
    store_file_whole: () => {
      const result = storeCheck.result();
      return result && Number(result.finding === undefined);
    },
    store_mass_change_held: () => ({ ...changes.held() }),
    build_info: () => [[version, process.versions.node, 1]],
    event_loop_delay_seconds: delays,
  };

  function delays(): Sample[] {
    const samples = [50, 99, 99.9].map(
      (percentile): Sample => [String(percentile), delay.percentile(percentile) / 1e9],
    );
    delay.reset();
    return samples;
  }
}

function marketMetrics(parts: AdminParts): Readers {
  const { market, clock, configuration } = parts;
  return {
    service_status: states,
    market_data_age_seconds: () => {
      const ageMs = market.feedStatus.ageMs(clock.now(), clock.monotonicMs());
      return ageMs === undefined ? undefined : ageMs / 1000;
    },
    rate_age_seconds: ofRates((known) => known && (clock.now() - known.rate.refreshedAt) / 1000),
    rate_value: ofRates((known) => known && Number(known.rate.mid)),
    rate_valid: ofRates((known) => Number(known !== undefined && known.validUntil > clock.now())),
    rate_validity_left_seconds: ofRates((known) => known && (known.validUntil - clock.now()) / 1000),
    markets_without_price: () => market.board.unpriced(clock.now()),
    markets: () => marketsByStatus(market.markets, clock.now()),
    doubted_markets: doubted,
    withheld_markets: held,
    doubts_total: () => market.guard.counts,
    market_withheld: () =>
      heldReasons().flatMap(([symbol, reasons]) => reasons.map((reason): Sample => [symbol, reason, 1])),
    market_spread_ratio: spreads,
    markets_missing: missing,
  };

  function states(): Sample[] {
    const { status } = market.service.read(clock.now());
    return publicServiceStatuses.map((state) => [state, Number(state === status)]);
  }

  function offered(): readonly OfferedMarket[] {
    return market.markets.catalogue.listed(clock.now()).filter(({ status }) => status !== 'delisted');
  }

  function doubted(): Sample[] {
    const converted = offered().filter(({ quote, isConverted }) => isConverted && market.markets.doubts().has(quote));
    const rates = converted.map(({ quote }) => ({
      source: market.markets.rate(quote)?.rate.source ?? quote,
      reason: 'rate',
    }));
    const byLabels = Map.groupBy(
      [...allDoubts(market.markets, clock.now()), ...rates],
      ({ source, reason }) => `${source} ${reason}`,
    );
    return [...byLabels.values()].map((each) => [each[0]!.source, each[0]!.reason, each.length]);
  }

  function heldReasons(): [string, string[]][] {
    return offered().map((each) => [each.symbol, market.markets.withheldFor(each).map(({ reason }) => reason)]);
  }

  function held(): Counts {
    const reasons = heldReasons();
    const count = (isCounted: (reason: string) => boolean) => reasons.filter(([, of]) => of.some(isCounted)).length;
    return { guard: count((reason) => reason !== 'operator'), operator: count((reason) => reason === 'operator') };
  }

  function spreads(): Sample[] {
    const { tickers } = market.markets.contents();
    return offered().flatMap(({ symbol, isConverted }): Sample[] => {
      const ticker = isConverted ? undefined : tickers.get(symbol);
      return ticker === undefined ? [] : [[symbol, spreadShare(ticker)]];
    });
  }

  function missing(): Counts {
    const { missing, due, isHeldBack } = market.markets.catalogue.absences(configuration.markets.delistAfterMs);
    return { paused: missing.length, held_back: isHeldBack ? due.length : 0 };
  }

  function ofRates(read: (known: KnownRate) => number | undefined): Metric['read'] {
    return () =>
      [...configuration.pricing.converted.keys()].flatMap((quote): Sample[] => {
        const value = read(market.markets.rate(quote));
        return value === undefined ? [] : [[quote, value]];
      });
  }
}

function spreadShare({ bid, ask }: AcceptedTicker): number {
  return Number(Big(ask).minus(bid).times(2).div(Big(ask).plus(bid)));
}

type KnownRate = ReturnType<AdminParts['market']['markets']['rate']>;

function noticeMetrics({ access, notifier }: AdminParts): Readers {
  const notices = () => notifier.figures();
  return {
    key_breaches_total: () => access.breaches.minutesSeen,
    notices_decided_total: () => notices().decided,
    notice_attempts_total: () => ({ ...notices().attempts }),
    notices_pending: () => notices().pending,
  };
}

/** Registered only where Redis is configured: elsewhere a gauge of 0 would report an outage of it. */
function clusterMetrics({ sharedLimits, replication }: AdminParts): Readers {
  if (sharedLimits() === undefined) return {};
  return {
    feed_leading: () => Number(replication()?.isLeading ?? false),
    feed_alone: () => Number(replication()?.isAlone ?? false),
    feed_state_taken_total: () => replication()?.resyncs ?? 0,
    redis_limits_up: () => Number(sharedLimits()?.isUp),
    redis_limits_fallbacks_total: () => sharedLimits()?.fallbacks ?? 0,
    redis_limits_requests_total: countedWhere,
    board_waits_total: () => ({ ...sharedLimits()?.boardWaits }),
    board_positions_stored_total: () => sharedLimits()?.positionsStored ?? 0,
    redis_clock_skew_seconds: () => (sharedLimits()?.clockSkewMs ?? 0) / 1000,
  };

  function countedWhere(): Counts {
    const { countedShared, countedAlone, refusedUnasked } = sharedLimits() ?? {};
    return { redis: countedShared, alone: countedAlone, known_refused: refusedUnasked };
  }
}

/** Without a value where nothing is recorded. */
function recordMetrics({ recording, clock }: AdminParts): Readers {
  return {
    record_quotes_total: () => recording()?.quotes,
    record_answers_total: () => recording()?.servings,
    record_bytes_total: () => recording()?.segmentBytes,
    record_backlog_bytes: () => recording()?.backlogBytes,
    record_write_failing: () => {
      const figures = recording();
      return figures && (figures.trouble === undefined ? 0 : 1);
    },
    record_gaps_total: () => recording()?.gaps,
    record_gap_seconds: () => {
      const figures = recording();
      return figures && (figures.gapSince === undefined ? 0 : (clock.now() - figures.gapSince) / 1000);
    },
    postgres_clock_skew_seconds: () => {
      const offsetMs = recording()?.clockOffsetMs;
      return offsetMs === undefined ? undefined : offsetMs / 1000;
    },
    record_silent_processes: () => recording()?.silent.length,
  };
}
