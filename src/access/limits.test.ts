import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandomness } from '../../test/support/fake-clock.ts';
import { contractLimits } from '../contract/limits.ts';
import type { EpochMs } from '../ground/clock.ts';
import { AddressLimiter } from './address-limiter.ts';
import { parseIpAddress } from './ip-address.ts';
import type { LimitDecision } from './limit-decision.ts';
import { MemoryLimits } from './limits.ts';
import { MinuteWindow } from './minute-window.ts';

/** The start of a minute. */
const minute = Date.parse('2026-11-21T10:00:00.000Z');
const at = (afterMs: number) => (minute + afterMs) as EpochMs;
const newLimits = (figures = contractLimits) => new MemoryLimits(seededRandomness(5), figures);
const key = { slot: 1, limitPerMinute: undefined };

function assertConsistent(decision: LimitDecision, now: EpochMs): void {
  assert.equal(decision.resetSeconds % 60, 0);
  assert.ok(decision.retryAfterSeconds >= 1);
  assert.equal(decision.retryAfterSeconds, Math.max(1, Math.ceil(decision.resetSeconds - now / 1_000)));
  assert.ok(decision.remaining >= 0 && decision.remaining < decision.limit);
  assert.ok(decision.allowed || decision.remaining === 0);
}

test("the limits are the contract's figures unless configured", () => {
  assert.deepEqual(contractLimits, { key: 60, address: 30, failedAuthentication: 10 });
  const limits = newLimits({ key: 3, address: 2, failedAuthentication: 1 });
  assert.equal(limits.takeForKey(key, at(0)).limit, 3);
  assert.equal(limits.takeForAddress('1.2.3.4', at(0)).limit, 2);
  assert.equal(limits.takeForFailedAuthentication('1.2.3.4', at(0)).limit, 1);
});

test('a key has exactly its limit in a minute, and the count left goes down to 0', () => {
  const limits = newLimits();
  const decisions = Array.from({ length: 100 }, (_, index) => limits.takeForKey(key, at(index)));
  assert.deepEqual(
    decisions.map(({ allowed, remaining }) => (allowed ? remaining : 'refused')),
    [...Array.from({ length: 60 }, (_, index) => 59 - index), ...Array.from({ length: 40 }, () => 'refused')],
  );
  assert.ok(limits.takeForKey(key, at(60_000)).allowed);
});

test("a key's own limit goes before the configured one, up to a million", () => {
  const limits = newLimits();
  assert.equal(limits.takeForKey({ slot: 2, limitPerMinute: 1 }, at(0)).allowed, true);
  assert.equal(limits.takeForKey({ slot: 2, limitPerMinute: 1 }, at(0)).allowed, false);
  const generous = { slot: 3, limitPerMinute: 1_000_000 };
  for (let count = 0; count < 999_999; count++) limits.takeForKey(generous, at(0));
  assert.equal(limits.takeForKey(generous, at(0)).allowed, true);
  assert.equal(limits.takeForKey(generous, at(0)).allowed, false);
});

test('around the turn of a minute every request belongs to exactly one window', () => {
  const limits = newLimits();
  const admitted = new Map<number, number>();
  for (let offset = -10; offset <= 10; offset++) {
    for (let count = 0; count < 10; count++) {
      const now = at(60_000 + offset);
      const decision = limits.takeForKey(key, now);
      assertConsistent(decision, now);
      assert.equal(decision.resetSeconds, minute / 1_000 + (offset < 0 ? 60 : 120));
      if (decision.allowed) admitted.set(decision.resetSeconds, (admitted.get(decision.resetSeconds) ?? 0) + 1);
    }
  }
  assert.deepEqual([...admitted.values()], [60, 60]);
});

