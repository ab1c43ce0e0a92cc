import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServerTime } from './server-time.ts';

const serverMs = 1_800_000_000_000;

test('the server’s clock is never ahead of the latest it can be, whenever it was read and however it is slewed', () => {
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
          const latest = time.latest(monotonicMs)!;
          assert.ok(trueMs <= latest, `${trueMs} ${latest}`);
          assert.ok(latest - trueMs <= 41 + 0.0015 * laterMs, 'nor further behind it than need be');
        }
      }
    }
  }
});

test('the earliest it can be goes on with this process’s own clock alone, however long nothing was received', () => {
  const time = new ServerTime();
  time.learn(serverMs, 30_000_000, 500, 540);
  for (const laterMs of [0, 60_000, 86_400_000]) assert.equal(time.earliest(540 + laterMs), serverMs + laterMs);
});

test('nothing is known of the server’s clock before it answered', () => {
  const time = new ServerTime();
  assert.equal(time.isKnown, false);
  assert.equal(time.earliest(1), undefined);
  assert.equal(time.latest(1), undefined);
});
