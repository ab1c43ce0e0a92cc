import assert from 'node:assert/strict';
import { test } from 'node:test';
import { durationBounds, RequestCounts } from './request-counts.ts';

test('answers are counted by route and status, and what they took in seconds, each in the first bucket that holds it', () => {
  const counts = new RequestCounts();
  for (const durationMs of [0.1, 0.2, 1_000, 1_001]) counts.answered('/v1/time', 200, durationMs);
  counts.answered('/v1/time', 401, 0);
  counts.answered('/v1/ticker', 200, 1);
  assert.deepEqual([...counts.byRouteAndStatus.get('/v1/time')!].sort(), [
    [200, 4],
    [401, 1],
  ]);
  assert.deepEqual([...counts.byRouteAndStatus.get('/v1/ticker')!], [[200, 1]]);
  const { counts: buckets, sumSeconds, count } = counts.durationsByRoute.get('/v1/time')!;
  assert.deepEqual(
    buckets,
    durationBounds.map((bound) => (bound === 0.0001 ? 2 : bound === 0.00025 || bound === 1 ? 1 : 0)),
  );
  assert.equal(count, 5);
  assert.ok(Math.abs(sumSeconds - 2.0013) < 1e-9);
});

test('problems, refusals of limits and shed requests are counted apart', () => {
  const counts = new RequestCounts();
  for (const code of ['NOT_FOUND', 'NOT_FOUND', 'BAD_REQUEST'] as const) counts.problem(code);
  for (const category of ['page', 'key', 'key'] as const) counts.limited(category);
  counts.wasShed();
  assert.deepEqual(
    [...counts.byCode],
    [
      ['NOT_FOUND', 2],
      ['BAD_REQUEST', 1],
    ],
  );
  assert.deepEqual(
    [...counts.limitedByCategory],
    [
      ['page', 1],
      ['key', 2],
    ],
  );
  assert.equal(counts.shed, 1);
});
