import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandomness } from '../../test/support/fake-clock.ts';
import { keyedHash, newHashKey } from './keyed-hash.ts';

test('the hash of two words is that of HalfSipHash-2-4', () => {
  // The ninth test vector of the algorithm's reference: eight bytes 00 to 07, and the same as the key.
  assert.equal(keyedHash([0x03020100, 0x07060504], 0x03020100, 0x07060504), 0x8f84b8d0);
});

test('hashes of one key say nothing of those of another', () => {
  const [one, other] = [newHashKey(seededRandomness(1)), newHashKey(seededRandomness(2))];
  const same = Array.from({ length: 1_000 }, (_, word) => keyedHash(one, 0, word) === keyedHash(other, 0, word));
  assert.deepEqual(same.indexOf(true), -1);
});
