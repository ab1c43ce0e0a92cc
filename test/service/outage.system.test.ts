import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FaultRequest } from '../../exchange-simulator/fault-request.ts';
import { eventually } from '../support/eventually.ts';
import { allSymbols, ServiceHarness } from '../support/service-harness.ts';
import { SteadyClient } from '../support/steady-client.ts';

const minuteMs = 60_000;

describe('an exchange that is away', { concurrency: true }, () => {
  test('for six minutes: the last prices are served with their true times, and the status shows their age', async (t) => {
    const service = await ServiceHarness.start(t);
    const { simulator, api, clock } = service;
    const client = await SteadyClient.watch(api);
    await simulator.faults.set({ fault: 'down' });
    await service.untilTicker('degraded');
    await client.untilSaw('degraded');
    const before = await api.prices();
    const { lastUpdatedAtMs, lastUpdatedAt } = await api.status();

    clock.shift(6 * minuteMs);
    const status = await api.status();
    assert.deepEqual([status.status, status.api, status.components.ticker], ['outage', 'operational', 'outage']);
    assert.deepEqual([status.lastUpdatedAt, status.lastUpdatedAtMs], [lastUpdatedAt, lastUpdatedAtMs]);
    assert.ok(status.serverTimeMs - status.lastUpdatedAtMs! > 5 * minuteMs);
    assert.deepEqual(await api.prices(), before);
    assert.equal((await api.markets()).size, allSymbols.length);
    assert.equal(await api.outcome('/v1/time'), '200');
    await client.untilSaw('outage');

    await simulator.faults.clear();
    await service.untilTicker('operational');
    await eventually('every price is new', async () => {
      const now = Object.entries(await api.prices());
      return now.every(([symbol, price]) => price[2] > before[symbol]![2] + 5 * minuteMs);
    });
    assert.deepEqual((await client.stop()).states.slice(0, 3), ['operational', 'degraded', 'outage']);
  });

  test('from the start: the status answers, the rest is 503, and it comes back step by step', async (t) => {
    const service = await ServiceHarness.start(t, {
      untilLive: false,
      async before({ faults }) {
        await faults.set({ fault: 'refuse', status: 503, retryAfterS: 0 });
        await faults.set({ fault: 'down' });
      },
    });
    const { api, simulator } = service;
    const { status, components, lastUpdatedAt, lastUpdatedAtMs } = await api.status();
    assert.deepEqual([status, components.ticker, lastUpdatedAt, lastUpdatedAtMs], ['outage', 'outage', null, null]);
    for (const target of ['/v1/markets', '/v1/tickers']) {
      assert.equal(await api.outcome(target), '503 MARKET_DATA_UNAVAILABLE', target);
    }
    assert.equal((await api.get('/v1/tickers')).headers['retry-after'], '5');
    assert.equal(await api.outcome('/v1/time'), '200');

    await simulator.faults.clear('down');
    await service.untilTicker('degraded');
    await eventually(
      'all prices',
      async () => (await api.outcome('/v1/tickers')) === '200' && (await api.tickers()).size === allSymbols.length,
    );
    await simulator.faults.clear('refuse');
    await service.untilTicker('operational');
  });

  test('before any catalogue was loaded: no symbol is called unknown, for nobody knows', async (t) => {
    const { api } = await ServiceHarness.start(t, {
      untilLive: false,
      before: ({ faults }) => faults.set({ fault: 'down' }),
    });
    assert.equal(await api.outcome('/v1/ticker?symbol=BTCEUR'), '503 MARKET_DATA_UNAVAILABLE');
  });

  const restFaults: readonly FaultRequest[] = [
    { fault: 'rest-500' },
    { fault: 'rest-429', retryAfterS: 1 },
    { fault: 'rest-error', message: 'EService:Unavailable' },
    { fault: 'rest-html' },
    { fault: 'rest-truncated' },
    { fault: 'rest-slow', delayMs: 30_000 },
  ];
  for (const restFault of restFaults) {
    test(`both over REST, by ${restFault.fault}, and live: prices never look fresher than they are, and each way back is taken`, async (t) => {
      const service = await ServiceHarness.start(t, { settings: { 'feed.requestTimeout': '1s' } });
      const { simulator, api, clock } = service;
      const client = await SteadyClient.watch(api);
      await simulator.faults.set({ ...restFault, call: 'all' });
      assert.equal((await api.status()).status, 'operational', 'clients of the live feed see nothing of it');
      await simulator.faults.set({ fault: 'refuse', status: 503, retryAfterS: 0 });
      await simulator.faults.set({ fault: 'reset' });
      await service.untilTicker('degraded');
      await eventually('a poll failed', async () => (await failed(service, 'mdapi_feed_polls_total')) > 0);
      const before = await api.prices();
      clock.shift(5 * minuteMs);
      await service.untilTicker('outage');
      assert.deepEqual(await api.prices(), before);

      await simulator.faults.clear(restFault.fault);
      await service.untilTicker('degraded');
      simulator.setPrice({ symbol: 'BTC/EUR', bid: '50000.0', ask: '50000.1' });
      await service.untilBuyPrice('BTCEUR', '50250.2');
      await simulator.faults.clear('refuse');
      await service.untilTicker('operational');
      assert.deepEqual((await client.stop()).states, ['operational', 'degraded', 'outage', 'degraded', 'operational']);
    });
  }
});

/** How often the feed tried in vain, whatever the outcome was. */
async function failed(service: ServiceHarness, metric: string): Promise<number> {
  const { samples } = await service.metrics();
  const failures = samples.filter(({ name, labels }) => name === metric && labels.outcome !== 'ok');
  return failures.reduce((sum, { value }) => sum + value, 0);
}
