import type { MetricObjectWithValues, MetricValue, Registry } from 'prom-client';
import type { EpochMs } from '../clock.ts';

/** A series as `prom-client` gives it: one of a histogram also says which of its sums it is. */
interface Series extends MetricValue<string> {
  readonly metricName?: string;
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
  const bySeries = Map.groupBy(values, ({ labels }) => JSON.stringify({ ...labels, le: undefined }));
  return [...bySeries].map(([labels, series]) => {
    const valueAt = (ending: string) => series.find(({ metricName }) => metricName?.endsWith(ending))?.value ?? 0;
    const bounded = series.filter(({ labels: { le = '+Inf' } }) => le !== '+Inf');
    const below = [...bounded.map(({ value }) => value), valueAt('_count')];
    return {
      attributes: attributes(JSON.parse(labels) as Readonly<Record<string, string | number>>),
      ...times,
      count: String(valueAt('_count')),
      sum: valueAt('_sum'),
      explicitBounds: bounded.map(({ labels: { le } }) => Number(le)),
      // Each bucket by itself here, each with all below it there.
      bucketCounts: below.map((value, index) => String(value - (below[index - 1] ?? 0))),
    };
  });
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