test('a client that waits exactly as long as asked is never refused by the same window', () => {
  const limits = newLimits({ ...contractLimits, key: 1 });
  let now = at(0);
  const randomness = seededRandomness(9);
  for (let round = 0; round < 1_000; round++) {
    now = (now + Math.floor(randomness.fraction() * 60_000)) as EpochMs;
    while (limits.takeForKey(key, now).allowed);
    const refused = limits.takeForKey(key, now);
    assertConsistent(refused, now);
    now = (now + refused.retryAfterSeconds * 1_000) as EpochMs;
    assert.ok(limits.takeForKey(key, now).allowed, `round ${round}`);
  }
});

test('a wall clock that steps back does not open a spent window again', () => {
  for (const backMs of [1, 90_000, 5 * 60_000]) {
    const limits = newLimits();
    for (let count = 0; count < 60; count++) limits.takeForKey(key, at(59_000));
    for (let now = at(59_000 - backMs); now < minute + 60_000; now = (now + 997) as EpochMs) {
      const refused = limits.takeForKey(key, now);
      assert.equal(refused.allowed, false, `${backMs} back`);
      assert.equal(refused.resetSeconds, minute / 1_000 + 60);
      assertConsistent(refused, now);
    }
    assert.ok(limits.takeForKey(key, at(60_000)).allowed);
  }
});

test('a wall clock that steps back by more than five minutes is accepted', () => {
  const limits = newLimits();
  limits.takeForKey(key, at(3_600_000));
  const now = at(0);
  const decision = limits.takeForKey(key, now);
  assert.deepEqual([decision.remaining, decision.resetSeconds], [59, minute / 1_000 + 60]);
  assertConsistent(decision, now);
});

test('a wall clock that steps forward an hour opens the window of then', () => {
  const limits = newLimits();
  for (let count = 0; count < 60; count++) limits.takeForKey(key, at(0));
  assert.equal(limits.takeForKey(key, at(0)).allowed, false);
  assert.equal(limits.takeForKey(key, at(3_600_000)).remaining, 59);
});

test('using up one of the three limits leaves the others as they are, and each address its own', () => {
  const now = at(0);
  const takes = {
    key: (limits: MemoryLimits) => limits.takeForKey(key, now),
    address: (limits: MemoryLimits) => limits.takeForAddress('1.2.3.4', now),
    failedAuthentication: (limits: MemoryLimits) => limits.takeForFailedAuthentication('1.2.3.4', now),
  };
  for (const spent of ['key', 'address', 'failedAuthentication'] as const) {
    const limits = newLimits();
    while (takes[spent](limits).allowed);
    for (const name of ['key', 'address', 'failedAuthentication'] as const) {
      const decision = takes[name](limits);
      assert.equal(decision.allowed, name !== spent, `${name} after ${spent}`);
      if (name !== spent) assert.equal(decision.remaining, contractLimits[name] - 1);
    }
    assert.ok(limits.takeForKey({ slot: 2, limitPerMinute: undefined }, now).allowed);
    assert.ok(limits.takeForAddress('1.2.3.5', now).allowed);
    assert.ok(limits.takeForFailedAuthentication('1.2.3.5', now).allowed);
  }
});

test('ways of writing one address, and addresses of one /64, share one count', () => {
  const limits = newLimits({ ...contractLimits, address: 3 });
  const take = (written: string) => limits.takeForAddress(parseIpAddress(written)!.limitBucket, at(0)).remaining;
  assert.deepEqual(['1.2.3.4', '1.2.3.4:80', '::ffff:1.2.3.4'].map(take), [2, 1, 0]);
  assert.deepEqual(['2001:db8::1', '2001:DB8:0:0:ffff::', '[2001:db8::2]:1'].map(take), [2, 1, 0]);
  assert.equal(take('2001:db8:0:1::1'), 2);
});

test('a slot that passes to another key starts afresh', () => {
  const limits = newLimits();
  while (limits.takeForKey(key, at(0)).allowed);
  limits.forgetSlot(key.slot);
  limits.forgetSlot(900_000);
  assert.equal(limits.takeForKey(key, at(0)).remaining, 59);
});

