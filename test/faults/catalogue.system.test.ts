import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { ServiceHarness } from '../support/service-harness.ts';

async function loadsOf(service: ServiceHarness, outcome: string): Promise<number> {
  return (await service.metrics()).value('mdapi_feed_catalogue_loads_total', { outcome });
}

async function missingOf(service: ServiceHarness, state: 'paused' | 'held_back'): Promise<number> {
  return (await service.metrics()).value('mdapi_markets_missing', { state });
}

test('a catalogue that lacks many pairs delists nothing: those that tick trade on, the silent ones wait for the operator (fault row 54)', async (t) => {
  const service = await ServiceHarness.start(t, {
    settings: { 'markets.symbols': 'all', 'markets.delistAfter': '1h' },
    untilLive: false,
    timing: { catalogueReloadMs: 200 },
  });
  await eventually('live', async () => (await service.api.status()).status === 'operational');
  const markets = [...(await service.api.markets()).values()];
  const pairs = markets.filter(({ quote }) => quote === 'EUR').map(({ base }) => `${base}/EUR`);
  const total = markets.length;

  await service.simulator.faults.set({
    fault: 'pair-unlisted',
    symbol: pairs.slice(0, Math.ceil(pairs.length * 0.6)),
  });
  await eventually('loads that are no evidence', async () => (await loadsOf(service, 'incomplete')) >= 4);
  assert.equal(await missingOf(service, 'paused'), 0);

  await service.simulator.faults.clear('pair-unlisted');
  await service.simulator.faults.set({ fault: 'pair-unlisted', symbol: pairs.slice(0, 20) });
  for (let hour = 0; hour < 3; hour++) {
    const before = await loadsOf(service, 'ok');
    service.clock.shift(3_600_000);
    await eventually('loads', async () => (await loadsOf(service, 'ok')) >= before + 2);
  }
  const statuses = [...(await service.api.markets()).values()].map(({ status }) => status);
  assert.equal(statuses.length, total);
  assert.ok(!statuses.includes('delisted'));

  await service.simulator.faults.set({ fault: 'pair-delist', symbol: pairs.slice(0, 8) });
  await eventually('eight are missing', async () => (await missingOf(service, 'paused')) >= 8);
  service.clock.shift(3_600_000);
  await eventually('a load', async () => (await missingOf(service, 'held_back')) >= 8);
  await eventually('the log says so', () => service.logged.some((line) => line.includes('delisting is held back')));
  await service.withStore(async ({ audit, markets }) => {
    assert.ok((await markets.list()).every(({ delistedAt }) => delistedAt === undefined));
    const { items } = await audit.page({ limit: 100 });
    assert.equal(items.filter(({ actor, action }) => actor === 'service' && action === 'market.hold_back').length, 8);
  });

  await service.simulator.faults.clear();
  await eventually('all back by itself', async () => {
    const now = [...(await service.api.markets()).values()];
    return now.every(({ status }) => status === 'trading') && now.length === total;
  });
});
