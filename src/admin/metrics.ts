import { type ELDHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, collectDefaultMetrics, Gauge, type Metric as PromMetric, Registry } from 'prom-client';
import { breachMetrics } from '../access/breach-log.ts';
import { keyMetrics } from '../access/key-directory.ts';
import { boardMetrics } from '../board/board.ts';
import { serviceMetrics } from '../board/service-board.ts';
import { sharedLimitMetrics } from '../cluster/redis-limits.ts';
import { sharedFeedMetrics } from '../cluster/shared-feed.ts';
import { clockMetrics } from '../feed/clock-watch.ts';
import { feedMetrics } from '../feed/health.ts';
import { logMetrics } from '../ground/log-sink.ts';
import { type Histogram, type Metric, type MetricGroup, type Sample, samplesOf } from '../ground/metric.ts';
import { recordMetrics } from '../history/record/recording.ts';
import { connectionMetrics } from '../http/connections.ts';
import { servingThreadMetrics } from '../http/event-loop-delay.ts';
import { overloadMetrics } from '../http/overload.ts';
import { requestMetrics } from '../http/request-counts.ts';
import { ManagementCounts, managementMetrics } from '../management/gate.ts';
import type { AdminParts } from '../management/parts.ts';
import { sourceViews } from '../management/views.ts';
import { guardMetrics } from '../market/guard.ts';
import { doubtMetrics, marketMetrics } from '../market/market-metrics.ts';
import { feedStatusMetrics } from '../market/service-status.ts';
import { type Alerting, alertMetrics } from '../notices/alerting.ts';
import { heartbeatMetrics } from '../notices/heartbeat.ts';
import { noticeMetrics } from '../notices/notifier.ts';
import { subscriptionMetrics } from '../notices/subscribing.ts';
import { marketQuotes, sourceMetrics } from '../operator/source.ts';
import { storeMetrics } from '../persistence/store-follower.ts';
import { storeFileMetrics } from '../store/store-check.ts';

/** The parts that metrics are read from. */
interface Scraped extends AdminParts {
  readonly management: ManagementCounts;
  /** `undefined` before there is one. */
  readonly alerting: Pick<Alerting, 'figures'> | undefined;
  /** Delays of the serving thread since the last scrape. */
  readonly loopDelay: Pick<ELDHistogram, 'percentile' | 'reset'>;
}

const processMetrics: MetricGroup<Scraped> = {
  title: 'Process',
  metrics: [
    {
      name: 'build_info',
      help: 'Always 1; the labels say what runs.',
      labels: ['version', 'node'],
      read: ({ version }) => [[version, process.versions.node, 1]],
    },
    {
      name: 'event_loop_delay_seconds',
      help: 'Delay of the event loop since the last scrape.',
      labels: ['percentile'],
      read: ({ loopDelay }) => {
        const samples = [50, 99, 99.9].map(
          (percentile): Sample => [String(percentile), loopDelay.percentile(percentile) / 1e9],
        );
        loopDelay.reset();
        return samples;
      },
    },
  ],
};

/** A group, read from the parts of a service. */
interface Collected extends MetricGroup<Scraped> {
  /** Registered only where Redis is configured: elsewhere a gauge of 0 would report an outage of it. */
  readonly isOfRedis: boolean;
}

/** Every metric of ours, in the order of the reference. */
export const metricGroups: readonly Collected[] = [
  collected(requestMetrics, ({ listener }) => listener.counts),
  collected(overloadMetrics, ({ listener }) => listener.overload),
  collected(servingThreadMetrics, ({ delay }) => delay),
  collected(connectionMetrics, ({ listener }) => listener.connectionFigures()),
  collected(serviceMetrics, ({ market, clock }) => ({ service: market.service, now: clock.now() })),
  collected(feedStatusMetrics, ({ market, clock }) => ({
    status: market.feedStatus,
    now: clock.now(),
    monotonicMs: clock.monotonicMs(),
  })),
  collected(boardMetrics, ({ market, clock }) => ({ board: market.board, now: clock.now() })),
  collected(marketMetrics, countedMarkets),
  collected(doubtMetrics, countedMarkets),
  collected(guardMetrics, ({ market }) => market.guard),
  collected(sourceMetrics, (parts) => ({
    quotes: parts.market.markets.sources.all.length === 1 ? [] : marketQuotes(parts.market.markets, parts.clock.now()),
    sources: sourceViews(parts),
  })),
  collected(feedMetrics, ({ feed }) => feed.sources()),
  collected(clockMetrics, ({ feed }) => feed.clock()),
  collected(keyMetrics, ({ access }) => access.directory),
  collected(breachMetrics, ({ access }) => access.breaches),
  collected(noticeMetrics, ({ notifier }) => notifier.figures()),
  collected(alertMetrics, ({ alerting }) => alerting?.figures()),
  collected(heartbeatMetrics, ({ heartbeat }) => heartbeat.figures()),
  collected(subscriptionMetrics, ({ subscribing }) => subscribing.figures()),
  collected(recordMetrics, ({ recording, clock }) => ({ figures: recording(), now: clock.now() })),
  collected(storeMetrics, ({ changes, market }) => ({ changes, snapshots: market.snapshots })),
  collected(storeFileMetrics, ({ storeCheck }) => storeCheck),
  collected(logMetrics, ({ logFigures }) => logFigures?.()),
  collected(processMetrics, (parts) => parts),
  collected(managementMetrics, ({ management }) => management),
  collected(sharedLimitMetrics, ({ sharedLimits }) => sharedLimits()!, true),
  collected(sharedFeedMetrics, ({ replication }) => replication(), true),
];

