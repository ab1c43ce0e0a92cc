import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { UnknownKeyRefresh } from './unknown-key-refresh.ts';

function setup() {
  const clock = new FakeClock();
  const looks: (() => void)[] = [];
  const store = { isReachable: true };
  const keyRefresh = new UnknownKeyRefresh(
    {
      look: () => new Promise((resolve) => looks.push(resolve)),
      reachable: () => store.isReachable,
    },
    clock,
  );
  return { clock, looks, store, keyRefresh };
}

test('requests that come during a read wait for the next one, which they share', async () => {
  const { looks, keyRefresh } = setup();
  const first = keyRefresh.refresh();
  const others = Array.from({ length: 1_000 }, () => keyRefresh.refresh());
  assert.equal(new Set(others).size, 1);
  assert.notEqual(others[0], first);
  looks[0]!();
  await first;
  await Promise.resolve();
  assert.equal(looks.length, 2);
  looks[1]!();
  await others[0];
  assert.equal(looks.length, 2);
});

test('however many keys are guessed, the store is read 50 times a second at most', async () => {
  const { clock, looks, keyRefresh } = setup();
  const guess = async (times: number) => {
    for (let count = 0; count < times; count++) {
      const look = keyRefresh.refresh();
      looks.at(-1)?.();
      await look;
    }
  };
  await guess(10_000);
  assert.equal(looks.length, 50);
  await clock.advance(40);
  await guess(10);
  assert.equal(looks.length, 52, 'one more every 20 ms');
  await clock.advance(1_000);
  await guess(10_000);
  assert.equal(looks.length, 102);
});

test('a store that does not answer holds a refusal up for 250 ms, and one that cannot be reached not at all', async () => {
  const { clock, store, keyRefresh } = setup();
  let isOver = false;
  const look = keyRefresh.refresh()!.then(() => {
    isOver = true;
  });
  await clock.advance(249);
  assert.equal(isOver, false);
  await clock.advance(1);
  await look;
  store.isReachable = false;
  assert.equal(keyRefresh.refresh(), undefined);
});
