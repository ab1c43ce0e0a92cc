import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { FakeClock, seededRandomness } from '../../../test/support/fake-clock.ts';
import { digestNumber, openFixture, refusal, temporaryDirectory } from '../store.testing.ts';
import { openStore } from '../store.ts';

const open = (url: string, clock = new FakeClock()) => openStore({ url, clock, randomness: seededRandomness(1) });

test('a new database is made with mode 0600, its log files too, and is in write-ahead mode', async (t) => {
  const path = join(temporaryDirectory(t), 'new.sqlite');
  const store = await open(`sqlite:${path}`);
  t.after(() => store.close());
  const outside = new DatabaseSync(path);
  t.after(() => outside.close());
  for (const file of [path, `${path}-wal`, `${path}-shm`]) assert.equal(statSync(file).mode & 0o777, 0o600, file);
  assert.equal(outside.prepare('pragma journal_mode').get()?.journal_mode, 'wal');
});

test('an in-memory database works like a file', async () => {
  const store = await open('sqlite::memory:');
  const account = await store.accounts.create({ email: 'a@example.com' });
  assert.deepEqual(await store.accounts.get(account.id), account);
  await store.close();
});

test('a path that cannot be opened is refused with the path and the fix', async (t) => {
  const directory = temporaryDirectory(t);
  const file = join(directory, 'file');
  writeFileSync(file, '');
  const cases: readonly (readonly [string, RegExp])[] = [
    [join(directory, 'missing', 'db'), /directory .*missing does not exist. Create it/],
    [directory, /is a directory. Name a file/],
    [join(file, 'db'), /is not a directory/],
  ];
  for (const [path, fix] of cases) {
    await assert.rejects(open(`sqlite:${path}`), (error: Error) => {
      assert.match(error.message, fix);
      return refusal('cannot_open')(error) && error.message.includes(path);
    });
  }
});

test('a file that this user may not write is refused, and so is a directory', async (t) => {
  const directory = temporaryDirectory(t);
  const file = join(directory, 'db');
  writeFileSync(file, '', { mode: 0o400 });
  const closed = join(directory, 'closed');
  mkdirSync(closed, { mode: 0o555 });
  chmodSync(directory, 0o755);
  await withoutRoot(async () => {
    await assert.rejects(open(`sqlite:${file}`), /may not write the file\. Change that/);
    await assert.rejects(open(`sqlite:${join(closed, 'db')}`), /may not write to the directory .*closed\. Change that/);
  });
});

/** Root may write everywhere, so that root steps down for the time of the check. */
async function withoutRoot(run: () => Promise<void>): Promise<void> {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65534);
  try {
    await run();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

test('a file that is no database is refused and left as it is', async (t) => {
  const path = join(temporaryDirectory(t), 'notes.txt');
  const notes = 'not a database, and long enough to have a header\n'.repeat(100);
  writeFileSync(path, notes);
  await assert.rejects(open(`sqlite:${path}`), refusal('not_a_database'));
  assert.equal(readFileSync(path, 'utf8'), notes);
});

test("another program's database is refused", async (t) => {
  const path = join(temporaryDirectory(t), 'other.sqlite');
  const other = new DatabaseSync(path);
  other.exec('create table accounts (name text)');
  other.close();
  await assert.rejects(open(`sqlite:${path}`), refusal('foreign_database'));
});

test('a database made by a newer version is refused', async (t) => {
  const { path, store, outside } = await openFixture(t);
  await store.close();
  outside.exec(`insert into kysely_migration (name, timestamp) values ('9999-later', '2030-01-01T00:00:00.000Z')`);
  await assert.rejects(open(`sqlite:${path}`), (error: Error) => {
    assert.match(error.message, /newer version of this program \(step 9999-later\)/);
    return refusal('newer_database')(error);
  });
});

test('a database that stays locked is refused after five seconds', async (t) => {
  const { path, outside, store, clock } = await openFixture(t);
  outside.exec('begin immediate');
  const writing = assert.rejects(store.accounts.create({ email: 'a@example.com' }), (error: Error) => {
    assert.match(error.message, /locked by another program/);
    return refusal('locked')(error) && error.message.includes(path);
  });
  await clock.advance(0);
  await clock.advance(5_100);
  await writing;
});

test('a write waits for the lock of another program without holding up the process', async (t) => {
  const { outside, store, clock } = await openFixture(t);
  outside.exec('begin immediate');
  const writing = store.accounts.create({ email: 'a@example.com' });
  await clock.advance(0);
  await clock.advance(1_000);
  outside.exec('commit');
  await clock.advance(100);
  assert.equal((await writing).email, 'a@example.com');
});

test('a transaction that fails leaves nothing behind, and the store works on', async (t) => {
  const { store, outside } = await openFixture(t);
  const account = await store.accounts.create({ email: 'a@example.com' });
  outside.exec(`create trigger refuse before update on api_keys begin select raise(abort, 'refused'); end`);
  const key = await store.keys.insert({ accountId: account.id, digest: digestNumber(1), lastFour: 'aaaa' });
  const rotation = { digest: digestNumber(2), lastFour: 'bbbb', overlapMs: 0 };
  await assert.rejects(store.keys.rotate(key.id, rotation), refusal('unexpected'));
  assert.equal((await store.keys.list()).length, 1);
});
