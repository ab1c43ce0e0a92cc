import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { ApiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { Wire } from '../support/wire.ts';
import { installed } from './serving-process.ts';

test('a process whose heap stays above its bound refuses ever more, but never the time, the status or a missing key, says why, and stays live (fault rows 50 and 67)', async (t) => {
  const simulator = await startExchangeSimulator({ quotes: ['EUR'], updatesPerSecond: 100 });
  t.after(() => simulator.stop());
  const { key, start, installation } = await installed(t, simulator, { server: { overloadHeapPercent: 10 } });
  // What the service needs at rest is far more than a tenth of this, and far less than all of it.
  installation.env.NODE_OPTIONS = '--max-old-space-size=96 --max-semi-space-size=2';
  const service = await start();
  const api = ApiClient.unasked(service.baseUrl, key);
  const { host } = new URL(service.baseUrl);
  const request = `GET /v1/markets HTTP/1.1\r\nHost: ${host}\r\nX-EXCHANGE-APIKEY: ${key}\r\n\r\n`;
  const established = await Wire.open(service.port);
  for (const refused of [
    () => api.get('/', { key: null }),
    () => api.get('/v1/tickers'),
    () => established.ask(request),
  ]) {
    const answer = await eventually('a request is refused', async () => {
      const response = await refused();
      return response.status === 503 && response.body.includes('SERVICE_OVERLOADED') && response;
    });
    assert.match(answer.headers['retry-after']!, /^[1-9]\d*$/);
  }
  assert.equal((await api.get('/v1/status')).status, 200);
  assert.equal((await api.get('/v1/time')).status, 200);
  assert.equal((await api.get('/v1/tickers', { key: null })).status, 401);
  assert.equal((await service.admin('/livez')).status, 200);
  assert.match(await (await service.admin('/readyz')).text(), /overloaded: \d+ % \(bound 10 %\) of the heap is in use/);
  const metrics = await service.metrics();
  assert.ok(metrics.value('mdapi_requests_shed_total') > 2);
  assert.equal(metrics.value('mdapi_overload', { signal: 'heap' }), 1);
  assert.equal(metrics.value('mdapi_overload', { signal: 'load' }), 0);
  assert.deepEqual(service.failures, []);
  established.close();
});
