import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock, seededRandomness } from '../../test/support/fake-clock.ts';
import type { EpochMs } from '../ground/clock.ts';
import { BreachLog } from './breach-log.ts';
import { MemoryLimits } from './limits.ts';

/** The start of a minute. */
const start = Date.parse('2026-11-21T10:00:00.000Z');
const at = (seconds: number) => (start + seconds * 1_000) as EpochMs;

/** Keys in slots, each with a limit of one request a minute. */
function begin() {
  const ids = ['', 'key_one', 'key_two'];
  const log = new BreachLog({ keyIdOf: (slot) => ids[slot]! });
  const limits = new MemoryLimits(seededRandomness(1));
  const ask = (slot: number, now: EpochMs, times = 1) => {
    for (let time = 0; time < times; time++) {
      const key = { slot, limitPerMinute: 1 };
      const verdict = limits.takeForKey(key, now);
      if (!verdict.allowed) log.refused(key, verdict);
    }
  };
  return { log, ask, ids };
}

test('refusals are counted by key and minute, with the limit that refused them', () => {
  const { log, ask } = begin();
  ask(1, at(0), 4);
  ask(2, at(59), 2);
  ask(1, at(60), 2);
  assert.deepEqual(log.drain(at(61)), [
    { keyId: 'key_one', minuteStart: at(0), refused: 3, limitPerMinute: 1 },
    { keyId: 'key_two', minuteStart: at(0), refused: 1, limitPerMinute: 1 },
    { keyId: 'key_one', minuteStart: at(60), refused: 1, limitPerMinute: 1 },
  ]);
  assert.equal(log.minutesSeen, 3);
});

test('every refusal is drained once, also within a minute', () => {
  const { log, ask } = begin();
  ask(1, at(0), 3);
  assert.deepEqual(
    log.drain(at(1)).map(({ refused }) => refused),
    [2],
  );
  assert.deepEqual(log.drain(at(2)), []);
  ask(1, at(3), 5);
  assert.deepEqual(
    log.drain(at(59)).map(({ refused }) => refused),
    [5],
  );
  ask(1, at(59), 1);
  assert.deepEqual(
    log.drain(at(120)).map(({ refused }) => refused),
    [1],
  );
  assert.deepEqual(log.drain(at(121)), []);
  assert.equal(log.minutesSeen, 1);
});

test('what a slot gathered stays with the key it had when the slot goes to another key', () => {
  const { log, ask, ids } = begin();
  ask(1, at(0), 3);
  log.forgetSlot(1);
  log.forgetSlot(1);
  ids[1] = 'key_new';
  ask(1, at(1), 2);
  assert.deepEqual(
    log.drain(at(2)).map(({ keyId, refused }) => [keyId, refused]),
    [
      ['key_one', 2],
      ['key_new', 2],
    ],
  );
});

test('a clock that steps back adds to the minute that the limiter holds on to', () => {
  const { log, ask } = begin();
  ask(1, at(60), 2);
  ask(1, at(30), 2);
  assert.deepEqual(log.drain(at(30)), [{ keyId: 'key_one', minuteStart: at(60), refused: 3, limitPerMinute: 1 }]);
});

test('the key of a slot is asked for once a minute, and nothing is kept of minutes that are over', async () => {
  const clock = new FakeClock();
  let asked = 0;
  const log = new BreachLog({
    keyIdOf: () => {
      asked++;
      return 'key_one';
    },
  });
  const verdict = { allowed: false, limit: 1, remaining: 0, resetSeconds: start / 1_000 + 60, retryAfterSeconds: 1 };
  for (let time = 0; time < 1_000; time++) {
    log.refused({ slot: 7, limitPerMinute: 1 }, verdict);
    if (time % 100 === 0) log.drain(clock.now());
  }
  assert.equal(asked, 1);
  assert.equal(log.drain(at(60))[0]?.refused, 99);
  log.refused({ slot: 7, limitPerMinute: 1 }, verdict);
  assert.equal(asked, 2, 'the minute was let go');
});

test('a slot that goes to another key after its refusals were drained leaves nothing to drain', () => {
  const { log, ask } = begin();
  ask(1, at(0), 3);
  assert.equal(log.drain(at(1)).length, 1);
  log.forgetSlot(1);
  assert.deepEqual(log.drain(at(2)), []);
});
