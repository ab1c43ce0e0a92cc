import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { eventually } from '../support/eventually.ts';
import { allSymbols, offered, ServiceHarness } from '../support/service-harness.ts';

const hourMs = 60 * 60 * 1000;

interface Source {
  readonly name: 'cnb' | 'ecb' | 'json' | 'exchange';
  readonly settings: (simulator: ExchangeSimulator) => Readonly<Record<string, string>>;
}

const sources: readonly Source[] = [
  { name: 'cnb', settings: ({ cnbUrl }) => ({ 'rates.source': 'cnb', 'rates.url': cnbUrl }) },
  { name: 'ecb', settings: ({ ecbUrl }) => ({ 'rates.source': 'ecb', 'rates.url': ecbUrl }) },
  {
    name: 'json',
    settings: ({ jsonRateUrl }) => ({
      'rates.source': 'json',
      'rates.url': jsonRateUrl,
      'rates.pointer': '/data/EURCZK',
    }),
  },
  { name: 'exchange', settings: () => ({ 'rates.source': 'exchange', 'rates.market': 'EURCZK' }) },
];

function setRate(simulator: ExchangeSimulator, source: Source): void {
  if (source.name === 'exchange') simulator.setPrice({ symbol: 'EUR/CZK', bid: '24.4000', ask: '24.6000' });
  else simulator.setRate('24.500');
}

/** The exchange cannot say its own failure by a fault of the rate sources. */
async function loseRate(simulator: ExchangeSimulator, source: Source): Promise<void> {
  if (source.name === 'exchange') await simulator.faults.set({ fault: 'rest-500', call: 'Ticker' });
  else await simulator.faults.set({ fault: 'rate-gone', source: source.name });
}

describe('the conversion rate', { concurrency: true }, () => {
  for (const source of sources) {
    test(`of ${source.name} prices the CZK markets; gone, it holds until its validity ends, and then only they vanish`, async (t) => {
      const service = await ServiceHarness.start(t, {
        settingsFrom: source.settings,
        before: (simulator) => setRate(simulator, source),
      });
      const { simulator, api, clock } = service;
      simulator.setPrice({ symbol: 'BTC/EUR', bid: '50000.0', ask: '50000.1' });
      await service.untilBuyPrice('BTCCZK', '1243439');
      await loseRate(simulator, source);
      // One asked for before would be of the later time, answered after it.
      const isLost = () => service.logged.some((line) => line.includes('the conversion rate was not refreshed'));
      await eventually('the rate is gone', isLost);
      clock.shift(95 * hourMs);
      await service.untilTicker('operational');
      assert.equal((await api.ticker('BTCCZK')).buyPrice, '1243439');

      clock.shift(hourMs);
      await service.untilTicker('operational');
      assert.equal(await api.outcome('/v1/ticker?symbol=BTCCZK'), '503 MARKET_DATA_UNAVAILABLE');
      assert.deepEqual([...(await api.tickers()).keys()], [...offered]);
      assert.equal((await api.ticker('BTCEUR')).buyPrice, '50250.2');
      assert.deepEqual([...(await api.markets()).keys()], allSymbols, 'they are listed all the same');
      assert.equal((await api.markets()).get('BTCCZK')?.status, 'trading');

      await simulator.faults.clear();
      await eventually(
        'the CZK markets are back',
        async () => (await api.tickers()).size === allSymbols.length,
        20_000,
      );
      assert.equal((await api.ticker('BTCCZK')).buyPrice, '1243439');
    });
  }

  for (const source of sources.slice(0, 2)) {
    test(`of ${source.name} whose own day is long past is no rate: there are EUR prices only, until it is of today`, async (t) => {
      const { api, simulator } = await ServiceHarness.start(t, {
        settingsFrom: source.settings,
        before: ({ faults }) => faults.set({ fault: 'rate-stale', source: source.name }),
        untilLive: false,
      });
      const priced = async () =>
        (await api.outcome('/v1/tickers')) === '200' ? [...(await api.tickers()).keys()] : [];
      await eventually('the EUR prices', async () => (await priced()).length === offered.length);
      assert.deepEqual(await priced(), [...offered]);
      await simulator.faults.clear();
      await eventually('the CZK prices', async () => (await priced()).length === allSymbols.length);
    });
  }
});
