import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { errorCodes } from '../contract/errors.ts';
import { type LimitCategory, limitTable } from '../contract/limits.ts';
import type { ManagementFigures } from './api/api.ts';
import { ManagementCounts } from './api/counts.ts';
import type { AdminSources } from './sources.ts';

type Labels = Readonly<Record<string, string>>;
type Sample = readonly [labels: Labels, value: number];

/** One metric and how to read it at the moment of a scrape. */
interface Reading {
  readonly kind: 'counter' | 'gauge';
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  read(): Iterable<Sample>;
}

const categories = Object.keys(limitTable) as LimitCategory[];
const serviceStates = ['operational', 'degraded', 'outage', 'maintenance'] as const;

/**
 * All metrics in Prometheus form. Everything is read when it is scraped, so that counting costs the
 * request path nothing. No label holds a key, an account, an address or anything a client chose.
 */
export function metricsRegistry(sources: AdminSources, management: ManagementFigures = unused): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'mdapi_' });
  for (const reading of [
    ...requestReadings(sources),
    ...marketReadings(sources),
    ...feedReadings(sources),
    ...noticeReadings(sources),
    ...sharedLimitReadings(sources),
    ...managementReadings(management),
    ...workerReadings(sources),
    eventLoop(),
  ]) {
    register(registry, reading);
  }
  return registry;
}

function register(registry: Registry, { kind, name, help, labels, read }: Reading): void {
  const settings = { name: `mdapi_${name}`, help, labelNames: [...labels], registers: [registry] };
  if (kind === 'gauge') {
    new Gauge({
      ...settings,
      collect() {
        this.reset();
        for (const [values, value] of read()) this.set(values, value);
      },
    });
    return;
  }
  new Counter({
    ...settings,
    collect() {
      this.reset();
      for (const [values, value] of read()) this.inc(values, value);
    },
  });
}

function requestReadings({ requests, connections, keysHeld, version, storeReachable }: AdminSources): Reading[] {
  return [
    {
      kind: 'counter',
      name: 'requests_total',
      help: 'Answered requests by route and status.',
      labels: ['route', 'status'],
      *read() {
        for (const [route, statuses] of requests.byRouteAndStatus) {
          for (const [status, count] of statuses) yield [{ route, status: String(status) }, count];
        }
      },
    },
    {
      kind: 'counter',
      name: 'errors_total',
      help: 'Error answers by code.',
      labels: ['code'],
      read: () => byLabel('code', fromZero(errorCodes, requests.byCode)),
    },
    {
      kind: 'counter',
      name: 'limited_requests_total',
      help: 'Requests refused with 429, by the limit that refused them.',
      labels: ['category'],
      read: () => byLabel('category', fromZero(categories, requests.limitedByCategory)),
    },
    counter('requests_shed_total', 'Requests refused because the service was overloaded.', () => requests.shed),
    gauge('connections_open', 'Open connections of the public listener.', () => connections().open),
    counter(
      'connections_dropped_total',
      'Connections refused because too many were open.',
      () => connections().dropped,
    ),
    counter(
      'connections_cut_total',
      'Connections cut because the client did not read its answer.',
      () => connections().cut,
    ),
    gauge('api_keys', 'API keys held in memory.', keysHeld),
    gauge('store_reachable', '1 while changes in the store can be read, and it can be written.', () =>
      Number(storeReachable()),
    ),
    {
      kind: 'gauge',
      name: 'build_info',
      help: 'Always 1; the labels say what runs.',
      labels: ['version', 'node'],
      read: () => [[{ version, node: process.versions.node }, 1]],
    },
  ];
}