function countedMarkets({ market, clock, configuration }: Scraped) {
  return {
    markets: market.markets,
    now: clock.now(),
    delistAfterMs: configuration.markets.delistAfterMs,
    quotes: configuration.pricing.converted.keys(),
  };
}

/** The group with each metric read from what it counts, which is looked up when it is scraped. */
function collected<Source>(
  { title, metrics, histograms = [] }: MetricGroup<Source>,
  sourceOf: (parts: Scraped) => Source,
  isOfRedis = false,
): Collected {
  return {
    title,
    isOfRedis,
    metrics: metrics.map((metric) => ({ ...metric, read: (parts) => metric.read(sourceOf(parts)) })),
    histograms: histograms.map((histogram) => ({
      ...histogram,
      observed: (parts) => histogram.observed(sourceOf(parts)),
    })),
  };
}

/** All metrics of a service in Prometheus form, with those of the runtime. Everything is read when it is scraped. */
export function metricsRegistry(
  parts: AdminParts,
  management = new ManagementCounts(),
  alerting?: Scraped['alerting'],
): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'mdapi_' });
  // Gauges under a counter's name, and no more than the sums of those without the ending.
  for (const sum of ['handles', 'requests', 'resources']) {
    registry.removeSingleMetric(`mdapi_nodejs_active_${sum}_total`);
  }
  const loopDelay = monitorEventLoopDelay({ resolution: 10 });
  loopDelay.enable();
  const scraped = { ...parts, management, alerting, loopDelay };
  for (const { metrics, histograms = [], isOfRedis } of metricGroups) {
    if (isOfRedis && parts.sharedLimits() === undefined) continue;
    for (const metric of metrics) register(registry, metric, scraped);
    for (const histogram of histograms) registry.registerMetric(histogramOf(histogram, scraped));
  }
  return registry;
}

/** Adds a metric, under its former name too, should it have one. */
function register(registry: Registry, metric: Metric<Scraped>, scraped: Scraped): void {
  const { name, help, labels = [], formerly } = metric;
  if (formerly !== undefined) {
    const former = `${help} Its former name, for one version: use mdapi_${name}.`;
    register(registry, { name: formerly, help: former, labels, read: metric.read }, scraped);
  }
  const Kind = name.endsWith('_total') ? Counter : Gauge;
  new Kind({
    name: `mdapi_${name}`,
    help,
    labelNames: [...labels],
    registers: [registry],
    collect() {
      this.reset();
      // A reset leaves a series without labels at 0, which is not the same as none.
      if (labels.length === 0) this.remove();
      for (const sample of samplesOf(metric.read(scraped))) {
        const value = sample.at(-1) as number;
        this.inc(Object.fromEntries(labels.map((label, index) => [label, sample[index] as string])), value);
      }
    },
  });
}

/** A histogram that is kept where durations are observed, and read as `prom-client` reads its own. */
function histogramOf({ name, help, label, bounds, observed }: Histogram<Scraped>, scraped: Scraped): PromMetric {
  const full = `mdapi_${name}`;
  const values = () =>
    [...observed(scraped)].flatMap(([value, { counts, sumSeconds, count }]) => {
      const labels = { [label]: value };
      let below = 0;
      const buckets = bounds.map((le, index) => {
        below += counts[index] ?? 0;
        return { metricName: `${full}_bucket`, labels: { ...labels, le }, value: below };
      });
      return [
        ...buckets,
        { metricName: `${full}_bucket`, labels: { ...labels, le: '+Inf' }, value: count },
        { metricName: `${full}_sum`, labels, value: sumSeconds },
        { metricName: `${full}_count`, labels, value: count },
      ];
    });
  const read = { name: full, help, type: 'histogram', aggregator: 'sum' };
  // `prom-client` has no histogram that is counted elsewhere; its registry asks one for no more than this.
  return { ...read, get: async () => ({ ...read, values: values() }) } as unknown as PromMetric;
}
