import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metricsOf, plain, spansOf, startCollector } from '../../src/telemetry/collector.testing.ts';
import { eventually } from '../support/eventually.ts';
import { ServiceHarness } from '../support/service-harness.ts';

test('a collector gets the metrics of the service and its requests, found by the id that clients quote', async (t) => {
  const collector = await startCollector(t);
  const harness = await ServiceHarness.start(t, {
    settings: {
      'telemetry.otlp': `${collector.url}/`,
      'telemetry.every': '1s',
      'telemetry.tracesPercent': '100',
      'telemetry.authorization': 'Bearer of-the-collector',
    },
    untilLive: false,
  });
  const { headers } = await harness.api.get('/v1/ticker?symbol=NONE');
  const ofIt = () => spansOf(collector.deliveries).find(({ traceId }) => traceId === headers['x-request-id']);
  await eventually('its span', () => ofIt() !== undefined);
  assert.equal(plain(ofIt().attributes)['mdapi.key_id'], harness.credentials.keyId);
  const requests = () => metricsOf(collector.deliveries).mdapi_requests_total?.sum.dataPoints ?? [];
  await eventually('its count', () =>
    requests().some(({ attributes }: { attributes: object[] }) => plain(attributes).route === '/v1/ticker'),
  );
  assert.ok(!harness.logged.some((line) => line.includes('of-the-collector')), 'no secret in the log');
});
