import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { FakeClock, seededRandomness } from '../../test/support/fake-clock.ts';
import { asEpochMs } from '../ground/clock.ts';
import { emptyDatabase, openEngine, refusal, storeTest } from './store.testing.ts';
import { openStore } from './store.ts';
import { StoreError } from './store-error.ts';

const open = (url: string) => openStore({ url, clock: new FakeClock(), randomness: seededRandomness(1) });

storeTest('an empty database gets its tables, also from several programs at once', async (t) => {
  const url = await emptyDatabase(t);
  const program = `
    import { openStore } from ${JSON.stringify(join(import.meta.dirname, 'store.ts'))};
    import { systemClock, systemRandomness } from ${JSON.stringify(join(import.meta.dirname, '../ground/clock.ts'))};
    const store = await openStore({ url: ${JSON.stringify(url)}, clock: systemClock, randomness: systemRandomness });
    await store.accounts.create({ email: process.pid + '@example.com' });
    await store.close();`;
  const processes = [1, 2].map(() =>
    spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'inherit', 'inherit'] }),
  );
  const codes = await Promise.all(processes.map((child) => once(child, 'exit')));
  assert.deepEqual(
    codes.map(([code]) => code),
    [0, 0],
  );
  const store = await open(url);
  t.after(() => store.close());
  assert.equal((await store.accounts.list()).length, 2);
});

storeTest('what was written is there after closing and opening again, and closing twice is harmless', async (t) => {
  const { store, openAnother } = await openEngine(t);
  const account = await store.accounts.create({ email: 'a@example.com' });
  await store.close();
  await store.close();
  assert.deepEqual(await (await openAnother()).accounts.get(account.id), account);
});

storeTest('a URL of another kind is refused by naming the known ones and without showing what it holds', async () => {
  for (const url of ['mysql://u:hunter2@h/db', 'redis://hunter2', 'hunter2', 'sqlite:', 'sqlite://hunter2', '']) {
    await assert.rejects(open(url), (error: Error) => {
      assert.match(error.message, /`sqlite:PATH`, `sqlite::memory:` or `postgres:/);
      assert.doesNotMatch(error.message, /hunter2/);
      return refusal('url_invalid')(error);
    });
  }
});

storeTest('no message of a refusal holds a digest', async (t) => {
  const { store } = await openEngine(t);
  const account = await store.accounts.create({ email: 'a@example.com' });
  const digest = new Uint8Array(32).fill(0xab);
  await store.keys.insert({ accountId: account.id, digest, lastFour: 'aaaa' });
  await assert.rejects(store.keys.insert({ accountId: account.id, digest, lastFour: 'aaaa' }), (error: StoreError) => {
    assert.ok(error instanceof StoreError);
    // The address of the database has digits of its own.
    const shown = `${error.message} ${String(error.cause)}`.replaceAll(/database \S+/g, '');
    assert.doesNotMatch(shown, /abab|171/);
    return refusal('unexpected')(error);
  });
});

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

storeTest('of several that replace the same snapshot the first does, and the others find its own', async (t) => {
  const { store, clock, openAnother } = await openEngine(t);
  const other = await openAnother();
  await Promise.all([
    store.snapshots.save('secret', 'one', asEpochMs(0)),
    other.snapshots.save('secret', 'two', asEpochMs(0)),
  ]);
  const first = await store.snapshots.load('secret');
  await clock.advance(5);
  const replaced = [store, other].map(({ snapshots }, at) => snapshots.save('secret', `next ${at}`, first!.savedAt));
  await Promise.all(replaced);
  const second = await store.snapshots.load('secret');
  assert.match(second!.payload, /^next/);
  await other.snapshots.save('secret', 'late', first!.savedAt);
  assert.deepEqual(await other.snapshots.load('secret'), second);
});
