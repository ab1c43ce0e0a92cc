import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { FeedStatus } from '../market/service-status.ts';
import { metricsRegistry } from './metrics.ts';
import type { AdminParts } from './sources.ts';

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
