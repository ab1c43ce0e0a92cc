import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shrink } from './shrink.ts';

test('what a failure does not need is left out, and no more runs are made than allowed', async () => {
  let runs = 0;
  const fails = async (part: readonly number[]) => {
    runs++;
    return part.includes(3) && part.includes(11);
  };
  const all = Array.from({ length: 16 }, (_, index) => index);
  assert.deepEqual(await shrink(all, fails, 100), [3, 11]);
  runs = 0;
  const left = await shrink(all, fails, 3);
  assert.equal(runs, 3);
  assert.ok(left.includes(3) && left.includes(11));
});
