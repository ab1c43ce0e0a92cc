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
import { allDoubts, marketsByStatus } from '../management/views.ts';
import type { OfferedMarket } from '../market/market-catalogue.ts';
import type { AcceptedTicker } from '../market/ticker-acceptance.ts';
import { feedMetrics, sourceMetrics } from './feed-metrics.ts';
import { type Counts, fromZero, labelled, type Metric, metric, register, type Sample } from './metric.ts';

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
  for (const metric of [
    ...requestMetrics(parts),
    ...processMetrics(parts),
    ...marketMetrics(parts),
    ...feedMetrics(parts),
    ...sourceMetrics(parts),
    ...noticeMetrics(parts),
    ...clusterMetrics(parts),
    ...recordMetrics(parts),
  ]) {
    register(registry, metric);
  }
  registry.registerMetric(requestDurations(parts) as never);
  return registry;
}

/** Adds the metrics of the management API. */
export function managementCounters(registry: Registry, sessions: () => number): ManagementCounters {
  register(registry, metric('management_sessions', 'Sessions of the console.', sessions));
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

function requestMetrics({ listener, delay }: AdminParts): Metric[] {
  const signal = () => listener.overload.signal;
  const requests = () => listener.counts;
  const connections = () => listener.connectionFigures();
  return [
    labelled('requests_total', ['route', 'status'], 'Answered requests by route and status.', answered),
    labelled('errors_total', ['code'], 'Error answers by code.', () => fromZero(errorCodes, requests().byCode)),
    labelled('limited_requests_total', ['category'], 'Requests refused with 429, by the limit that refused them.', () =>
      fromZero(limitCategories, requests().limitedByCategory),
    ),
    metric('requests_shed_total', 'Requests refused because the service was overloaded.', () => requests().shed),
    labelled('overload', ['signal'], '1 for the signal that requests are shed for, 0 for the others.', () =>
      overloadSignals.map((each): Sample => [each, Number(each === signal())]),
    ),
    metric('unsent_answers_bytes', 'Bytes of answers that clients have not taken.', () => listener.unsentBytes()),
    metric(
      'serving_thread_busy_ratio',
      'Share of the last seconds in which the serving thread had work and a processor.',
      () => {
        return delay.read().busyShare;
      },
    ),
    metric('connections_open', 'Open connections of the public listener.', () => connections().open),
    metric('connections_dropped_total', 'Connections refused because too many were open.', () => connections().dropped),
    labelled('connections_ended_total', ['reason'], 'Connections ended to protect others, by reason.', ended),
    metric('connections_cut_total', 'Connections cut for answers not read in time, or too much sent ahead.', () => {
      return connections().cut;
    }),
  ];

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

function processMetrics({ version, access, changes, market, storeCheck }: AdminParts): Metric[] {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  return [
    metric('api_keys', 'API keys held in memory: all but revoked ones.', () => access.directory.size),
    metric('store_reachable', '1 while changes in the store can be read, and it can be written.', () =>
      Number(changes.reachable() && market.snapshots.lastError() === undefined),
    ),
    metric('store_file_whole', '1 if SQLite found its file whole, 0 if damaged; absent for PostgreSQL.', () => {
      const result = storeCheck.result();
      return result && Number(result.finding === undefined);
    }),
    labelled(
      'store_mass_change_held',
      ['kind'],
      'Keys, maintenance windows and terms that vanished from the store at once and are held back.',
      () => ({ ...changes.held() }),
    ),
    labelled('build_info', ['version', 'node'], 'Always 1; the labels say what runs.', () => [
      [version, process.versions.node, 1],
    ]),
    labelled('event_loop_delay_seconds', ['percentile'], 'Delay of the event loop since the last scrape.', delays),
  ];

  function delays(): Sample[] {
    const samples = [50, 99, 99.9].map((percentile): Sample => {
      return [String(percentile), delay.percentile(percentile) / 1e9];
    });
    delay.reset();
    return samples;
  }
}

function marketMetrics(parts: AdminParts): Metric[] {
  const { market, clock, configuration } = parts;
  return [
    labelled('service_status', ['state'], '1 for the state that /v1/status reports, 0 for the others.', states),
    metric('market_data_age_seconds', 'Age of the market data; absent until there is any.', () => {
      const ageMs = market.feedStatus.ageMs(clock.now(), clock.monotonicMs());
      return ageMs === undefined ? undefined : ageMs / 1000;
    }),
    rateGauge(
      'rate_age_seconds',
      'Time since a conversion rate was last read from its source; absent while there is none.',
      (known) => known && (clock.now() - known.rate.refreshedAt) / 1000,
    ),
    rateGauge('rate_value', 'Mid conversion rate, rounded to a float; absent while there is none.', (known) => {
      return known && Number(known.rate.mid);
    }),
    rateGauge('rate_valid', '1 while the conversion rate of a quote may be used.', (known) =>
      Number(known !== undefined && known.validUntil > clock.now()),
    ),
    rateGauge(
      'rate_validity_left_seconds',
      'Time the conversion rate may still be used, negative once it may not; absent while there is none.',
      (known) => known && (known.validUntil - clock.now()) / 1000,
    ),
    labelled('markets_without_price', ['reason'], 'Traded markets that have no price now, by reason.', () =>
      market.board.unpriced(clock.now()),
    ),
    labelled('markets', ['status'], 'Listed markets by state.', () => marketsByStatus(parts)),
    labelled(
      'doubted_markets',
      ['source', 'reason'],
      'Exchange markets in which the prices of a source are doubted, or markets whose rate is, by source and reason.',
      doubted,
    ),
    ...withAlias('guard_held_markets', {
      name: 'withheld_markets',
      help: 'Offered markets that keep their last good price or rate, by who withholds the new one.',
      labels: ['holder'],
      read: held,
    }),
    ...withAlias('guard_held_total', {
      name: 'doubts_total',
      help: 'Times a price or a rate began to be doubted, by reason.',
      labels: ['reason'],
      read: () => market.guard.counts,
    }),
    ...withAlias('market_held', {
      name: 'market_withheld',
      help: '1 for each reason for which an offered market keeps its last good price or rate; absent otherwise.',
      labels: ['market', 'reason'],
      read: () => heldReasons().flatMap(([symbol, reasons]) => reasons.map((reason): Sample => [symbol, reason, 1])),
    }),
    labelled(
      'market_spread_ratio',
      ['market'],
      'Best ask minus best bid of the exchange, over the middle of the two, as last taken.',
      spreads,
    ),
    labelled(
      'markets_missing',
      ['state'],
      'Markets the exchange no longer lists: paused, or due but held back.',
      missing,
    ),
  ];

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
    const byLabels = Map.groupBy([...allDoubts(parts), ...rates], ({ source, reason }) => `${source} ${reason}`);
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

  function rateGauge(name: string, help: string, read: (known: KnownRate) => number | undefined): Metric {
    const samples = () =>
      [...configuration.pricing.converted.keys()].flatMap((quote): Sample[] => {
        const value = read(market.markets.rate(quote));
        return value === undefined ? [] : [[quote, value]];
      });
    return labelled(name, ['quote'], help, samples);
  }
}

/** A metric, and the same under the name that it had before. */
function withAlias(name: string, metric: Metric): Metric[] {
  const help = `${metric.help} Its former name, for one version: use mdapi_${metric.name}.`;
  return [metric, { ...metric, name, help }];
}

function spreadShare({ bid, ask }: AcceptedTicker): number {
  return Number(Big(ask).minus(bid).times(2).div(Big(ask).plus(bid)));
}

type KnownRate = ReturnType<AdminParts['market']['markets']['rate']>;

function noticeMetrics({ access, notifier }: AdminParts): Metric[] {
  const notices = () => notifier.figures();
  return [
    metric('key_breaches_total', 'Minutes in which a key was refused by its limit, summed over keys.', () => {
      return access.breaches.minutesSeen;
    }),
    metric('notices_decided_total', 'Notices to key holders that this process decided.', () => notices().decided),
    labelled('notice_attempts_total', ['outcome'], 'Attempts to send a notice, by outcome.', () => ({
      ...notices().attempts,
    })),
    metric('notices_pending', 'Notices in the outbox that are still to be sent.', () => notices().pending),
  ];
}

/** Registered only where Redis is configured: elsewhere a gauge of 0 would report an outage of it. */
function clusterMetrics({ sharedLimits, replication }: AdminParts): Metric[] {
  if (sharedLimits() === undefined) return [];
  return [
    metric('feed_leading', '1 while this process runs the feed for all, 0 while it follows another.', () =>
      Number(replication()?.isLeading ?? false),
    ),
    metric('feed_alone', '1 while this process runs a feed for itself, because Redis cannot be asked who leads.', () =>
      Number(replication()?.isAlone ?? false),
    ),
    metric('feed_state_taken_total', 'Times the whole market state was taken from another process.', () => {
      return replication()?.resyncs ?? 0;
    }),
    metric('redis_limits_up', '1 while the limits are counted in Redis, 0 while this process counts alone.', () =>
      Number(sharedLimits()?.isUp),
    ),
    metric('redis_limits_fallbacks_total', 'Times the counting fell back to this process alone.', () => {
      return sharedLimits()?.fallbacks ?? 0;
    }),
    labelled('redis_limits_requests_total', ['where'], 'Requests counted, by where.', countedWhere),
    labelled(
      'board_waits_total',
      ['outcome'],
      'Answers that needed the newer board that their key had seen, by whether it came in time.',
      () => ({
        ...sharedLimits()?.boardWaits,
      }),
    ),
    metric(
      'board_positions_stored_total',
      'Calls to Redis because the board moved on while a request was counted.',
      () => {
        return sharedLimits()?.positionsStored ?? 0;
      },
    ),
    metric(
      'redis_clock_skew_seconds',
      'Wall clock of this process minus that of Redis; 0 while that is unknown.',
      () => (sharedLimits()?.clockSkewMs ?? 0) / 1000,
    ),
  ];

  function countedWhere(): Counts {
    const { countedShared, countedAlone, refusedUnasked } = sharedLimits() ?? {};
    return { redis: countedShared, alone: countedAlone, known_refused: refusedUnasked };
  }
}

/** Without a value where nothing is recorded. */
function recordMetrics({ recording, clock }: AdminParts): Metric[] {
  return [
    metric('record_quotes_total', 'Published prices recorded.', () => recording()?.quotes),
    metric('record_answers_total', 'Answers to keys recorded.', () => recording()?.servings),
    metric('record_bytes_total', 'Bytes of sealed segments.', () => recording()?.segmentBytes),
    metric('record_backlog_bytes', 'Bytes noted and not in the journal yet.', () => recording()?.backlogBytes),
    metric('record_write_failing', '1 while the record cannot be written and waits in memory.', () => {
      const figures = recording();
      return figures && (figures.trouble === undefined ? 0 : 1);
    }),
    metric('record_gaps_total', 'Gaps in the record.', () => recording()?.gaps),
    metric('record_gap_seconds', 'How long nothing has been recorded; 0 while all is.', () => {
      const figures = recording();
      return figures && (figures.gapSince === undefined ? 0 : (clock.now() - figures.gapSince) / 1000);
    }),
    metric(
      'postgres_clock_skew_seconds',
      'Wall clock of this process minus that of the PostgreSQL server of its record.',
      () => {
        const offsetMs = recording()?.clockOffsetMs;
        return offsetMs === undefined ? undefined : offsetMs / 1000;
      },
    ),
    metric('record_silent_processes', 'Processes whose record ended without a stop.', () => recording()?.silent.length),
  ];
}
