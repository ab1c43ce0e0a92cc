import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandomness } from '../support/fake-clock.ts';
import { minima, quantile, theilSen } from './statistics.ts';

test('the slope of a line is found under noise and outliers, and lies within its interval', () => {
  const { fraction } = seededRandomness(5);
  const points = Array.from({ length: 100 }, (_, x) => {
    const noise = fraction() - 0.5;
    return [x, 3 + 0.25 * x + (x % 10 === 0 ? 500 : noise)] as const;
  });
  const { estimate, low, high } = theilSen(points);
  assert.ok(Math.abs(estimate - 0.25) < 0.02, `${estimate}`);
  assert.ok(low <= 0.25 && high >= 0.25 && low > 0.2 && high < 0.3, `${low} to ${high}`);
});

test('noise around a level has no slope to be sure of', () => {
  const { fraction } = seededRandomness(6);
  const { low, high } = theilSen(Array.from({ length: 60 }, (_, x) => [x, fraction()]));
  assert.ok(low < 0 && high > 0);
});

test('the least of each whole stretch stands for it', () => {
  const points = [5, 3, 4, 9, 7, 8, 1].map((y, x) => [x, y] as const);
  assert.deepEqual(minima(points, 3), [
    [1.5, 3],
    [4.5, 7],
  ]);
});

test('a quantile is one of the values, and there is none of nothing', () => {
  const values = Array.from({ length: 1000 }, (_, index) => index);
  assert.deepEqual([quantile(values, 0.5), quantile(values, 0.999), quantile([7], 0.99)], [500, 999, 7]);
  assert.equal(quantile([], 0.5), undefined);
});
