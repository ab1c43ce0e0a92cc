import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { systemClock, systemRandomness } from '../../src/ground/clock.ts';
import { after } from '../../src/market/samples.testing.ts';
import { openStore } from '../../src/store/store.ts';
import { ApiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { fixedPort } from '../support/fixed-port.ts';
import { Installation } from '../support/mdapi-process.ts';
import { ServiceHarness } from '../support/service-harness.ts';

const hourMs = 60 * 60 * 1000;

describe('after a restart with the exchange away', { concurrency: true }, () => {
  test('the last prices are there with their true times, the status shows their age, and keys and windows hold', async (t) => {
    const service = await ServiceHarness.start(t);
    const { simulator, clock } = service;
    simulator.setPrice({ symbol: 'BTC/EUR', bid: '50000.0', ask: '50000.1' });
    await service.untilBuyPrice('BTCEUR', '50250.2');
    const window = {
      from: after(clock.now(), 2 * hourMs),
      to: after(clock.now(), 3 * hourMs),
      description: 'Upgrade',
    };
    await service.withStore(({ windows }) => windows.announce(window));
    await simulator.faults.set({ fault: 'down' });
    await service.untilTicker('degraded');
    const markets = await service.api.markets();
    const prices = await service.api.prices();
    const { lastUpdatedAt } = await service.api.status();

    await service.stopService();
    clock.shift(hourMs);
    await service.startService();
    assert.deepEqual(await service.api.prices(), prices);
    assert.deepEqual(await service.api.markets(), markets);
    const status = await service.api.status();
    assert.deepEqual([status.status, status.components.ticker], ['outage', 'outage']);
    assert.equal(status.lastUpdatedAt, lastUpdatedAt);
    assert.equal(status.maintenance?.description, 'Upgrade');

    await simulator.faults.clear();
    await service.untilTicker('operational');
  });

  test('no price is dated ahead of a clock that was set back meanwhile, before the feed is back and after', async (t) => {
    const service = await ServiceHarness.start(t);
    const { simulator, clock } = service;
    await service.untilTicker('operational');
    await simulator.faults.set({ fault: 'down' });
    await service.stopService();
    clock.shift(-hourMs);
    await service.startService();
    const assertNoneAhead = async () => {
      const tickers = Object.values(await service.api.prices());
      const { serverTimeMs } = await service.api.status();
      assert.ok(tickers.length > 0);
      for (const [, , timestampMs] of tickers)
        assert.ok(timestampMs <= serverTimeMs, `${timestampMs - serverTimeMs} ms`);
    };
    await assertNoneAhead();
    await simulator.faults.clear();
    await service.untilTicker('operational');
    await assertNoneAhead();
  });

  test('of a killed process: no more than the last moments are lost, the times are true, and keys and windows hold', async (t) => {
    const simulator = await startExchangeSimulator({ quotes: ['EUR'], updatesPerSecond: 200, port: await fixedPort() });
    t.after(() => simulator.stop());
    const installation = Installation.for(t, simulator);
    const { server, api, key } = await installation.serveLive();
    await installation.json('maintenance', 'announce', '--from', '+2h', '--to', '+3h', '--description', 'Upgrade');
    simulator.setRate('24.500');
    simulator.setPrice({ symbol: 'BTC/EUR', bid: '50000.0', ask: '50000.1' });
    await eventually('the price', async () => (await api.ticker('BTCEUR')).buyPrice === '50250.2');
    await eventually('the price is saved', async () => (await savedSnapshot(installation)).includes('"50000.1"'));
    const before = await api.prices();
    const lastUpdatedBefore = (await api.status()).lastUpdatedAtMs!;
    server.kill('SIGKILL');
    assert.equal((await server.ended).signal, 'SIGKILL');
    await simulator.faults.set({ fault: 'down' });

    const { baseUrl } = await installation.serve();
    const again = await ApiClient.of(baseUrl, key);
    const after = await again.prices();
    assert.deepEqual(Object.keys(after), Object.keys(before));
    assert.deepEqual(after.BTCEUR?.slice(0, 2), ['50250.2', '49750.0']);
    for (const [symbol, [, , timestampMs]] of Object.entries(after)) {
      const lost = before[symbol]![2] - timestampMs;
      assert.ok(lost >= -2_000 && lost < 5_000, `${symbol}: ${lost} ms were lost`);
    }
    const { status, lastUpdatedAtMs, serverTimeMs, maintenance } = await again.status();
    assert.ok(['degraded', 'outage'].includes(status), status);
    assert.ok(Math.abs(lastUpdatedBefore - lastUpdatedAtMs!) < 5_000 && lastUpdatedAtMs! < serverTimeMs);
    assert.equal(maintenance?.description, 'Upgrade');

    await simulator.faults.clear();
    await eventually('live again', async () => (await again.status()).status === 'operational', 30_000);
  });
});

test('a service that has stopped leaves no socket and no timer behind, however often it starts', async (t) => {
  const service = await ServiceHarness.start(t);
  const open = () => process.getActiveResourcesInfo().filter((name) => /TCP|Timeout|Pipe/.test(name)).length;
  await service.stopService();
  await eventually('the sockets are closed', () => service.simulator.state().connections.length === 0);
  const before = open();
  for (let round = 0; round < 3; round++) {
    await service.startService();
    await service.untilLive();
    await service.stopService();
  }
  await eventually('nothing more is open than before', () => open() <= before);
});

async function savedSnapshot({ directory }: Installation): Promise<string> {
  const url = `sqlite:${directory}/mdapi.sqlite`;
  const store = await openStore({ url, clock: systemClock, randomness: systemRandomness });
  try {
    return (await store.snapshots.load('market'))?.payload ?? '';
  } finally {
    await store.close();
  }
}
