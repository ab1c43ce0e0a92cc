import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PriceReport } from '../../src/operator/price.ts';
import { eventually } from '../support/eventually.ts';
import { ServiceHarness } from '../support/service-harness.ts';

const confirmAfterMs = 4_000;
const settings = {
  'guard.jumpPercent': '10',
  'guard.spreadPercent': '10',
  'guard.ratePercent': '3',
  'guard.confirmAfter': `${confirmAfterMs}ms`,
};

/** A service whose BTCEUR is at 50000.0 / 50000.1, whatever the simulated market was at. */
async function guarded(t: Parameters<typeof ServiceHarness.start>[0]) {
  const service = await ServiceHarness.start(t, {
    settings,
    before: (simulator) => simulator.setPrice({ symbol: 'BTC/EUR', bid: '50000.0', ask: '50000.1' }),
  });
  const { simulator } = service;
  const price = async (symbol: string): Promise<PriceReport> => {
    return (await service.admin(`/prices/${symbol}`)).json() as Promise<PriceReport>;
  };
  const set = (bid: string, ask: string) => simulator.setPrice({ symbol: 'BTC/EUR', bid, ask });
  const served = async () => (await service.api.tickers()).get('BTCEUR')?.buyPrice;
  return { service, simulator, price, set, served };
}

describe('while the exchange or the rate source sends what cannot be', () => {
  it('the served price stays the last good one (fault row 55)', async (t) => {
    const { service, simulator, price, set } = await guarded(t);
    const good = await price('BTCEUR');
    assert.deepEqual([good.bid, good.ask, good.held], ['50000.0', '50000.1', []]);
    for (const [bid, ask, reason] of [
      ['50000000.0', '50000100.0', 'jump'],
      ['50.0', '50.1', 'jump'],
      ['1.0', '100000.0', 'range'],
      ['45000.0', '55000.0', 'spread'],
    ] as const) {
      set(bid, ask);
      await eventually(`${bid} / ${ask} is held`, async () => (await price('BTCEUR')).held[0]?.reason === reason);
      const held = await price('BTCEUR');
      assert.deepEqual(held.held[0]?.values, [bid, ask]);
      const { timestampMs, bid: servedBid, ask: servedAsk } = held;
      assert.deepEqual([servedBid, servedAsk], ['50000.0', '50000.1']);
      assert.equal((await service.api.tickers()).get('BTCEUR')?.timestampMs, timestampMs, 'with its own time');
      set('50000.0', '50000.1');
      await eventually('nothing is held', async () => (await price('BTCEUR')).held.length === 0);
    }

    const before = await service.metrics();
    const refused = (metrics = before) =>
      metrics.value('mdapi_feed_tickers_rejected_total', { reason: 'absurd_digits' }) ?? 0;
    for (const field of ['bid', 'ask']) {
      await simulator.faults.set({ fault: 'bad-value', symbol: 'BTC/EUR', field, value: '1e60' });
    }
    await eventually('61 digits are refused', async () => refused(await service.metrics()) > refused());
    assert.equal((await price('BTCEUR')).ask, '50000.1');
    await simulator.faults.clear('bad-value');

    const { rate } = await price('BTCCZK');
    simulator.setRate('2.4315');
    await eventually('the rate is held', async () => (await price('BTCCZK')).held[0]?.reason === 'rate');
    assert.equal((await price('BTCCZK')).rate?.mid, rate?.mid);
    const metrics = await service.metrics();
    assert.equal(metrics.value('mdapi_guard_held_markets', { holder: 'guard' }), 4, 'each CZK market');
    assert.ok(service.logged.some((line) => line.includes('a rate is doubted')));
    simulator.setRate(undefined);
    await eventually('the rate is good', async () => (await price('BTCCZK')).held.length === 0);
  });

  it('a spread over half the price is not taken however long live and REST agree on it (fault row 55)', async (t) => {
    const { service, price, set } = await guarded(t);
    set('1.0', '1000000.0');
    await eventually('it is held', async () => (await price('BTCEUR')).held.length > 0);
    const since = (await price('BTCEUR')).held[0]?.sinceMs ?? 0;
    await eventually('the level lasts', () => service.clock.now() > since + 2 * confirmAfterMs, 20_000);
    assert.equal((await price('BTCEUR')).ask, '50000.1');
  });
});

describe('a real crash', () => {
  it('in steps of a few percent is served step by step (fault row 55)', async (t) => {
    const { set, served, price } = await guarded(t);
    for (let bid = 50_000; bid > 30_000; bid = Math.floor(bid * 0.95)) {
      set(`${bid}.0`, `${bid}.1`);
      await eventually(`${bid} is served`, async () => (await price('BTCEUR')).bid === `${bid}.0`);
    }
    assert.ok(Number(await served()) < 33_000);
  });

  it('to a level that stays is served once the guard has confirmed it (fault row 55)', async (t) => {
    const { service, set, price } = await guarded(t);
    set('35000.0', '35000.1');
    await eventually('it is held', async () => (await price('BTCEUR')).held.length > 0);
    const since = (await price('BTCEUR')).held[0]?.sinceMs ?? 0;
    await eventually('it is served', async () => (await price('BTCEUR')).bid === '35000.0', 20_000);
    const tookMs = service.clock.now() - since;
    assert.ok(tookMs >= confirmAfterMs && tookMs < confirmAfterMs + 2_500, `${tookMs} ms`);
  });
});

describe('an operator', () => {
  it('takes what is held, and freezes all prices as they are (fault row 55)', async (t) => {
    const { service, set, price } = await guarded(t);
    set('45000.0', '85000.0');
    await eventually('it is held', async () => (await price('BTCEUR')).held.length > 0);
    await eventually('markets are saved', () =>
      service.withStore(async (store) => (await store.markets.list()).length === 8),
    );
    await service.withStore((store) => store.markets.acceptDoubted('BTCEUR', service.clock.now()));
    await eventually('it is served', async () => (await price('BTCEUR')).ask === '85000.0');

    const all = await service.withStore((store) => store.markets.setAllHeld(service.clock.now()));
    assert.equal(all, 8);
    await eventually('prices are on hold', async () => (await price('ETHCZK')).held.length === 2);
    const withoutSources = async () => ({ ...(await price('ETHCZK')), sources: undefined });
    const frozen = await withoutSources();
    set('45100.0', '85100.0');
    await eventually('ticks are kept out', async () => {
      return ((await service.metrics()).value('mdapi_feed_tickers_rejected_total', { reason: 'on_hold' }) ?? 0) > 20;
    });
    assert.deepEqual(await withoutSources(), frozen);
    assert.equal((await price('BTCEUR')).ask, '85000.0');
    await service.stopService();
    await service.startService();
    assert.equal((await price('BTCEUR')).held[0]?.reason, 'operator', 'also after a restart');
    await service.withStore((store) => store.markets.setAllHeld(undefined));
    await eventually('prices move', async () => (await price('BTCEUR')).ask === '85100.0');
  });
});