test('a flood of addresses is counted within bounded memory, and all of it is freed with the minute', () => {
  const limiter = new AddressLimiter(new MinuteWindow(), seededRandomness(1), 1_000);
  const early = () => limiter.take('early', 30, at(0)).remaining;
  assert.equal(early(), 29);
  for (let number = 0; number < 100_000; number++) limiter.take(`address ${number}`, 30, at(0));
  assert.ok(limiter.size <= 1_000 + 65_536, `${limiter.size} counters`);
  assert.equal(early(), 28);
  let admitted = 0;
  while (limiter.take('late', 30, at(0)).allowed) admitted++;
  assert.ok(admitted <= 30, `${admitted} admitted beyond the cap`);
  assert.equal(limiter.take('other', 30, at(60_000)).remaining, 29);
  assert.equal(limiter.size, 1);
  assert.equal(limiter.take('late', 30, at(60_000)).remaining, 29);
});

test('counters beyond the cap start afresh with each minute', () => {
  const limiter = new AddressLimiter(new MinuteWindow(), seededRandomness(1), 0);
  for (let number = 0; number < 3; number++) {
    const now = at(number * 60_000);
    assert.deepEqual(
      Array.from({ length: 3 }, () => limiter.take('1.2.3.4', 2, now).allowed),
      [true, true, false],
    );
  }
});

test('whether an address may fail once more is told without counting, until its minute is used up and from the next one on', () => {
  const limits = newLimits();
  for (let used = 0; used < 10; used++) {
    assert.equal(limits.hasFailuresLeft('1.2.3.4', at(0)), true);
    assert.equal(limits.takeForFailedAuthentication('1.2.3.4', at(0)).remaining, 9 - used);
  }
  assert.equal(limits.hasFailuresLeft('1.2.3.4', at(59_999)), false);
  assert.equal(limits.hasFailuresLeft('1.2.3.5', at(59_999)), true);
  assert.equal(limits.addressesHeld, 1, 'asking holds no counter');
  assert.equal(limits.hasFailuresLeft('1.2.3.4', at(60_000)), true);
});

test('pages are counted for themselves, 240 a minute and address', () => {
  const limits = newLimits();
  for (let used = 1; used <= 240; used++) assert.equal(limits.takeForPage('1.2.3.4', at(0)).remaining, 240 - used);
  assert.equal(limits.takeForPage('1.2.3.4', at(0)).allowed, false);
  assert.equal(limits.takeForPage('1.2.3.5', at(0)).allowed, true);
  assert.equal(limits.takeForAddress('1.2.3.4', at(0)).remaining, 29);
  assert.equal(limits.takeForFailedAuthentication('1.2.3.4', at(0)).remaining, 9);
  assert.equal(limits.addressesHeld, 2, 'the counters of pages are not among them');
});

test('addresses beyond the room for counters share many of them, so that one that is used up refuses few others', () => {
  const limiter = new AddressLimiter(new MinuteWindow(), seededRandomness(5), 1);
  limiter.take('1.2.3.4', 10, at(0));
  for (let used = 0; used < 10; used++) assert.equal(limiter.take('2.0.0.1', 10, at(0)).allowed, true);
  assert.equal(limiter.take('2.0.0.1', 10, at(0)).allowed, false);
  const others = Array.from({ length: 100 }, (_, index) => limiter.take(`3.0.0.${index}`, 10, at(0)));
  assert.ok(others.every(({ allowed }) => allowed));
  assert.equal(limiter.isUsedUp('2.0.0.1', 10, at(0)), true);
  assert.equal(limiter.isUsedUp('3.0.0.1', 10, at(0)), false);
});

test('what was refused does not count against a limit that is raised within the minute', () => {
  const limiter = new AddressLimiter(new MinuteWindow(), seededRandomness(5));
  for (let count = 0; count < 5; count++) limiter.take('1.2.3.4', 2, at(0));
  assert.equal(limiter.take('1.2.3.4', 4, at(0)).remaining, 1);
});