function marketReadings({ board, book, service, feedStatus, clock, convertedQuotes }: AdminSources): Reading[] {
  return [
    {
      kind: 'gauge',
      name: 'service_status',
      help: '1 for the state that /v1/status reports, 0 for the others.',
      labels: ['state'],
      *read() {
        const { status } = service.read(clock.now());
        for (const state of serviceStates) yield [{ state }, Number(state === status)];
      },
    },
    {
      kind: 'gauge',
      name: 'market_data_age_seconds',
      help: 'Age of the market data; absent while there never was any.',
      labels: [],
      *read() {
        const ageMs = feedStatus.ageMs(clock.now(), clock.monotonicMs());
        if (ageMs !== undefined) yield [{}, ageMs / 1000];
      },
    },
    {
      kind: 'gauge',
      name: 'rate_age_seconds',
      help: 'Time since a conversion rate was last read from its source; absent while there is none.',
      labels: ['quote'],
      *read() {
        for (const quote of convertedQuotes) {
          const known = book.rate(quote);
          if (known !== undefined) yield [{ quote }, (clock.now() - known.rate.refreshedAt) / 1000];
        }
      },
    },
    {
      kind: 'gauge',
      name: 'rate_valid',
      help: '1 while the conversion rate of a quote may be used.',
      labels: ['quote'],
      *read() {
        for (const quote of convertedQuotes) {
          yield [{ quote }, Number((book.rate(quote)?.validUntil ?? 0) > clock.now())];
        }
      },
    },
    {
      kind: 'gauge',
      name: 'rate_validity_left_seconds',
      help: 'Time the conversion rate may still be used, negative once it may not; absent while there is none.',
      labels: ['quote'],
      *read() {
        for (const quote of convertedQuotes) {
          const known = book.rate(quote);
          if (known !== undefined) yield [{ quote }, (known.validUntil - clock.now()) / 1000];
        }
      },
    },
    {
      kind: 'gauge',
      name: 'markets_without_price',
      help: 'Traded markets that have no price now, by reason.',
      labels: ['reason'],
      read: () => byLabel('reason', board.unpriced(clock.now())),
    },
    {
      kind: 'gauge',
      name: 'markets',
      help: 'Listed markets by state.',
      labels: ['status'],
      read() {
        const counts = new Map<string, number>([
          ['trading', 0],
          ['paused', 0],
          ['delisted', 0],
        ]);
        for (const { status } of book.catalogue.listed(clock.now())) counts.set(status, (counts.get(status) ?? 0) + 1);
        return byLabel('status', counts);
      },
    },
  ];
}

function feedReadings({ feedHealth }: AdminSources): Reading[] {
  return [
    {
      kind: 'gauge',
      name: 'feed_path',
      help: '1 for the path market data comes over, 0 for the other.',
      labels: ['path'],
      *read() {
        for (const path of ['live', 'fallback']) yield [{ path }, Number(feedHealth().path === path)];
      },
    },
    counter('feed_connections_total', 'Live connections tried.', () => feedHealth().epoch),
    counted(
      'feed_connections_ended_total',
      'Live connections ended, by reason.',
      'reason',
      () => feedHealth().connectionsEnded,
    ),
    counter('feed_frames_total', 'Frames received on the live connection.', () => feedHealth().framesReceived),
    counted('feed_frames_dropped_total', 'Frames left aside, by reason.', 'reason', () => feedHealth().framesDropped),
    counter('feed_tickers_total', 'Upstream tickers taken.', () => feedHealth().tickersTaken),
    counted(
      'feed_tickers_rejected_total',
      'Upstream values not taken, by reason.',
      'reason',
      () => feedHealth().tickersRejected,
    ),
    counted('feed_polls_total', 'Polls over the fallback, by outcome.', 'outcome', () => feedHealth().polls),
    counted(
      'feed_catalogue_loads_total',
      'Loads of the catalogue, by outcome.',
      'outcome',
      () => feedHealth().catalogueLoads,
    ),
    gauge(
      'feed_symbols_subscribed',
      'Markets subscribed on the live connection.',
      () => feedHealth().symbolsSubscribed,
    ),
    gauge(
      'feed_symbols_rejected',
      'Markets the upstream refuses to subscribe.',
      () => feedHealth().symbolsRejected.length,
    ),
    gauge(
      'feed_symbols_quiet',
      'Markets silent on the live connection and not confirmed otherwise.',
      () => feedHealth().symbolsQuiet,
    ),
  ];
}

function noticeReadings({ notices }: AdminSources): Reading[] {
  return [
    counter('key_breached_minutes_total', 'Minutes in which a key was refused by its limit, summed over keys.', () => {
      return notices().breachedMinutes;
    }),
    counter('notices_decided_total', 'Notices to key holders that this process decided.', () => notices().decided),
    counted('notice_attempts_total', 'Attempts to send a notice, by outcome.', 'outcome', () => notices().attempts),
    gauge('notices_pending', 'Notices in the outbox that are still to be sent.', () => notices().pending),
  ];
}

