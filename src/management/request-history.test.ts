import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock, seededRandomness } from '../../test/support/fake-clock.ts';
import { silentLog } from '../ground/log.ts';
import { RequestCounts } from '../http/request-counts.ts';
import type { RequestMinute } from '../store/request-minutes.ts';
import { minutesMax, RequestHistory } from './request-history.ts';

const minuteMs = 60_000;
let processes = 0;

function memoryStore() {
  const rows: RequestMinute[] = [];
  const state = { isLost: false };
  const answer = <T>(value: () => T) => {
    if (state.isLost) return Promise.reject(new Error('the store is lost'));
    return Promise.resolve(value());
  };
  return {
    rows,
    state,
    add: (minutes: readonly RequestMinute[]) => answer(() => void rows.push(...minutes)),
    between: (after: number, until: number) => answer(() => rows.filter(({ at }) => at > after && at <= until)),
  };
}

/** A process that runs. */
function processOn(clock: FakeClock, store = memoryStore(), held = () => 0) {
  const counts = new RequestCounts();
  const randomness = seededRandomness(++processes);
  const history = new RequestHistory({ counts, held, store, clock, randomness, log: silentLog });
  history.start();
  const answer = (times: number, ms = 1) => {
    for (let count = 0; count < times; count++) counts.answered('/v1/time', 200, ms);
  };
  return { counts, history, answer };
}

test('each minute has its own requests, errors by code, latency and held prices, for 24 hours', async () => {
  const clock = new FakeClock();
  let held = 0;
  const { counts, history } = processOn(clock, memoryStore(), () => held);
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
  await history.stop();
});

test('the rate is of the last ten seconds, and 0 before a second has passed', async () => {
  const clock = new FakeClock();
  const { history: rate, answer } = processOn(clock);
  answer(50);
  assert.deepEqual([rate.total(), rate.perSecond()], [50, 0]);
  await clock.advance(5_000);
  assert.equal(rate.perSecond(), 10);
  await clock.advance(20_000);
  assert.equal(rate.perSecond(), 0);
  answer(25);
  await clock.advance(1_000);
  assert.ok(rate.perSecond() >= 2.4 && rate.perSecond() <= 2.8, `${rate.perSecond()}`);
  await rate.stop();
  assert.equal(clock.pendingTimers, 0);
});

test('the minutes of a day survive a restart, the one that had begun too, and where no process ran there are none', async () => {
  const clock = new FakeClock();
  const store = memoryStore();
  const start = clock.now();
  const before = processOn(clock, store);
  before.answer(7);
  before.counts.problem('UNKNOWN_SYMBOL');
  await clock.advance(minuteMs);
  before.answer(3);
  await clock.advance(20_000);
  await before.history.stop();
  await clock.advance(10 * minuteMs);
  const { history, answer } = processOn(clock, store);
  answer(5);
  await clock.advance(minuteMs);
  assert.deepEqual(
    history.minutesSince(0).map(({ atMs, requests, errors }) => [(atMs - start) / minuteMs, requests, errors]),
    [
      [1, 7, { UNKNOWN_SYMBOL: 1 }],
      [2, 3, {}],
      [12, 5, {}],
    ],
  );
  await clock.advance(minutesMax * minuteMs);
  assert.ok(history.minutesSince(0).every(({ atMs }) => atMs > start + 12 * minuteMs));
  await history.stop();
});

test('the minutes of several processes are summed, their answer times bucket by bucket', async () => {
  const clock = new FakeClock();
  const store = memoryStore();
  const [one, other] = [processOn(clock, store, () => 2), processOn(clock, store, () => 1)];
  one.answer(90, 0.4);
  other.answer(10, 200);
  other.counts.problem('UNKNOWN_SYMBOL');
  await clock.advance(minuteMs + 10_000);
  const [minute] = one.history.minutesSince(0);
  assert.deepEqual(other.history.minutesSince(0), [minute]);
  assert.deepEqual([minute?.requests, minute?.errors, minute?.held], [100, { UNKNOWN_SYMBOL: 1 }, 2]);
  assert.ok(minute!.p50Ms! <= 0.5 && minute!.p99Ms! > 100, `${minute?.p50Ms}, ${minute?.p99Ms}`);
  await one.history.stop();
  await other.history.stop();
});

test('a store that is lost loses no minute that it misses for less than ten, and holds up nothing', async () => {
  const clock = new FakeClock();
  const store = memoryStore();
  const { history, answer } = processOn(clock, store);
  store.state.isLost = true;
  for (let minute = 0; minute < 3; minute++) {
    answer(1);
    await clock.advance(minuteMs);
  }
  assert.deepEqual([history.minutesSince(0).length, store.rows.length], [3, 0]);
  store.state.isLost = false;
  await clock.advance(minuteMs);
  await clock.advance(10_000);
  assert.deepEqual(
    store.rows.map(({ answers }) => Object.values(answers)),
    [[1], [1], [1], []],
  );
  await history.stop();
});
