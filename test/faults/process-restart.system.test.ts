import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type ExchangeSimulator, startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import type { ServiceStatusBody } from '../../src/contract/schemas.ts';
import { ApiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { json } from '../support/listener-harness.ts';
import { Installation } from '../support/mdapi-process.ts';
import { allSymbols } from '../support/service-harness.ts';
import { Wire } from '../support/wire.ts';
import { isFull, sized } from './full-size.ts';
import { installed, type ServingProcess } from './serving-process.ts';

const outageAfterMs = 300_000;

const unusableDatabases: readonly [string, (path: string) => void][] = [
  ['whose directory is a file', (path) => writeFileSync(path, '')],
  ['whose file is a directory', (path) => mkdirSync(join(path, 'mdapi.sqlite'), { recursive: true })],
  [
    'that is none',
    (path) => {
      mkdirSync(path);
      writeFileSync(join(path, 'mdapi.sqlite'), 'this is no database, and never was one'.repeat(100));
    },
  ],
  ['whose directory is not there', (path) => rmSync(path, { recursive: true, force: true })],
];

describe('a service that is torn out of its life', { concurrency: true }, () => {
  let simulator: ExchangeSimulator;
  before(async () => {
    simulator = await startExchangeSimulator({ quotes: ['EUR'], updatesPerSecond: 500 });
  });
  after(() => simulator.stop());

  test('by kill -9, again and again, comes back with its keys and the prices of a second ago, and says how old they are (fault row 49)', async (t) => {
    const { key, start } = await installed(t, simulator);
    let last: ServiceStatusBody | undefined;
    for (let life = 0; life < sized(3, 50); life++) {
      const startedAtMs = Date.now();
      const service = await start();
      const api = await ApiClient.of(service.baseUrl, key);
      const first = await api.status();
      const isFresh = first.lastUpdatedAtMs !== null && first.lastUpdatedAtMs > startedAtMs;
      assert.ok(isFresh || first.components.ticker !== 'operational', 'operational only with a tick of this life');
      if (last !== undefined) {
        assert.ok(last.lastUpdatedAtMs! - first.lastUpdatedAtMs! < 10_000, 'little is lost');
        assert.equal((await api.tickers()).size, allSymbols.length);
      }
      await eventually('operational', async () => (await api.status()).status === 'operational');
      // Long enough for what is new to be saved once.
      const { lastUpdatedAtMs } = await api.status();
      await eventually('a second and a half passes', async () => {
        last = await api.status();
        return last.lastUpdatedAtMs! > lastUpdatedAtMs! + 1_500;
      });
      assert.deepEqual(service.failures, []);
      service.signal('SIGKILL');
      await service.ended;
    }
  });

  test('with the exchange and the rates down from the start it serves the status and the time, and 503 otherwise (fault row 49)', async (t) => {
    const banks = { cnbUrl: 'http://127.0.0.1:1/rates', ecbUrl: 'http://127.0.0.1:1/rates.xml' };
    const nowhere = { restUrl: 'http://127.0.0.1:1', wsUrl: 'ws://127.0.0.1:1/v2', ...banks };
    const { key, start } = await installed(t, nowhere);
    const service = await start();
    const api = await ApiClient.of(service.baseUrl, key);
    const { status, components, lastUpdatedAt, lastUpdatedAtMs } = await api.status();
    assert.deepEqual([status, components.ticker, lastUpdatedAt, lastUpdatedAtMs], ['outage', 'outage', null, null]);
    assert.equal(await api.outcome('/v1/time'), '200');
    for (const target of ['/v1/markets', '/v1/tickers']) {
      assert.equal(await api.outcome(target), '503 MARKET_DATA_UNAVAILABLE');
    }
    assert.equal((await service.admin('/readyz')).status, 200, 'it can say what is the matter, so it gets traffic');
  });

  for (const [what, makeUnusable] of unusableDatabases) {
    test(`with a database ${what} it does not start, and says why in one line (fault row 49)`, async (t) => {
      const installation = Installation.for(t, simulator);
      installation.env.MDAPI_STORE = 'sqlite:./data/mdapi.sqlite';
      makeUnusable(join(installation.directory, 'data'));
      const { exitCode: code, stderr } = await installation.run('serve');
      assert.equal(code, 1, stderr);
      const lines = stderr.trim().split('\n');
      assert.match(lines.at(-1)!, /^mdapi: .*(database|store)/i);
      assert.ok(!/\n\s+at /.test(stderr), 'no stack');
    });
  }

  test(`stopped dead for ${sized(3, 370)} s and woken, it answers what waited, never calls stale data operational, and recovers (fault row 49)`, async (t) => {
    const { key, start } = await installed(t, simulator, {
      feed: { staleAfter: '1s', transportTimeout: '1s', pingEvery: '500ms', reconnectMin: '50ms' },
    });
    const service = await start();
    const api = await ApiClient.of(service.baseUrl, key);
    await livePrices(api);
    const waiting = await Wire.open(service.port);
    const request = `GET /v1/status HTTP/1.1\r\nHost: ${new URL(api.baseUrl).host}\r\nX-EXCHANGE-APIKEY: ${api.key}\r\n\r\n`;
    checkedStatus(json<ServiceStatusBody>(await waiting.ask(request)));
    service.signal('SIGSTOP');
    const stoppedAtMs = Date.now();
    const answer = waiting.ask(request);
    await new Promise((resolve) => setTimeout(resolve, sized(3, 370) * 1000));
    const wokenAtMs = Date.now();
    service.signal('SIGCONT');
    const first = checkedStatus(json<ServiceStatusBody>(await answer));
    assert.ok(first.serverTimeMs >= wokenAtMs - 5, 'it is answered with the time of its answer');
    if (first.lastUpdatedAtMs! < stoppedAtMs && isFull) assert.equal(first.components.ticker, 'outage');
    await eventually(
      'fresh live data',
      async () => {
        const status = checkedStatus(await api.status());
        return status.components.ticker === 'operational' && status.lastUpdatedAtMs! > wokenAtMs;
      },
      30_000,
    );
    await untilQuiet(service);
    assert.deepEqual(service.failures, []);
  });
});

async function livePrices(api: ApiClient) {
  await eventually('operational', async () => (await api.status()).status === 'operational');
  return eventually('all prices', async () => {
    const tickers = await api.tickers();
    return tickers.size === allSymbols.length && tickers;
  });
}

/** The status follows from the age it reports, whatever happened to the process. */
function checkedStatus(status: ServiceStatusBody): ServiceStatusBody {
  const { components, lastUpdatedAtMs, serverTimeMs } = status;
  const isOld = lastUpdatedAtMs === null || serverTimeMs - lastUpdatedAtMs > outageAfterMs;
  assert.equal(components.ticker === 'outage', isOld, JSON.stringify(status));
  return status;
}

/** The connections that the sleep cost are counted and over. */
async function untilQuiet(service: ServingProcess): Promise<void> {
  await eventually(
    'one live connection',
    async () => (await service.metrics()).value('mdapi_feed_path', { path: 'live' }) === 1,
  );
}
