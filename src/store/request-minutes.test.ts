import assert from 'node:assert/strict';
import type { EpochMs } from '../ground/clock.ts';
import type { RequestMinute } from './request-minutes.ts';
import { openEngine, storeTest } from './store.testing.ts';

const end = Date.parse('2026-11-20T10:01:00.000Z') as EpochMs;
const later = (minutes: number) => (end + minutes * 60_000) as EpochMs;
const minute: RequestMinute = {
  process: 'one',
  at: end,
  answers: { 0.0005: 90, '+Inf': 1 },
  errors: { UNKNOWN_SYMBOL: 3 },
  held: 0,
};

storeTest('minutes come back as they were, oldest first, each of a process once, and old ones go', async (t) => {
  const { store, openAnother } = await openEngine(t);
  const { requestMinutes } = store;
  const next = { ...minute, at: later(1), answers: {}, errors: {}, held: 4 };
  await requestMinutes.add([next, minute], later(-1));
  const beside = await openAnother();
  await beside.requestMinutes.add([{ ...minute, process: 'other' }, minute], later(-1));
  assert.deepEqual(await requestMinutes.between(later(-1), later(1)), [minute, { ...minute, process: 'other' }, next]);
  assert.deepEqual(await requestMinutes.between(end, later(1)), [next]);
  assert.deepEqual(await requestMinutes.between(later(-1), end), [minute, { ...minute, process: 'other' }]);
  await requestMinutes.add([{ ...next, at: later(2) }], later(1));
  assert.deepEqual(
    (await requestMinutes.between(later(-1), later(5))).map(({ at }) => at),
    [later(1), later(2)],
  );
  await requestMinutes.add([], later(5));
});
