import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type ExchangeSimulator, startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { ApiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { Installation, untilLive } from '../support/mdapi-process.ts';
import { readMetrics } from '../support/metrics-text.ts';
import { Wire } from '../support/wire.ts';

describe('`mdapi serve` with three workers', () => {
  let simulator: ExchangeSimulator;
  before(async () => {
    simulator = await startExchangeSimulator({ quotes: ['EUR'], updatesPerSecond: 500 });
  });
  after(() => simulator.stop());

  test('serves and is operated as with one', async (t) => {
    const installation = Installation.for(t, simulator, { server: { workers: 3 } });
    const { keyId, key, accountId } = await installation.makeKey();
    const { server, baseUrl, adminUrl } = await installation.serve();
    const api = await ApiClient.of(baseUrl, key);
    await untilLive(api);
    const ask = async (wires: readonly Wire[], path: string, withKey = key) => {
      const host = new URL(baseUrl).host;
      const request = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nX-EXCHANGE-APIKEY: ${withKey}\r\n\r\n`;
      const answers = await Promise.all(wires.map((wire) => wire.ask(request)));
      return answers.map(({ status }) => status);
    };
    const wires = await Promise.all(Array.from({ length: 12 }, () => Wire.open(api.port)));
    const eachIs = async (status: number, path: string, withKey?: string) =>
      (await ask(wires, path, withKey)).every((found) => found === status);
    const metrics = async () => readMetrics(await (await fetch(`${adminUrl}/metrics`)).text());

    assert.ok(await eachIs(200, '/v1/tickers'));
    assert.deepEqual(await (await fetch(`${adminUrl}/readyz`)).json(), { ready: true, phase: 'serving', notes: [] });
    const figures = await metrics();
    assert.equal(figures.value('mdapi_workers'), 3);
    assert.equal(figures.value('mdapi_worker_restarts_total'), 0);
    await eventually('open connections are told', async () => {
      return (await metrics()).value('mdapi_connections_open') === wires.length;
    });

    const { key: second } = await installation.json<{ key: string }>('keys', 'create', '--account', accountId);
    await eventually('the new key is known', () => eachIs(200, '/v1/time', second));
    const window = ['--from', 'now', '--to', '+10m', '--description', 'An upgrade'];
    await installation.json('maintenance', 'announce', ...window);
    await eventually('maintenance runs', async () => (await ask(wires, '/v1/tickers'))[0] === 503);
    assert.ok(await eachIs(503, '/v1/tickers'), 'what one worker knows all know');
    await installation.json('keys', 'revoke', keyId, '--yes');
    await eventually('the key is refused', async () => (await ask(wires, '/v1/time'))[0] === 401);
    assert.ok(await eachIs(401, '/v1/time'));
    assert.ok(await eachIs(200, '/v1/status', second));

    const again = await installation.run('serve', '--json', '--port', String(api.port));
    assert.equal(again.exitCode, 1, again.stderr);
    assert.match(again.stderr, /^mdapi: Port \d+ is already in use\. .*\n$/);
    server.kill('SIGTERM');
    assert.deepEqual(await server.ended, { code: 0, signal: null });
    await eventually('all are closed', () => wires.every((wire) => wire.isClosed));
    assert.doesNotMatch(server.stderr, /"level":(50|60)/);
    assert.equal(server.stdout.split('\n').length, 2, 'one line was printed');
  });
});
