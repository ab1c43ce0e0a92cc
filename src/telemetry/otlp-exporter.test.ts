import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { eventually } from '../../test/support/eventually.ts';
import { FakeClock, seededRandomness } from '../../test/support/fake-clock.ts';
import type { EpochMs } from '../ground/clock.ts';
import type { AnsweredRequest } from '../http/answered-request.ts';
import { metricsOf, plain, spansOf, startCollector } from './collector.testing.ts';
import { OtlpExporter } from './otlp-exporter.ts';

const startMs = Date.parse('2026-11-21T10:00:00.000Z');

function answeredAs(more: Partial<AnsweredRequest> = {}): AnsweredRequest {
  return {
    requestId: '6f1c2a9e4b7d4f08a3c5e1d2b4f60718',
    at: startMs as EpochMs,
    durationMs: 0.25,
    route: '/v1/ticker',
    status: 200,
    code: undefined,
    bytes: 312,
    keyId: 'key_1',
    ...more,
  };
}

async function started(t: TestContext, { tracesPercent = 100, registry = new Registry() } = {}) {
  const collector = await startCollector(t);
  const clock = new FakeClock();
  const warnings: object[] = [];
  const log = { debug() {}, info() {}, warn: (fields: object) => warnings.push(fields), error() {} };
  const exporter = new OtlpExporter(
    { url: collector.url, everyMs: 15_000, tracesPercent, authorization: 'Bearer secret' },
    { clock, randomness: seededRandomness(1), log, version: '1.2.3' },
  );
  exporter.start(registry);
  t.after(() => exporter.stop());
  const deliver = async () => {
    const before = collector.deliveries.length;
    await clock.advance(15_000);
    await eventually('a delivery of metrics', () =>
      collector.deliveries.slice(before).some(({ path }) => path === '/v1/metrics'),
    );
  };
  return { collector, clock, exporter, warnings, deliver };
}

describe('what a collector gets', () => {
  test('is every metric as it is scraped: sums, gauges, and histograms with each bucket by itself', async (t) => {
    const registry = new Registry();
    new Counter({ name: 'asked_total', help: 'Asked.', labelNames: ['route'], registers: [registry] }).inc(
      { route: '/v1/time' },
      3,
    );
    new Gauge({ name: 'age_seconds', help: 'Age.', registers: [registry] }).set(0.5);
    const took = new Histogram({ name: 'took_seconds', help: 'Took.', buckets: [0.1, 1], registers: [registry] });
    for (const value of [0.05, 0.06, 0.5, 7]) took.observe(value);
    const { collector, deliver } = await started(t, { registry });
    await deliver();
    const { asked_total: asked, age_seconds: age, took_seconds: histogram } = metricsOf(collector.deliveries);
    const times = { startTimeUnixNano: '1795255200000000000', timeUnixNano: '1795255215000000000' };
    assert.deepEqual(asked.sum, {
      aggregationTemporality: 2,
      isMonotonic: true,
      dataPoints: [{ attributes: [{ key: 'route', value: { stringValue: '/v1/time' } }], ...times, asDouble: 3 }],
    });
    assert.deepEqual(age.gauge.dataPoints, [{ attributes: [], ...times, asDouble: 0.5 }]);
    const [{ sum, ...point }] = histogram.histogram.dataPoints;
    assert.deepEqual(point, {
      attributes: [],
      ...times,
      count: '4',
      explicitBounds: [0.1, 1],
      bucketCounts: ['2', '1', '1'],
    });
    assert.ok(Math.abs(sum - 7.61) < 1e-9);
    const [{ authorization, body }] = collector.deliveries as [(typeof collector.deliveries)[number]];
    assert.equal(authorization, 'Bearer secret');
    const { 'service.instance.id': instance, ...service } = plain(body.resourceMetrics[0].resource.attributes);
    assert.deepEqual(service, { 'service.name': 'mdapi', 'service.version': '1.2.3' });
    assert.match(String(instance), /^[0-9a-f]{32}$/);
  });

  test('is each traced request once, its trace named by the request id', async (t) => {
    const { collector, exporter, deliver } = await started(t);
    exporter.answered(answeredAs({ status: 503, code: 'MARKET_DATA_UNAVAILABLE', keyId: undefined }), undefined);
    await deliver();
    await deliver();
    const [span, ...others] = spansOf(collector.deliveries);
    assert.deepEqual(others, []);
    const { attributes, ...rest } = span;
    assert.deepEqual(rest, {
      traceId: '6f1c2a9e4b7d4f08a3c5e1d2b4f60718',
      spanId: 'a3c5e1d2b4f60718',
      name: '/v1/ticker',
      kind: 2,
      startTimeUnixNano: '1795255199999750000',
      endTimeUnixNano: '1795255200000000000',
      status: { code: 2 },
    });
    assert.deepEqual(plain(attributes), {
      'http.route': '/v1/ticker',
      'http.response.status_code': '503',
      'http.response.body.size': '312',
      'error.type': 'MARKET_DATA_UNAVAILABLE',
      'mdapi.request_id': '6f1c2a9e4b7d4f08a3c5e1d2b4f60718',
    });
  });

  test('belongs to the trace of the caller where it has one, and is left out where that says so', async (t) => {
    const { collector, exporter, deliver } = await started(t, { tracesPercent: 0 });
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    exporter.answered(answeredAs(), `00-${traceId}-b7ad6b7169203331-01`);
    exporter.answered(answeredAs(), `00-${traceId}-b7ad6b7169203331-00`);
    exporter.answered(answeredAs(), undefined);
    for (const bad of [`00-${'0'.repeat(32)}-b7ad6b7169203331-01`, 'x', `01-${traceId}-b7ad6b7169203331-01`, '']) {
      exporter.answered(answeredAs(), bad);
    }
    await deliver();
    const spans = spansOf(collector.deliveries).map(({ traceId, parentSpanId }) => [traceId, parentSpanId]);
    assert.deepEqual(spans, [[traceId, 'b7ad6b7169203331']]);
  });

  test('is the configured share of requests that bring no trace', async (t) => {
    const { collector, exporter, deliver } = await started(t, { tracesPercent: 25 });
    for (let index = 0; index < 256; index++) {
      exporter.answered(
        answeredAs({ requestId: `${index.toString(16).padStart(2, '0')}000000${'ab'.repeat(12)}` }),
        undefined,
      );
    }
    await deliver();
    assert.equal(spansOf(collector.deliveries).length, 64);
  });
});

test('a collector that refuses is named in the log once, holds up nothing, and gets the sums again when it is back', async (t) => {
  const { collector, exporter, warnings, deliver } = await started(t);
  collector.answer.status = 503;
  await deliver();
  await deliver();
  assert.deepEqual(warnings, [{ reason: 'the collector answered 503 to metrics' }]);
  collector.answer.status = 200;
  exporter.answered(answeredAs(), undefined);
  await deliver();
  assert.equal(spansOf(collector.deliveries).length, 1);
  assert.equal(warnings.length, 1);
});

test('more traced requests than are kept are counted in the log, and memory stays bounded', async (t) => {
  const { collector, exporter, warnings, deliver } = await started(t);
  for (let count = 0; count < 5_003; count++) exporter.answered(answeredAs(), undefined);
  await deliver();
  await eventually('the warning', () => warnings.length > 0);
  assert.equal(spansOf(collector.deliveries).length, 5_000);
  assert.deepEqual(warnings, [{ spans: 3 }]);
});
