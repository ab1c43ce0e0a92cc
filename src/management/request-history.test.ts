import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { RequestCounts } from '../http/request-counts.ts';
import { minutesMax, RequestHistory } from './request-history.ts';

const minuteMs = 60_000;

test('each minute has its own requests, errors by code, latency and held prices, for 24 hours', async () => {
  const clock = new FakeClock();
  const counts = new RequestCounts();
  let held = 0;
  const history = new RequestHistory(counts, () => held, clock);
  const start = clock.now();
  for (let count = 0; count < 99; count++) counts.answered('/v1/time', 200, 0.4);
  counts.answered('/v1/tickers', 503, 5_000);
  counts.problem('MARKET_DATA_UNAVAILABLE');
  await clock.advance(minuteMs);
  held = 2;
  counts.answered('/v1/time', 200, 0.4);
  await clock.advance(minuteMs);
  await clock.advance(minuteMs);
  const [first, second, third] = history.minutesSince(0);
  const { p50Ms, p99Ms, ...rest } = first!;
  assert.deepEqual(rest, {
    atMs: start + minuteMs,
    requests: 100,
    errors: { MARKET_DATA_UNAVAILABLE: 1 },
    held: 0,
  });
  assert.ok(p50Ms! > 0.25 && p50Ms! < p99Ms! && p99Ms! <= 0.5, `${p50Ms}, ${p99Ms}`);
  assert.deepEqual([second?.requests, second?.errors, second?.held], [1, {}, 2]);
  assert.deepEqual([third?.requests, third?.p50Ms, third?.p99Ms], [0, null, null]);
  assert.deepEqual(history.minutesSince(start + 2 * minuteMs), [third]);
  await clock.advance(minutesMax * minuteMs);
  assert.equal(history.minutesSince(0).length, minutesMax);
  history.stop();
});

test('the rate is of the last ten seconds, and 0 before a second has passed', async () => {
  const clock = new FakeClock();
  const counts = new RequestCounts();
  const rate = new RequestHistory(counts, () => 0, clock);
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
