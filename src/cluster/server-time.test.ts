import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServerTime } from './server-time.ts';

const serverMs = 1_800_000_000_000;

test('the server’s clock lies between what it can be at least and at most, whenever it was read and however it is slewed', () => {
  const sentMs = 500;
  const receivedMs = 540;
  for (const readMs of [sentMs, 517.25, receivedMs]) {
    for (const cutOffMs of [0, 0.999]) {
      for (const slew of [-0.0005, 0, 0.0005]) {
        const time = new ServerTime();
        time.learn(serverMs, 30_000_000, sentMs, receivedMs);
        for (const laterMs of [0, 1, 900, 60_000]) {
          const monotonicMs = receivedMs + laterMs;
          const passedMs = receivedMs - readMs + laterMs * (1 + slew);
          const trueMs = serverMs + cutOffMs + passedMs;
          const earliest = time.earliest(monotonicMs)!;
          const latest = time.latest(monotonicMs)!;
          assert.ok(earliest <= trueMs && trueMs <= latest, `${earliest} ${trueMs} ${latest}`);
          assert.ok(latest - earliest <= 41 + 2 * 0.001 * laterMs, 'and not further apart than need be');
        }
      }
    }
  }
});

test('nothing is known of the server’s clock before it answered', () => {
  const time = new ServerTime();
  assert.equal(time.isKnown, false);
  assert.equal(time.earliest(1), undefined);
  assert.equal(time.latest(1), undefined);
});
