import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandomness } from '../../test/support/fake-clock.ts';
import { asEpochMs } from '../ground/clock.ts';
import { AddressLimiter } from './address-limiter.ts';
import { BreachLog } from './breach-log.ts';
import { MemoryLimits } from './limits.ts';
import { MinuteWindow } from './minute-window.ts';

const minute = (number: number, ms = 0) => asEpochMs(number * 60_000 + ms);
const figures = { key: 60, address: 30, failedAuthentication: 10 };

test('looking at what a key has used counts nothing, and a new minute begins at none', () => {
  const limits = new MemoryLimits(seededRandomness(1), figures);
  const key = { slot: 70_000, limitPerMinute: 2 };
  assert.deepEqual(limits.usageOf(key, minute(1)), { used: 0, limitPerMinute: 2 });
  limits.takeForKey(key, minute(1));
  for (let look = 0; look < 5; look++) assert.equal(limits.usageOf(key, minute(1, 59_999)).used, 1);
  assert.ok(limits.takeForKey(key, minute(1, 1)).allowed);
  assert.ok(!limits.takeForKey(key, minute(1, 1)).allowed);
  assert.equal(limits.usageOf(key, minute(1, 2)).used, 2, 'refused requests are not counted');
  assert.equal(limits.usageOf(key, minute(2)).used, 0);
  assert.equal(limits.usageOf({ slot: 5, limitPerMinute: undefined }, minute(2)).limitPerMinute, 60);
});

test('the busiest keys of the minute come first, and no others', () => {
  const limits = new MemoryLimits(seededRandomness(1), figures);
  const uses = new Map([
    [3, 4],
    [66_000, 9],
    [140_000, 1],
    [9, 7],
  ]);
  for (const [slot, used] of uses) {
    for (let count = 0; count < used; count++) limits.takeForKey({ slot, limitPerMinute: undefined }, minute(5));
  }
  assert.deepEqual(limits.busiest(minute(5), 3), [
    { slot: 66_000, used: 9 },
    { slot: 9, used: 7 },
    { slot: 3, used: 4 },
  ]);
  assert.equal(limits.busiest(minute(5), 1).length, 1);
  assert.deepEqual(limits.busiest(minute(6), 3), []);
});

test('refusals of the minute are reported in full although they are drained every second', () => {
  const log = new BreachLog({ keyIdOf: (slot) => `key_${slot}` });
  const key = { slot: 4, limitPerMinute: undefined };
  const decision = { allowed: false, limit: 60, remaining: 0, resetSeconds: 120, retryAfterSeconds: 1 };
  log.refused(key, decision);
  assert.equal(log.drain(minute(1, 1)).length, 1);
  log.refused(key, decision);
  assert.equal(log.refusedNow(4, minute(1, 2)), 2);
  assert.equal(log.refusedNow(5, minute(1, 2)), 0);
  assert.equal(log.refusedNow(4, minute(2)), 0);
});

test('an address is used up after its last allowed request, until the next minute; looking counts nothing', () => {
  const limiter = new AddressLimiter(new MinuteWindow(), seededRandomness(1), 1);
  for (const bucket of ['a', 'shares a counter']) {
    for (let count = 0; count < 2; count++) {
      assert.ok(!limiter.isUsedUp(bucket, 2, minute(1)));
      assert.ok(limiter.take(bucket, 2, minute(1)).allowed);
    }
    assert.ok(limiter.isUsedUp(bucket, 2, minute(1)), bucket);
  }
  for (const bucket of ['a', 'shares a counter']) assert.ok(!limiter.isUsedUp(bucket, 2, minute(2)), bucket);
});
