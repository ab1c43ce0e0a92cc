import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Counter } from 'prom-client';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { fromYaml } from '../configuration/configuration.testing.ts';
import { adminParts, inRedis } from '../management/parts.testing.ts';
import { Guard } from '../market/guard.ts';
import { BTCEUR, threeLive } from '../market/market-rig.testing.ts';
import { Markets } from '../market/markets.ts';
import {
  conversionRate,
  decimal,
  everyEuroMarket,
  pricingPolicy,
  symbol,
  upstreamMarket,
  upstreamTicker,
} from '../market/samples.testing.ts';
import { FeedStatus } from '../market/service-status.ts';
import { metricGroups, metricsRegistry } from './metrics.ts';

test('the age of the market data is absent while there never was any', async () => {
  const clock = new FakeClock();
  const feedStatus = new FeedStatus();
  const registry = metricsRegistry(adminParts({ clock, feedStatus }));
  const samples = async () => {
    const text = await registry.getSingleMetricAsString('mdapi_market_data_age_seconds');
    return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  };
  assert.deepEqual(await samples(), []);
  feedStatus.feedCurrent('live', clock.now(), clock.monotonicMs());
  await clock.advance(2_500);
  assert.deepEqual(await samples(), ['mdapi_market_data_age_seconds 2.5']);
});

test('each exchange market with a price has its spread, each held one and what is made of it why it is held, and each quote its rate', async () => {
  const clock = new FakeClock();
  const configuration = fromYaml('pricing: { converted: { CZK: { via: EUR, marginPercent: "1" } } }');
  const markets = new Markets(pricingPolicy(configuration.pricing), everyEuroMarket);
  const bases = ['BTC', 'ETH', 'XRP'];
  markets.catalogueLoaded(
    bases.map((base) => upstreamMarket(base)),
    clock.now(),
  );
  for (const base of ['BTC', 'XRP']) {
    const prices = { bid: decimal('99'), ask: decimal('101'), high24h: decimal('101'), low24h: decimal('99') };
    markets.tickerReceived(upstreamTicker({ symbol: symbol(`${base}EUR`), ...prices, receivedAt: clock.now() }));
  }
  markets.applyControls([{ symbol: symbol('XRPEUR'), operatorPaused: false, delistedAt: clock.now() }]);
  markets.rateRefreshed(conversionRate({ refreshedAt: clock.now() }));
  markets.applyHolds([{ symbol: BTCEUR, heldAt: clock.now(), acceptedAt: undefined }]);
  const registry = metricsRegistry(adminParts({ clock, markets, configuration }));
  const held = (name: string) => ['BTCCZK', 'BTCEUR'].map((of) => `${name}{market="${of}",reason="operator"} 1`);
  for (const [name, expected] of [
    ['mdapi_rate_value', ['mdapi_rate_value{quote="CZK"} 24.315']],
    ['mdapi_market_spread_ratio', ['mdapi_market_spread_ratio{market="BTCEUR"} 0.02']],
    ['mdapi_market_withheld', held('mdapi_market_withheld')],
    ['mdapi_market_held', held('mdapi_market_held')],
  ] as const) {
    const text = await registry.getSingleMetricAsString(name);
    assert.deepEqual(text.split('\n').slice(2), expected);
  }
});

test('doubted markets are counted by source and reason while they are doubted, also of sources not in use', async () => {
  const rig = threeLive({ returnAfterMs: 0 });
  const clock = new FakeClock();
  const registry = metricsRegistry(adminParts({ clock, markets: rig.markets }));
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
  const { counts } = new Guard(fromYaml('').guard);
  const registry = metricsRegistry(adminParts({ guard: { counts: { ...counts, jump: 3 } } }));
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
  const registry = metricsRegistry(adminParts({ sharedLimits: () => inRedis }));
  for (const name of names) {
    const metric = registry.getSingleMetric(`mdapi_${name}`);
    assert.ok(metric !== undefined, name);
    const { type } = metric as unknown as { readonly type?: string };
    if (type !== 'histogram') assert.equal(metric instanceof Counter, name.endsWith('_total'), name);
  }
});
