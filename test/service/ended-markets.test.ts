import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MarketToSave } from '../../src/store/markets.ts';
import { eventually } from '../support/eventually.ts';
import { ServiceHarness } from '../support/service-harness.ts';

/** A third of what the exchange lists, as 433 of Binance's 1,695 were. */
const ended = ['BCH', 'XLM', 'USDT', 'ADA', 'DOT', 'LTC', 'DOGE'];
const hourMs = 3_600_000;

function former(base: string): MarketToSave {
  const names = { symbol: `${base}EUR`, base, quote: 'EUR', via: undefined, upstreamStatus: 'paused' } as const;
  const terms = { pricePrecision: 2, amountPrecision: 8, tickSize: '0.01', minOrderSize: '0.5', minOrderValue: '0.45' };
  return { ...names, ...terms, absence: undefined, delistedAt: undefined };
}

test('a service on an exchange that lists its dead for years offers none of them, is well, and delists what ends while it runs (fault row 95)', async (t) => {
  const end = (bases: readonly string[]) =>
    ({ fault: 'pair-end', symbol: bases.map((base) => `${base}/EUR`) }) as const;
  const service = await ServiceHarness.start(t, {
    simulator: { dialect: 'binance', markets: 21 },
    before: ({ faults }) => faults.set(end(ended)),
    settingsFrom: ({ restUrl, wsUrl }) => ({
      sources: JSON.stringify([{ id: 'binance', urls: { rest: restUrl, ws: wsUrl } }]),
      'markets.symbols': 'all',
      'markets.delistAfter': '1h',
    }),
    timing: { catalogueReloadMs: 200 },
    untilLive: false,
  });
  const listed = async () => [...(await service.api.markets()).keys()].filter((symbol) => symbol.endsWith('EUR'));
  const stored = () => service.withStore(async ({ markets }) => (await markets.list()).map(({ symbol }) => symbol));
  const ready = async () =>
    (await (await service.admin('/readyz')).json()) as { readonly conditions?: readonly { code: string }[] };
  const isPriced = async () => (await service.api.tickers()).size === 28;
  const ticker = async (symbol: string) => (await service.api.get(`/v1/ticker?symbol=${symbol}`)).status;
  const isWell = async () => {
    assert.equal((await listed()).length, 14);
    for (const symbol of ['BCHEUR', 'BCHCZK']) assert.equal(await ticker(symbol), 404);
    const metrics = await service.metrics();
    assert.equal(metrics.value('mdapi_markets', { status: 'paused' }), 0);
    assert.equal(metrics.value('mdapi_markets_expected', { price: 'unpriced' }), 0);
    assert.equal(metrics.value('mdapi_markets_expected', { price: 'priced' }), 28);
    assert.deepEqual((await ready()).conditions ?? [], []);
  };
  await eventually('all that trade are priced', isPriced);
  await eventually('live', async () => (await service.api.status()).status === 'operational');
  await isWell();

  await service.stopService();
  await service.withStore(({ markets }) => markets.upsertMany(ended.map(former)));
  await service.startService();
  await eventually('what a former version left is gone', async () => !(await stored()).includes('BCHEUR'));
  await eventually('all that trade are priced', isPriced);
  await eventually('live', async () => (await service.api.status()).status === 'operational');
  await isWell();

  await service.simulator.faults.set(end([...ended, 'BTC']));
  const status = async (symbol: string) => (await service.api.markets()).get(symbol)?.status;
  await eventually('the pause', async () => (await status('BTCEUR')) === 'paused');
  assert.equal(await ticker('BTCEUR'), 200, 'at its last price');
  const loads = async () => (await service.metrics()).value('mdapi_feed_catalogue_loads_total', { outcome: 'ok' });
  for (let hour = 0; hour < 2; hour++) {
    const before = await loads();
    service.clock.shift(hourMs);
    await eventually('loads', async () => (await loads()) >= before + 2);
  }
  await eventually('the end', async () => (await status('BTCEUR')) === 'delisted');
  assert.equal(await ticker('BTCEUR'), 404);

  await service.simulator.faults.clear();
  await eventually('life', async () => (await status('BCHEUR')) === 'trading');
  await service.untilPriced('BCHEUR');
  assert.equal(await status('BTCEUR'), 'delisted', 'for good');
});