/** Only there where Redis is configured: a gauge of 0 would tell of an outage that is none. */
function sharedLimitReadings({ sharedLimits, replication }: AdminSources): Reading[] {
  const figures = () => sharedLimits?.();
  if (figures() === undefined) return [];
  return [
    gauge('feed_leading', '1 while this process runs the feed for all, 0 while it follows another.', () =>
      Number(replication?.()?.isLeading ?? false),
    ),
    counter('feed_state_taken_total', 'Times the whole market state was taken from another process.', () => {
      return replication?.()?.resyncs ?? 0;
    }),
    gauge('redis_limits_up', '1 while the limits are counted in Redis, 0 while this process counts alone.', () =>
      Number(figures()?.isUp),
    ),
    counter('redis_limits_fallbacks_total', 'Times the counting fell back to this process alone.', () => {
      return figures()?.fallbacks ?? 0;
    }),
    counted('redis_limits_requests_total', 'Requests counted, by where.', 'where', () => {
      const { countedShared = 0, countedAlone = 0, refusedUnasked = 0 } = figures() ?? {};
      return { redis: countedShared, alone: countedAlone, known_refused: refusedUnasked };
    }),
    gauge(
      'redis_clock_skew_seconds',
      'Wall clock of this process minus that of Redis; 0 while that is unknown.',
      () => {
        return (figures()?.clockSkewMs ?? 0) / 1000;
      },
    ),
  ];
}

const unused: ManagementFigures = { counts: new ManagementCounts(), sessions: () => 0 };

function managementReadings({ counts, sessions }: ManagementFigures): Reading[] {
  return [
    {
      kind: 'counter',
      name: 'management_requests_total',
      help: 'Answered requests to the management API by operation and status.',
      labels: ['operation', 'status'],
      *read() {
        for (const [operation, statuses] of counts.byOperationAndStatus) {
          for (const [status, count] of statuses) yield [{ operation, status: String(status) }, count];
        }
      },
    },
    counter('management_sign_ins_total', 'Sign-ins to the console.', () => counts.signIns),
    counter(
      'management_sign_in_failures_total',
      'Operator tokens that were not accepted, in a sign-in or in a header.',
      () => {
        return counts.signInFailures;
      },
    ),
    gauge('management_sessions', 'Sessions of the console.', sessions),
  ];
}

/** Only where several threads serve. */
function workerReadings({ workers }: AdminSources): Reading[] {
  const figures = () => workers?.();
  if (figures() === undefined) return [];
  return [
    gauge('workers', 'Worker threads that serve.', () => figures()?.serving ?? 0),
    gauge('workers_configured', 'Worker threads that should serve.', () => figures()?.configured ?? 0),
    counter('worker_restarts_total', 'Worker threads started in the place of one that ended.', () => {
      return figures()?.restarts ?? 0;
    }),
    {
      kind: 'gauge',
      name: 'worker_event_loop_delay_seconds',
      help: 'Delay of the event loop of a worker thread over the last few seconds, 99th percentile.',
      labels: ['worker'],
      *read() {
        for (const [worker, delayMs] of figures()?.eventLoopDelaysMs ?? []) {
          yield [{ worker: String(worker) }, delayMs / 1000];
        }
      },
    },
  ];
}

/** Scraped and cleared: each scrape sees the delay since the one before. */
function eventLoop(): Reading {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  return {
    kind: 'gauge',
    name: 'event_loop_delay_seconds',
    help: 'Delay of the event loop since the last scrape.',
    labels: ['quantile'],
    read() {
      const samples = ['0.5', '0.99', '0.999'].map(
        (quantile): Sample => [{ quantile }, delay.percentile(Number(quantile) * 100) / 1e9],
      );
      delay.reset();
      return samples;
    },
  };
}

function gauge(name: string, help: string, read: () => number): Reading {
  return { kind: 'gauge', name, help, labels: [], read: () => [[{}, read()]] };
}

function counter(name: string, help: string, read: () => number): Reading {
  return { kind: 'counter', name, help, labels: [], read: () => [[{}, read()]] };
}

function counted(
  name: string,
  help: string,
  label: string,
  read: () => Readonly<Record<string, number | undefined>>,
): Reading {
  const labelled = () => Object.entries(read()).map(([value, count = 0]): Sample => [{ [label]: value }, count]);
  return { kind: 'counter', name, help, labels: [label], read: labelled };
}

function* byLabel(label: string, counts: Iterable<readonly [string, number]>): Iterable<Sample> {
  for (const [value, count] of counts) yield [{ [label]: value }, count];
}

/** Counts of every name there is: a series that appears with 1 has not risen to whoever scrapes, so the first event would be lost. */
function fromZero<Name extends string>(names: readonly Name[], counts: ReadonlyMap<Name, number>): Map<Name, number> {
  return new Map([...names.map((name) => [name, 0] as const), ...counts]);
}
