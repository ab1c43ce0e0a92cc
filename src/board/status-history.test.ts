import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochMs } from '../ground/clock.ts';
import { dayOf, firstDayAt, splitByDay } from './status-history.ts';

const at = (text: string) => Date.parse(`2026-${text}Z`) as EpochMs;

test('a day begins at midnight in UTC and ends with the last millisecond before the next', () => {
  assert.equal(dayOf(at('11-21T00:00:00.000')), at('11-21T00:00:00'));
  assert.equal(dayOf(at('11-21T23:59:59.999')), at('11-21T00:00:00'));
});

test('ninety days are kept, that of today the last', () => {
  assert.equal(firstDayAt(at('11-21T12:00:00')), at('08-24T00:00:00'));
});

test('a span is cut at every midnight, and its parts last as long as it', () => {
  const minuteMs = 60_000;
  assert.deepEqual(splitByDay(at('11-20T23:59:00'), at('11-22T00:02:00')), [
    { day: at('11-20T00:00:00'), durationMs: minuteMs },
    { day: at('11-21T00:00:00'), durationMs: 24 * 60 * minuteMs },
    { day: at('11-22T00:00:00'), durationMs: 2 * minuteMs },
  ]);
  assert.deepEqual(splitByDay(at('11-20T10:00:00'), at('11-21T00:00:00')).length, 1, 'midnight itself is the next day');
  assert.deepEqual(splitByDay(at('11-20T10:00:00'), at('11-20T10:00:00')), []);
  assert.deepEqual(splitByDay(at('11-20T10:00:00'), at('11-20T09:00:00')), []);
});
