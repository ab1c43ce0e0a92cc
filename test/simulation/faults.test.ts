import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandomness } from '../support/fake-clock.ts';
import { planOf } from './faults.ts';
import { kindOf } from './seed-kind.ts';

const dayMs = 86_400_000;

test('a seed gives one plan, which ends in time, has every kind and often several at once', () => {
  const plan = planOf(seededRandomness(1), 4 * dayMs, kindOf(1, 3));
  assert.deepEqual(plan, planOf(seededRandomness(1), 4 * dayMs, kindOf(1, 3)));
  assert.notDeepEqual(plan, planOf(seededRandomness(2), 4 * dayMs, kindOf(1, 3)));
  assert.ok(plan.every(({ atMs, forMs }) => atMs + forMs < 4 * dayMs + 10_000));
  assert.ok(new Set(plan.map(({ kind }) => kind)).size > 30);
  const together = plan.filter(({ atMs }, index) => atMs - (plan[index - 1]?.atMs ?? 0) < 20_000);
  assert.ok(together.length > plan.length / 5);
});

test('one process alone has no faults of Redis', () => {
  assert.ok(planOf(seededRandomness(1), 4 * dayMs, kindOf(1, 1)).every(({ kind }) => !kind.startsWith('Redis')));
});

test('without an engine none of its faults is planned', () => {
  const of = (seed: number) => planOf(seededRandomness(1), 4 * dayMs, kindOf(seed, 3)).map(({ kind }) => kind);
  assert.ok(of(1).some((kind) => kind.includes('engine')));
  assert.ok(of(2).every((kind) => !kind.includes('engine')));
});

test('with many markets one is gone, and the store is locked when it comes back', () => {
  const [gone, locked] = planOf(seededRandomness(1), dayMs, kindOf(6, 1));
  assert.deepEqual([gone?.kind, locked?.kind], ['market gone for an hour', 'store locked']);
  const [backAtMs, unlockedAtMs] = [gone, locked].map((fault) => fault!.atMs + fault!.forMs);
  assert.ok(backAtMs! < unlockedAtMs! && unlockedAtMs! < backAtMs! + 8_000);
});
