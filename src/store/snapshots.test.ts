import assert from 'node:assert/strict';
import { openEngine, storeTest } from './store.testing.ts';

storeTest('a snapshot replaces the one before it under the same name and no other', async (t) => {
  const { store, clock } = await openEngine(t);
  await store.snapshots.save('board', 'first');
  await store.snapshots.save('rate', '"24.3\u0001ř"');
  clock.jump(5);
  await store.snapshots.save('board', 'second');
  assert.deepEqual(await store.snapshots.load('board'), { payload: 'second', savedAt: clock.now() });
  assert.deepEqual(await store.snapshots.load('rate'), { payload: '"24.3\u0001ř"', savedAt: clock.now() - 5 });
  assert.equal(await store.snapshots.load('other'), undefined);
});
