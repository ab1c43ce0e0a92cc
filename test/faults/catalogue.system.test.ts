import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PendingMarkets } from '../../src/market/catalogue-review.ts';
import { loadPending, settle } from '../../src/operator/review.ts';
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
  // Two equal lists are believed, and then the markets that tick are not missing.
  await eventually('a load that is no evidence', async () => (await loadsOf(service, 'incomplete')) >= 1);
  const believed = await loadsOf(service, 'ok');
  await eventually('loads that are', async () => (await loadsOf(service, 'ok')) >= believed + 3);
  await eventually('nothing is missing', async () => (await missingOf(service, 'paused')) === 0);

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

test('invented pairs that come and go at each load are never offered, and what waits is noted until an operator settles it (fault row 97)', async (t) => {
  const service = await ServiceHarness.start(t, {
    settings: { 'markets.symbols': 'all' },
    untilLive: false,
    timing: { catalogueReloadMs: 200 },
  });
  await eventually('live', async () => (await service.api.status()).status === 'operational');
  const markets = [...(await service.api.markets()).keys()];
  const pending = async () => service.withStore(loadPending);
  const waiting = 'kraken lists 400 new markets at once; they wait for an operator';
  const isNoted = async () => {
    const { notes } = (await (await service.admin('/readyz')).json()) as { notes: string[] };
    return notes.some((note) => note.startsWith(waiting));
  };
  await service.simulator.faults.set({ fault: 'pair-flood', count: 400, changing: true });
  await eventually('growth waits', async () => (await pending()).length === 1);
  const [{ since }] = (await pending()) as [PendingMarkets];
  for (let round = 0; round < 3; round++) {
    const before = await loadsOf(service, 'ok');
    await service.simulator.faults.clear('pair-flood');
    await eventually('a load', async () => (await loadsOf(service, 'ok')) > before);
    await service.simulator.faults.set({ fault: 'pair-flood', count: 400, changing: true });
    await eventually('another', async () => (await loadsOf(service, 'ok')) > before + 1);
  }
  assert.deepEqual([...(await service.api.markets()).keys()], markets);
  assert.equal(await loadsOf(service, 'incomplete'), 0);
  assert.equal((await service.api.status()).status, 'operational');
  assert.equal(await isNoted(), true);
  const [waits] = await pending();
  assert.deepEqual([waits?.source, waits?.reason, waits?.count, waits?.since], ['kraken', 'growth', 400, since]);

  await service.simulator.faults.clear();
  await eventually('nothing waits any more', async () => (await pending()).length === 0);
  assert.equal(await isNoted(), false);

  await service.simulator.faults.set({ fault: 'pair-flood', count: 60 });
  await eventually('growth waits', async () => (await pending()).length === 1);
  const [growth] = (await pending()) as [PendingMarkets];
  await service.withStore((store) => settle(store, growth, 'accept', service.clock.now()));
  await eventually('accepted ones are offered', async () => {
    const now = await service.api.markets();
    return growth.symbols.every((symbol) => now.has(symbol) && now.has(symbol.replace('EUR', 'CZK')));
  });
});
