import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { allSymbols, ServiceHarness } from '../support/service-harness.ts';

const dayMs = 24 * 60 * 60 * 1000;
const longCatalogue = {
  settings: { 'markets.symbols': 'all', 'markets.delistAfter': '1h' },
  untilLive: false,
} as const;
const allEuroMarkets = { settings: { 'markets.symbols': 'all' }, untilLive: false } as const;

async function statusOf({ api }: ServiceHarness, symbol: string): Promise<string | undefined> {
  return (await api.markets()).get(symbol)?.status;
}

/** Catalogue loads since the service started, by outcome. */
async function loadsOf(service: ServiceHarness, outcome: string): Promise<number> {
  return (await service.metrics()).value('mdapi_feed_catalogue_loads_total', { outcome });
}

/** Markets that the exchange no longer lists. */
async function missingOf(service: ServiceHarness): Promise<number> {
  return (await service.metrics()).value('mdapi_markets_missing', { state: 'paused' });
}

function untilStatus(service: ServiceHarness, symbol: string, status: string): Promise<unknown> {
  return eventually(`${symbol} is ${status}`, async () => (await statusOf(service, symbol)) === status);
}

describe('the life of a market', { concurrency: true }, () => {
  test('a pair that the exchange takes offline in any way is paused with its price, until it is online again', async (t) => {
    const service = await ServiceHarness.start(t);
    for (const state of ['cancel_only', 'post_only', 'limit_only', 'reduce_only', 'maintenance', 'work_in_progress']) {
      await service.simulator.faults.set({ fault: 'pair-status', symbol: 'ADA/EUR', status: state });
      await untilStatus(service, 'ADAEUR', 'paused');
      assert.equal(await statusOf(service, 'ADACZK'), 'paused', 'the converted market goes along');
      assert.equal(await statusOf(service, 'BTCEUR'), 'trading');
      assert.equal(await service.api.outcome('/v1/ticker?symbol=ADACZK'), '200');
      assert.equal((await service.api.tickers()).size, allSymbols.length);
      await service.simulator.faults.clear('pair-status');
      await untilStatus(service, 'ADAEUR', 'trading');
      assert.equal(await statusOf(service, 'ADACZK'), 'trading');
    }
    assert.equal(await loadsOf(service, 'ok'), 1, 'the live connection reported it: no catalogue was loaded for it');
  });

  test('a pair that is new at the exchange is listed and priced by itself', async (t) => {
    const service = await ServiceHarness.start(t, allEuroMarkets);
    await eventually('live', async () => (await service.api.status()).status === 'operational');
    assert.equal(await service.api.outcome('/v1/ticker?symbol=NEWCOINEUR'), '404 UNKNOWN_SYMBOL');
    await service.simulator.faults.set({ fault: 'pair-new', symbol: 'NEWCOIN/EUR', price: '10', decimals: 3 });
    await untilStatus(service, 'NEWCOINCZK', 'trading');
    service.simulator.setRate('24.500');
    service.simulator.setPrice({ symbol: 'NEWCOIN/EUR', bid: '9.999', ask: '10.001' });
    // 10.001 × 1.005 = 10.051005, and × 24.5 × 1.01 = 248.71…
    await service.untilBuyPrice('NEWCOINEUR', '10.052');
    await service.untilBuyPrice('NEWCOINCZK', '248.72');
    assert.equal((await service.api.markets()).get('NEWCOINEUR')?.pricePrecision, 3);
  });

  test('a pair gone from the exchange is paused, delisted for good after its time, over a restart too, and listed for 30 days', async (t) => {
    const service = await ServiceHarness.start(t, longCatalogue);
    await eventually('live', async () => (await service.api.status()).status === 'operational');
    await service.simulator.faults.set({ fault: 'pair-delist', symbol: 'XRP/EUR' });
    await untilStatus(service, 'XRPCZK', 'paused');
    await eventually('missing', async () => (await missingOf(service)) === 1);
    await service.stopService();
    service.clock.shift(3_500_000);
    await service.startService();
    await eventually('a load', async () => (await loadsOf(service, 'ok')) > 0);
    assert.equal(await statusOf(service, 'XRPEUR'), 'paused', 'not yet');
    service.clock.shift(600_000);
    await untilStatus(service, 'XRPEUR', 'delisted');
    await assertDelisted(service);
    assert.ok(service.logged.some((line) => line.includes('"symbol":"XRPEUR"') && line.includes('delisted for good')));
    await service.withStore(async ({ audit }) => {
      const [entry] = (await audit.page({ limit: 10, subjectId: 'XRPEUR' })).items;
      assert.deepEqual([entry?.actor, entry?.action], ['service', 'market.delist']);
      assert.match(entry?.summary ?? '', /the exchange has not listed it for 1 h/);
    });

    // It comes back at the exchange, and never here.
    await service.simulator.faults.clear('pair-delist');
    await service.stopService();
    await service.startService();
    await eventually('a catalogue with it was loaded', async () => (await loadsOf(service, 'ok')) > 0);
    await assertDelisted(service);

    service.clock.shift(30 * dayMs - 120_000);
    assert.equal(await statusOf(service, 'XRPCZK'), 'delisted');
    service.clock.shift(120_000);
    assert.ok(!(await service.api.markets()).has('XRPEUR'));
    assert.equal(await service.api.outcome('/v1/ticker?symbol=XRPCZK'), '404 UNKNOWN_SYMBOL');
  });

  test('a pair that carries the live name of another is not offered and never gets its price (fault row 58)', async (t) => {
    const service = await ServiceHarness.start(t, {
      ...allEuroMarkets,
      before: (simulator) => simulator.faults.set({ fault: 'pair-alias', symbol: 'ADA/EUR', wsname: 'XBT/EUR' }),
    });
    await eventually('live', async () => (await service.api.status()).status === 'operational');
    assert.equal((await service.api.markets()).get('ADAEUR'), undefined);
    assert.equal(await service.api.outcome('/v1/ticker?symbol=BTCEUR'), '200');
    assert.equal((await service.metrics()).value('mdapi_feed_pairs_skipped'), 1);
    await eventually('it is stored, for the list of markets', () =>
      service.withStore(async ({ snapshots }) => (await snapshots.load('skippedPairs'))?.payload.includes('ADAEUR')),
    );
  });

  test('an empty catalogue delists nothing, however often it comes', async (t) => {
    const service = await ServiceHarness.start(t, { timing: { catalogueReloadMs: 200 } });
    await service.simulator.faults.set({ fault: 'catalogue-empty' });
    await eventually('three empty loads', async () => (await loadsOf(service, 'empty')) >= 3, 20_000);
    assert.deepEqual(
      [...new Set([...(await service.api.markets()).values()].map(({ status }) => status))],
      ['trading'],
    );
    assert.equal((await service.api.tickers()).size, allSymbols.length);
    assert.equal((await service.api.status()).status, 'operational');
  });
});

async function assertDelisted(service: ServiceHarness): Promise<void> {
  const markets = await service.api.markets();
  assert.deepEqual([markets.get('XRPEUR')?.status, markets.get('XRPCZK')?.status], ['delisted', 'delisted']);
  for (const symbol of ['XRPEUR', 'XRPCZK']) {
    assert.equal(await service.api.outcome(`/v1/ticker?symbol=${symbol}`), '404 UNKNOWN_SYMBOL');
    assert.ok(!(await service.api.tickers()).has(symbol));
  }
}
