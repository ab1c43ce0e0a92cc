import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { RequestCounts } from '../http/request-counts.ts';
import { RequestRate } from './request-rate.ts';

test('the rate is of the last ten seconds, and 0 before a second has passed', async () => {
  const clock = new FakeClock();
  const counts = new RequestCounts();
  const rate = new RequestRate(counts, clock);
  const answer = (times: number) => {
    for (let count = 0; count < times; count++) counts.answered('/v1/time', 200, 1);
  };
  answer(50);
  assert.deepEqual([rate.total(), rate.perSecond()], [50, 0]);
  await clock.advance(5_000);
  assert.equal(rate.perSecond(), 10);
  await clock.advance(20_000);
  assert.equal(rate.perSecond(), 0);
  answer(25);
  await clock.advance(1_000);
  assert.ok(rate.perSecond() >= 2.4 && rate.perSecond() <= 2.8, `${rate.perSecond()}`);
  rate.stop();
  assert.equal(clock.pendingTimers, 0);
});
