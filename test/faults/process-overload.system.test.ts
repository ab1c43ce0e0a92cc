import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { ApiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { Wire } from '../support/wire.ts';
import { installed } from './serving-process.ts';

test('a process that runs late refuses new clients, serves the ones it has and the status, stays live and recovers by itself (fault row 50)', async (t) => {
  const simulator = await startExchangeSimulator({ quotes: ['EUR'], updatesPerSecond: 100 });
  t.after(() => simulator.stop());
  const { key, start } = await installed(t, simulator, { server: { overloadDelay: '60ms' } });
  const service = await start();
  const api = ApiClient.unasked(service.baseUrl, key);
  await eventually('prices', async () => (await api.outcome('/v1/tickers')) === '200');
  const { host } = new URL(service.baseUrl);
  const request = `GET /v1/tickers HTTP/1.1\r\nHost: ${host}\r\nX-EXCHANGE-APIKEY: ${api.key}\r\n\r\n`;
  const established = await Wire.open(service.port);
  assert.equal((await established.ask(request)).status, 200);

  // To the process, being stopped for a while is what a blocked event loop is.
  const stalls = setInterval(() => {
    service.signal('SIGSTOP');
    setTimeout(() => service.signal('SIGCONT'), 120);
  }, 200);
  t.after(() => clearInterval(stalls));
  const refused = await eventually('a new client is refused', async () => {
    const response = await api.get('/v1/time');
    return response.status === 503 && response;
  });
  assert.equal(JSON.parse(refused.body.toString()).code, 'SERVICE_OVERLOADED');
  assert.match(refused.headers['retry-after']!, /^[1-9]\d*$/);
  assert.equal((await api.get('/v1/status')).status, 200);
  assert.equal((await established.ask(request)).status, 200);
  assert.equal((await service.admin('/livez')).status, 200);
  assert.ok((await service.metrics()).value('mdapi_requests_shed_total') > 0);

  clearInterval(stalls);
  await eventually('new clients are taken again', async () => (await api.outcome('/v1/time')) === '200');
  assert.deepEqual(service.failures, []);
  established.close();
});

test('a process whose heap is above its bound refuses new clients, answers the status and stays live (fault row 50)', async (t) => {
  const simulator = await startExchangeSimulator({ quotes: ['EUR'], updatesPerSecond: 100 });
  t.after(() => simulator.stop());
  const { key, start, installation } = await installed(t, simulator, { server: { overloadHeapPercent: 10 } });
  // What the service needs at rest is far more than a tenth of this, and far less than all of it.
  installation.env.NODE_OPTIONS = '--max-old-space-size=96 --max-semi-space-size=2';
  const service = await start();
  const api = ApiClient.unasked(service.baseUrl, key);
  const refused = await eventually('a new client is refused', async () => {
    const response = await api.get('/v1/time');
    return response.status === 503 && response;
  });
  assert.equal(JSON.parse(refused.body.toString()).code, 'SERVICE_OVERLOADED');
  assert.equal((await api.get('/v1/status')).status, 200);
  assert.equal((await service.admin('/livez')).status, 200);
});
