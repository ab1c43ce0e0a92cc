import type { MetricObjectWithValues, MetricValue, Registry } from 'prom-client';
import type { EpochMs } from '../clock.ts';

/** A series as `prom-client` gives it: one of a histogram also says which of its sums it is. */
interface Series extends MetricValue<string> {
  readonly metricName?: string;
}

/** The sums of one histogram series. */
interface Buckets {
  readonly labels: Series['labels'];
  readonly bounds: number[];
  /** How many values each bound and all bounds below it hold. */
  readonly below: number[];
  count: number;
  sum: number;
}

/** AGGREGATION_TEMPORALITY_CUMULATIVE: since the start of the process. */
const cumulative = 2;

/** The body of `POST /v1/metrics` (OTLP 1, JSON encoding): every metric of the registry under its own name. No metric is a summary. */
export async function metricsBody(registry: Registry, resource: object, startedAt: EpochMs, now: EpochMs) {
  const times = { startTimeUnixNano: nanoseconds(startedAt), timeUnixNano: nanoseconds(now) };
  const found = (await registry.getMetricsAsJSON()) as unknown as MetricObjectWithValues<Series>[];
  const metrics = found.filter(({ values }) => values.length > 0).map((metric) => metricOf(metric, times));
  return { resourceMetrics: [{ resource, scopeMetrics: [{ scope, metrics }] }] };
}

function metricOf({ name, help, type, values }: MetricObjectWithValues<Series>, times: object): object {
  const shared = { name, description: help };
  if (String(type) === 'histogram') {
    const dataPoints = histogramPoints(values, times);
    return { ...shared, histogram: { aggregationTemporality: cumulative, dataPoints } };
  }
  const dataPoints = values.map(({ labels, value }) => ({ attributes: attributes(labels), ...times, asDouble: value }));
  if (String(type) === 'gauge') return { ...shared, gauge: { dataPoints } };
  return { ...shared, sum: { aggregationTemporality: cumulative, isMonotonic: true, dataPoints } };
}

function histogramPoints(values: readonly Series[], times: object): object[] {
  const found = new Map<string, Buckets>();
  for (const { labels, value, metricName = '' } of values) {
    const { le, ...own } = labels as Record<string, string | number>;
    const key = JSON.stringify(own);
    const buckets = found.get(key) ?? { labels: own, bounds: [], below: [], count: 0, sum: 0 };
    found.set(key, buckets);
    if (metricName.endsWith('_sum')) buckets.sum = value;
    else if (metricName.endsWith('_count')) buckets.count = value;
    else if (le !== '+Inf') {
      buckets.bounds.push(Number(le));
      buckets.below.push(value);
    }
  }
  return [...found.values()].map(({ labels, bounds, below, count, sum }) => ({
    attributes: attributes(labels),
    ...times,
    count: String(count),
    sum,
    explicitBounds: bounds,
    // Each bucket by itself here, each with all below it there.
    bucketCounts: [...below, count].map((value, index) => String(value - (below[index - 1] ?? 0))),
  }));
}

/** What records of this service are made by. */
export const scope = { name: 'mdapi' };

/** Attributes in the form of OTLP's JSON encoding; those without a value are left out. */
export function attributes(values: Readonly<Record<string, string | number | undefined>>): object[] {
  return Object.entries(values).flatMap(([key, value]) => {
    if (value === undefined) return [];
    return [{ key, value: typeof value === 'string' ? { stringValue: value } : numberValue(value) }];
  });
}

function numberValue(value: number): object {
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** Nanoseconds since the Unix epoch, of milliseconds with a fraction. */
export function nanoseconds(milliseconds: number): string {
  const whole = Math.floor(milliseconds);
  return String(BigInt(whole) * 1_000_000n + BigInt(Math.round((milliseconds - whole) * 1e6)));
}
