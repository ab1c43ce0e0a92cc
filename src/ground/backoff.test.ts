import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { seededRandomness } from '../../test/support/fake-clock.ts';
import { Backoff, type BackoffRange, backoffMs } from './backoff.ts';
import type { Randomness } from './clock.ts';

const range: BackoffRange = { minMs: 500, maxMs: 30_000 };
const drawing = (fraction: number): Randomness => ({
  fraction: () => fraction,
  bytes: (count) => new Uint8Array(count),
});

function delays(backoff: Backoff, count: number): number[] {
  return Array.from({ length: count }, () => backoff.nextMs());
}

describe('back-off', () => {
  test('doubles the bound with each failure up to the maximum, and starts again after a success', () => {
    const backoff = new Backoff(drawing(1), range);
    assert.deepEqual(delays(backoff, 8), [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    backoff.reset();
    assert.equal(backoff.nextMs(), 500);
  });

  test('with full jitter waits anything up to the bound, with equal jitter at least half of it', () => {
    assert.equal(backoffMs(drawing(0), range, 3), 0);
    assert.equal(backoffMs(drawing(0), { ...range, jitter: 'equal' }, 3), 1_000);
    assert.equal(backoffMs(drawing(1), { ...range, jitter: 'equal' }, 3), 2_000);
  });

  test('stays at the maximum however many failures there were', () => {
    assert.equal(backoffMs(drawing(1), range, 5_000), 30_000);
  });

  test('differs between two instances with other randomness', () => {
    const [one, other] = [new Backoff(seededRandomness(1), range), new Backoff(seededRandomness(2), range)];
    for (let turn = 0; turn < 20; turn++) assert.notEqual(one.nextMs(), other.nextMs());
  });
});
