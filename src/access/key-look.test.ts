import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { KeyLook } from './key-look.ts';

function setup() {
  const clock = new FakeClock();
  const looks: (() => void)[] = [];
  const store = { isReachable: true };
  const keyLook = new KeyLook(
    {
      look: () => new Promise((resolve) => looks.push(resolve)),
      reachable: () => store.isReachable,
    },
    clock,
  );
  return { clock, looks, store, keyLook };
}

test('whoever comes while a look is under way waits for the next one, which all of them share', async () => {
  const { looks, keyLook } = setup();
  const first = keyLook.look();
  const others = Array.from({ length: 1_000 }, () => keyLook.look());
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

test('however many keys are guessed, the store is asked 50 times a second at most', async () => {
  const { clock, looks, keyLook } = setup();
  const guess = async (times: number) => {
    for (let count = 0; count < times; count++) {
      const look = keyLook.look();
      looks.at(-1)?.();
      await look;
    }
  };
  await guess(10_000);
  assert.equal(looks.length, 50);
  await clock.advance(1_000);
  await guess(10_000);
  assert.equal(looks.length, 100);
});

test('a store that does not answer holds a refusal up for 250 ms, and one that cannot be reached not at all', async () => {
  const { clock, store, keyLook } = setup();
  let isOver = false;
  const look = keyLook.look()!.then(() => {
    isOver = true;
  });
  await clock.advance(249);
  assert.equal(isOver, false);
  await clock.advance(1);
  await look;
  store.isReachable = false;
  assert.equal(keyLook.look(), undefined);
});
