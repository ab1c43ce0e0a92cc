import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { silentLog } from '../ground/log.ts';
import { Markets } from './markets.ts';
import { after, decimal, everyEuroMarket, pricingPolicy, start } from './samples.testing.ts';
import { watchTerms } from './term-watch.ts';
import type { Term } from './terms.ts';

const fee = (id: string, fromMs: number): Term => {
  return {
    id,
    from: after(start, fromMs),
    scope: 'service',
    subject: undefined,
    values: { feePercent: decimal('0.4') },
  };
};

test('terms begin on their instant where nobody reads a price, also one that comes later and begins sooner', async () => {
  const clock = new FakeClock();
  const markets = new Markets(pricingPolicy(), everyEuroMarket);
  const began: number[] = [];
  const said: object[] = [];
  const watch = watchTerms(markets, clock, { ...silentLog, info: (fields: object) => void said.push(fields) });
  markets.observe({ marketsChanged: () => began.push(clock.now() - start) });
  markets.applyTerms([fee('a', 90_500)], clock.now());
  await clock.advance(3_100);
  markets.applyTerms([fee('a', 90_500), fee('b', 5_123)], clock.now());
  began.length = 0;
  await clock.advance(90_000);
  assert.deepEqual(began, [5_123, 90_500]);
  assert.equal(said.length, 2);
  watch.cancel();
  assert.equal(clock.pendingTimers, 0);
});
