import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock, seededRandomness } from '../../test/support/fake-clock.ts';
import { Challenges } from './challenges.ts';

test('a challenge is good once, within half a minute, and only where it was made (fault row 112)', async () => {
  const clock = new FakeClock();
  const challenges = new Challenges(clock, seededRandomness(1));
  const [first, second, late] = [challenges.make(), challenges.make(), challenges.make()];
  assert.equal(challenges.use(first), true);
  assert.equal(challenges.use(first), false);
  assert.equal(new Challenges(clock, seededRandomness(2)).use(second), false);
  await clock.advance(30_000);
  assert.equal(challenges.use(second), true);
  await clock.advance(1);
  assert.equal(challenges.use(late), false);
});

test('whoever asks for very many makes the oldest ones void, and the memory stays bounded', () => {
  const challenges = new Challenges(new FakeClock(), seededRandomness(1));
  const made = Array.from({ length: 101 }, () => challenges.make());
  assert.deepEqual([challenges.use(made[0]!), challenges.use(made[1]!)], [false, true]);
});
