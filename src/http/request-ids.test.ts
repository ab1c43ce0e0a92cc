import assert from 'node:assert/strict';
import { createDecipheriv } from 'node:crypto';
import { test } from 'node:test';
import { systemRandomness } from '../ground/clock.ts';
import { requestIds } from './request-ids.ts';

test('an id is its number under the key: the first is 1, and each is one more than the last', () => {
  const ids = requestIds(systemRandomness);
  const decipher = createDecipheriv('aes-128-ecb', ids.key, null).setAutoPadding(false);
  for (let number = 1n; number <= 600n; number++) {
    const block = decipher.update(Buffer.from(ids.next(), 'hex'));
    assert.deepEqual([block.readBigUInt64BE(0), block.readBigUInt64BE(8)], [0n, number]);
    assert.equal(ids.last, Number(number));
  }
});
