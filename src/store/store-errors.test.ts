import assert from 'node:assert/strict';
import { test } from 'node:test';
import { everyStoreError } from '../../test/support/store-errors.ts';
import { isoInstant } from '../contract/instant.ts';
import type { EpochMs } from '../ground/clock.ts';
import type { StoreError } from './store-error.ts';

/** How a message shows a value; `undefined` for one that it puts into words. */
function shown(key: string, value: unknown): string {
  return key === 'to' || key === 'from' || key === 'at' ? isoInstant(value as EpochMs) : String(value);
}

test('the message of each error of the store is made of sentences that hold each of its values', () => {
  for (const [code, error] of Object.entries(everyStoreError)) {
    assert.equal(error.code, code);
    assert.equal(error.reason, code.replace(/\..*/, ''));
    assert.match(error.message, /^[A-Z].*[.?]$/s);
    assert.doesNotMatch(error.message, /[{}]|undefined|\[object/);
    for (const [key, value] of Object.entries(error.values)) {
      assert.ok(error.message.includes(shown(key, value)), `${code} names ${key}: ${error.message}`);
    }
  }
});

test('an error of the store lies in the engine exactly where the account, the key or the like is not at fault', () => {
  const inEngine = ({ isEngineFailure }: StoreError) => isEngineFailure;
  const reasons = new Set(
    Object.values(everyStoreError)
      .filter(inEngine)
      .map(({ reason }) => reason),
  );
  assert.equal(reasons.size, 18);
  assert.ok(!reasons.has('email_taken') && !reasons.has('copy_refused') && reasons.has('in_use'));
});
