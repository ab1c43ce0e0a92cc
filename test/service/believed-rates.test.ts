import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { RateView } from '../../src/operator/rate.ts';
import { eventually } from '../support/eventually.ts';
import { startRateServer } from '../support/rate-server.ts';
import { ServiceHarness } from '../support/service-harness.ts';

const hourMs = 3_600_000;
const bound = { 'guard.ratePercent': '3', 'guard.rateCeilingPercent': '20' };
const right = '24.315';

async function withRate(t: TestContext, settings: Record<string, string>, compare?: string) {
  const service = await ServiceHarness.start(t, {
    settingsFrom: ({ cnbUrl }) => ({
      ...bound,
      ...settings,
      'rates.compare': compare ?? JSON.stringify({ source: 'cnb', url: cnbUrl }),
    }),
    before: (simulator) => simulator.setPrice({ symbol: 'BTC/EUR', bid: '50000.0', ask: '50000.1' }),
    untilLive: false,
  });
  await service.untilPriced('BTCEUR');
  const rate = async () =>
    ((await (await service.admin('/rates')).json()) as { rates: RateView[] }).rates.find(
      ({ quote }) => quote === 'CZK',
    )!;
  const conditions = async () => {
    const ready = (await (await service.admin('/readyz')).json()) as {
      conditions: { code: string; severity: string }[];
    };
    return ready.conditions
      .map(({ code, severity }) => `${code} ${severity}`)
      .filter((each) => each.startsWith('Rate'));
  };
  const outcome = () => service.api.outcome('/v1/ticker?symbol=BTCCZK');
  const price = async () => (await service.api.ticker('BTCCZK')).buyPrice;
  return { service, rate, conditions, outcome, price };
}

describe('a rate', { concurrency: true }, () => {
  test('the other way round is held over midnight, the end of the good one and a restart, told at once, and the right one is taken at once (fault row 87)', async (t) => {
    const source = await startRateServer(t, right);
    const { service, rate, conditions, outcome, price } = await withRate(t, source.settings);
    await service.untilPriced('BTCCZK');
    await eventually('the bank agrees', async () => (await rate()).confirmed);
    const good = await price();
    source.state.rate = '0.041127';
    await eventually('it is held', async () => (await rate()).held?.reason === 'ceiling');
    assert.deepEqual(await conditions(), ['RateDoubted critical']);
    const { mid, inverse, valid, held } = await rate();
    assert.deepEqual(
      [mid, inverse, valid, held?.mid, held?.changePercent],
      [right, '0.04112688', true, '0.041127', '-99.83'],
    );

    service.clock.shift(24 * hourMs);
    await source.untilRead();
    assert.equal(await price(), good, 'midnight is no fixing');
    await service.stopService();
    await service.startService();
    await service.untilPriced('BTCCZK');
    assert.equal((await rate()).held?.sinceMs, held?.sinceMs, 'what is held is known at once');
    await source.untilRead();
    assert.deepEqual([await price(), (await rate()).held?.mid], [good, '0.041127'], 'a restart confirms nothing');

    service.clock.shift(72 * hourMs);
    await source.untilRead();
    assert.equal(await outcome(), '503 MARKET_DATA_UNAVAILABLE', 'a rate that ran out is none, and confirms nothing');
    source.state.rate = '24.32';
    await eventually('the right one is taken', async () => (await rate()).valid, 40_000);
    assert.equal((await rate()).held, null);
  });

  test('a hundred times too high as the first ever is held beside a second source, until that or an operator says so (fault row 87)', async (t) => {
    const source = await startRateServer(t, '2431.5');
    const { service, rate, conditions, outcome, price } = await withRate(t, source.settings);
    await eventually('it is held', async () => (await rate()).held?.reason === 'contradicted');
    assert.equal(await outcome(), '503 MARKET_DATA_UNAVAILABLE');
    assert.ok((await conditions()).includes('RateDoubted critical'));
    const { second } = await rate();
    assert.deepEqual([second?.source, second?.mid, second?.differencePercent], ['cnb', '24.315', '9900.00']);
    await service.withStore((store) => store.rates.accept('CZK', '2431.5', service.clock.now()));
    await service.untilPriced('BTCCZK');
    assert.ok(Number(await price()) > 100_000_000, 'an operator’s word counts');
  });

  test('that was the first ever without any witness is noted, and gone at the first contradiction (fault row 87)', async (t) => {
    const source = await startRateServer(t, right);
    const { service, rate, conditions, outcome, price } = await withRate(t, source.settings, 'off');
    await service.untilPriced('BTCCZK');
    assert.deepEqual(await conditions(), ['RateUnconfirmed warning']);
    const good = await price();
    source.state.rate = '2431.5';
    await eventually('neither is used', async () => (await outcome()) === '503 MARKET_DATA_UNAVAILABLE');
    assert.equal((await rate()).held?.reason, 'unconfirmed');
    source.state.rate = right;
    await source.untilRead();
    assert.equal(await outcome(), '503 MARKET_DATA_UNAVAILABLE', 'coming back confirms nothing');
    await service.withStore((store) => store.rates.setHeld('CZK', service.clock.now()));
    await service.untilPriced('BTCCZK');
    assert.equal(await price(), good, 'the operator keeps it');
    await service.withStore((store) => store.rates.setHeld('CZK', undefined));
    await eventually('it is confirmed', async () => (await rate()).heldAt === null && (await rate()).confirmed);
    assert.deepEqual(await conditions(), []);
  });

  test('of an earlier fixing than the one in force, from a cache, is refused, named and counted, and prices do not go back (fault row 88)', async (t) => {
    const { service, rate, price } = await withRate(t, { 'rates.source': 'cnb' }, 'off');
    await service.untilPriced('BTCCZK');
    await service.withStore((store) => store.rates.accept('CZK', right, service.clock.now()));
    const { simulator } = service;
    const { fixingDate } = await rate();
    const before = new Date(Date.parse(`${fixingDate}T00:00:00Z`) - 24 * hourMs).toISOString().slice(0, 10);
    const good = await price();
    simulator.setRate('24.100');
    await simulator.faults.set({ fault: 'rate-stale', source: 'cnb', date: before });
    const refused = `refused: the fixing of ${before} is older than the one in force`;
    await eventually('it is refused', async () => (await rate()).lastOutcome === refused);
    assert.deepEqual([(await rate()).fixingDate, (await rate()).mid, await price()], [fixingDate, right, good]);
    assert.ok(service.logged.some((line) => line.includes('is older than the one in force')));
    assert.ok(((await service.metrics()).value('mdapi_rate_readings_total', { outcome: 'older' }) ?? 0) > 0);
    await simulator.faults.clear();
    await eventually('the newer one is taken', async () => (await rate()).mid === '24.100', 20_000);
  });
});
