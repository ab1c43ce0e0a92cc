import type { MetricObjectWithValues, MetricValue, Registry } from 'prom-client';
import type { EpochMs } from '../ground/clock.ts';
import type { AnsweredRequest } from '../http/answered-request.ts';

/** A series as `prom-client` gives it: one of a histogram also says which of its sums it is. */
interface Series extends MetricValue<string> {
  readonly metricName?: string;
}

const scope = { name: 'mdapi' };

/** AGGREGATION_TEMPORALITY_CUMULATIVE: since the start of the process. */
const cumulative = 2;

/**
 * The body of `POST /v1/metrics` (OTLP 1, JSON encoding): every metric of the registry under its own name. No metric is
 * a summary.
 */
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

/** At about 400 bytes each, 2 MB. */
const keptMax = 5_000;
/** SPAN_KIND_SERVER */
const server = 2;
/** STATUS_CODE_ERROR, for answers of 500 and above: a client's mistake is no fault of the server. */
const failed = 2;

interface Traced {
  readonly answered: AnsweredRequest;
  readonly context: ReturnType<typeof parseTraceparent>;
}

/**
 * Collects answered requests as spans until they are sent. A request is traced when its `traceparent` says so, or,
 * without one, when its id falls into the share that is traced; the request id is then the id of the trace, so that one
 * is found by the other.
 */
export class SpanBuffer {
  readonly #tracedBelow: number;
  #kept: Traced[] = [];
  #dropped = 0;

  /** @param percent of the requests without a `traceparent`, 0 to 100 */
  constructor(percent: number) {
    this.#tracedBelow = (percent / 100) * 2 ** 32;
  }

  take(answered: AnsweredRequest, traceparent: string | undefined): void {
    const context = traceparent === undefined ? undefined : parseTraceparent(traceparent);
    const { requestId } = answered;
    const isTraced = context?.isSampled ?? Number.parseInt(requestId.slice(0, 8), 16) < this.#tracedBelow;
    if (!isTraced) return;
    if (this.#kept.length < keptMax) this.#kept.push({ answered, context });
    else this.#dropped++;
  }

  /** Traced requests that found the buffer full since the last call. */
  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }

  /**
   * The body of `POST /v1/traces` (OTLP 1, JSON encoding) with all spans kept, which are forgotten; `undefined` for
   * none.
   */
  takeBody(resource: object): object | undefined {
    const spans = this.#kept.map(spanOf);
    this.#kept = [];
    return spans.length === 0 ? undefined : { resourceSpans: [{ resource, scopeSpans: [{ scope, spans }] }] };
  }
}

function spanOf({ answered, context }: Traced): object {
  const { requestId, at, durationMs, route, status, code, bytes, keyId } = answered;
  return {
    traceId: context?.traceId ?? requestId,
    // The later half of the request id: random like all of it.
    spanId: requestId.slice(16),
    ...(context && { parentSpanId: context.spanId }),
    name: route,
    kind: server,
    startTimeUnixNano: nanoseconds(at - durationMs),
    endTimeUnixNano: nanoseconds(at),
    attributes: attributes({
      'http.route': route,
      'http.response.status_code': status,
      'http.response.body.size': bytes,
      'error.type': code,
      'mdapi.request_id': requestId,
      'mdapi.key_id': keyId,
    }),
    status: status >= 500 ? { code: failed } : {},
  };
}

const traceparentForm = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/**
 * A request’s trace, and the span that sent it (W3C Trace Context); `undefined` for a header not of version 00, or with
 * ids that mean none.
 */
function parseTraceparent(text: string) {
  const [, traceId = '', spanId = '', flags = ''] = traceparentForm.exec(text) ?? [];
  if (!/[1-9a-f]/.test(traceId) || !/[1-9a-f]/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

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
function nanoseconds(milliseconds: number): string {
  const whole = Math.floor(milliseconds);
  return String(BigInt(whole) * 1_000_000n + BigInt(Math.round((milliseconds - whole) * 1e6)));
}
