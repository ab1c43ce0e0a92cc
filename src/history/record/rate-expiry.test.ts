import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { Markets } from '../../market/markets.ts';
import {
  conversionRate,
  everyEuroMarket,
  pricingPolicy,
  start,
  symbol,
  upstreamMarket,
  upstreamTicker,
} from '../../market/samples.testing.ts';
import { Publication } from './publication.ts';
import { Recorder } from './recorder.ts';

test('the end of a converted price with the validity of its rate is recorded when it comes, also of a rate that came after the start', async () => {
  const clock = new FakeClock();
  const markets = new Markets(pricingPolicy({ rateValidForMs: 2_000 }), everyEuroMarket);
  markets.catalogueLoaded([upstreamMarket('BTC')], start);
  markets.tickerReceived(upstreamTicker());
  const publication = new Publication();
  const told: (string | number | undefined)[][] = [];
  const send = (piece: Buffer) => {
    for (const { symbol: name, at, unpriced } of publication.read(piece).rows.quotes)
      if (name === symbol('BTCCZK')) told.push([at - start, unpriced ?? 'priced']);
  };
  const recorder = new Recorder({ markets, clock, channel: { send }, onGap: () => assert.fail('nothing is lost') });
  recorder.start([['process', '{}']]);
  await clock.advance(500);
  markets.rateRefreshed(conversionRate({ refreshedAt: clock.now() }));
  await clock.advance(10_000);
  recorder.stop();
  assert.deepEqual(told, [
    [0, 'no_rate'],
    [500, 'priced'],
    [2_500, 'no_rate'],
  ]);
});
