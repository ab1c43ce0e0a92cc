import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixedPort } from '../../test/support/fixed-port.ts';
import { LimitingNode } from './limiting-node.testing.ts';

type Test = Parameters<typeof LimitingNode.start>[0];

/** A node that counts alone: where its Redis should be, nobody is. */
async function nodeAlone(t: Test): Promise<LimitingNode> {
  const port = await fixedPort();
  const address = { host: '127.0.0.1', port, tls: false, user: undefined, password: undefined, database: 0 };
  return LimitingNode.idle(t, { address });
}

/** Whether the promise is settled once all that can happen at once has happened. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  void promise.then(() => {
    settled = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  return settled;
}

test('after a standstill a key that is counted alone waits for what others published meanwhile (fault row 109)', async (t) => {
  const { clock, position, limits } = await nodeAlone(t);
  const take = () => Promise.resolve(limits.takeForKey({ slot: 1, limitPerMinute: undefined }, clock.now()));
  position.heard([clock.now(), clock.monotonicMs()]);
  assert.equal(await isSettled(take()), true);
  position.heard([clock.now() - 10_000, clock.monotonicMs() - 10_000]);
  const taken = take();
  assert.equal(await isSettled(taken), false);
  position.heard([clock.now(), clock.monotonicMs()]);
  assert.equal((await taken).allowed, true);
  assert.deepEqual(position.waits, { reached: 1, in_vain: 0 });
});

test('neither a refusal nor an address waits for prices', async (t) => {
  const { clock, position, limits } = await nodeAlone(t);
  position.heard([clock.now() - 10_000, clock.monotonicMs() - 10_000]);
  const refused = limits.takeForKey({ slot: 1, limitPerMinute: 0 }, clock.now());
  const ofAddress = limits.takeForAddress('192.0.2.1', clock.now());
  for (const each of [refused, ofAddress]) assert.equal(await isSettled(Promise.resolve(each)), true);
});
