import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Counter } from 'prom-client';
import { FakeClock } from '../../test/support/fake-clock.ts';
import type { AdminParts } from '../management/parts.ts';
import { BTCEUR, threeLive } from '../market/market-rig.testing.ts';
import { FeedStatus } from '../market/service-status.ts';
import { metricGroups, metricsRegistry } from './metrics.ts';

const configuration = { markets: { delistAfterMs: 1 }, pricing: { converted: new Map() } };

test('the age of the market data is absent while there never was any', async () => {
  const clock = new FakeClock();
  const feedStatus = new FeedStatus();
  const parts = { clock, market: { feedStatus }, sharedLimits: () => undefined };
  const registry = metricsRegistry(parts as unknown as AdminParts);
  const samples = async () => {
    const text = await registry.getSingleMetricAsString('mdapi_market_data_age_seconds');
    return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  };
  assert.deepEqual(await samples(), []);
  feedStatus.feedCurrent('live', clock.now(), clock.monotonicMs());
  await clock.advance(2_500);
  assert.deepEqual(await samples(), ['mdapi_market_data_age_seconds 2.5']);
});

test('each exchange market has its spread, each held one why it is held, and each quote its rate', async () => {
  const clock = new FakeClock();
  const offered = (symbol: string, more: object) => ({ symbol, status: 'trading', isConverted: false, ...more });
  const markets = {
    catalogue: {
      listed: () => [
        offered('BTCEUR', {}),
        offered('BTCCZK', { isConverted: true }),
        offered('ETHEUR', {}),
        offered('XRPEUR', { status: 'delisted' }),
      ],
    },
    contents: () => ({
      tickers: new Map([
        ['BTCEUR', { bid: '99', ask: '101' }],
        ['XRPEUR', { bid: '1', ask: '2' }],
      ]),
    }),
    withheldFor: ({ symbol }: { symbol: string }) => (symbol === 'BTCEUR' ? [{ reason: 'jump' }] : []),
    rate: () => ({ rate: { mid: '24.315', refreshedAt: clock.now() }, validUntil: clock.now() }),
  };
  const parts = {
    clock,
    market: { markets },
    configuration: { markets: { delistAfterMs: 1 }, pricing: { converted: new Map([['CZK', {}]]) } },
    sharedLimits: () => undefined,
  };
  const registry = metricsRegistry(parts as unknown as AdminParts);
  for (const [name, expected] of [
    ['rate_value', 'mdapi_rate_value{quote="CZK"} 24.315'],
    ['market_spread_ratio', 'mdapi_market_spread_ratio{market="BTCEUR"} 0.02'],
    ['market_withheld', 'mdapi_market_withheld{market="BTCEUR",reason="jump"} 1'],
    ['market_held', 'mdapi_market_held{market="BTCEUR",reason="jump"} 1'],
  ]) {
    const text = await registry.getSingleMetricAsString(`mdapi_${name}`);
    assert.deepEqual(text.split('\n').slice(2), [expected]);
  }
});

test('doubted markets are counted by source and reason while they are doubted, also of sources not in use', async () => {
  const rig = threeLive({ returnAfterMs: 0 });
  const clock = new FakeClock();
  const parts = { clock, market: { markets: rig.markets }, configuration, sharedLimits: () => undefined };
  const registry = metricsRegistry(parts as unknown as AdminParts);
  const samples = async () =>
    (await registry.getSingleMetricAsString('mdapi_doubted_markets')).split('\n').filter((line) => /^[a-z]/.test(line));
  assert.deepEqual(await samples(), []);
  rig.tick('three', '88200');
  rig.review();
  assert.deepEqual(await samples(), ['mdapi_doubted_markets{source="three",reason="contradicted"} 1']);
  rig.markets.applyHolds([{ symbol: BTCEUR, heldAt: undefined, acceptedAt: clock.now() }]);
  assert.deepEqual(await samples(), []);
});

test('the former names of the metrics of doubts stay for one version, with the same values, and name their successors', async () => {
  const markets = { catalogue: { listed: () => [] } };
  const market = { markets, guard: { counts: { jump: 3 } } };
  const parts = { clock: new FakeClock(), market, configuration, sharedLimits: () => undefined };
  const registry = metricsRegistry(parts as unknown as AdminParts);
  for (const [former, name] of [
    ['mdapi_guard_held_markets', 'mdapi_withheld_markets'],
    ['mdapi_guard_held_total', 'mdapi_doubts_total'],
    ['mdapi_market_held', 'mdapi_market_withheld'],
  ] as const) {
    const [help = '', , ...values] = (await registry.getSingleMetricAsString(former)).split('\n');
    assert.match(help, new RegExp(`Its former name, for one version: use ${name}\\.`));
    const [, , ...successors] = (await registry.getSingleMetricAsString(name)).split('\n');
    assert.deepEqual(
      values,
      successors.map((line) => line.replace(name, former)),
    );
  }
});

test('every metric is declared once, and a name that ends in _total is that of a counter', async () => {
  const names = metricGroups.flatMap(({ metrics, histograms = [] }) =>
    [...metrics, ...histograms].map(({ name }) => name),
  );
  assert.equal(new Set(names).size, names.length);
  const parts = { sharedLimits: () => ({}) };
  const registry = metricsRegistry(parts as unknown as AdminParts);
  for (const name of names) {
    const metric = registry.getSingleMetric(`mdapi_${name}`);
    assert.ok(metric !== undefined, name);
    const { type } = metric as unknown as { readonly type?: string };
    if (type !== 'histogram') assert.equal(metric instanceof Counter, name.endsWith('_total'), name);
  }
});
