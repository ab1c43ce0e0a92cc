import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandomness } from '../support/fake-clock.ts';
import { planOf } from './faults.ts';

const dayMs = 86_400_000;

test('a seed gives one plan, which ends in time, has every kind and often several at once', () => {
  const plan = planOf(seededRandomness(1), 4 * dayMs, 3);
  assert.deepEqual(plan, planOf(seededRandomness(1), 4 * dayMs, 3));
  assert.notDeepEqual(plan, planOf(seededRandomness(2), 4 * dayMs, 3));
  assert.ok(plan.every(({ atMs, forMs }) => atMs + forMs < 4 * dayMs + 10_000));
  assert.ok(new Set(plan.map(({ kind }) => kind)).size > 30);
  const together = plan.filter(({ atMs }, index) => atMs - (plan[index - 1]?.atMs ?? 0) < 20_000);
  assert.ok(together.length > plan.length / 5);
});

test('one process alone has no faults of Redis', () => {
  assert.ok(planOf(seededRandomness(1), 4 * dayMs, 1).every(({ kind }) => !kind.startsWith('Redis')));
});
