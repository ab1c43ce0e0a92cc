import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { digestNumber, type OutsideConnection, openEngine, postgresTest } from '../store.testing.ts';

const insertKey = 'insert into api_keys (id, account_id, digest, last_four, created_at_ms) values';

async function withWriters(t: TestContext) {
  const fixture = await openEngine(t, 'postgres');
  const { outside, connectAnother, store } = fixture;
  await outside.run(`insert into accounts (id, email, created_at_ms) values ('acc_1', 'a@b.c', 1)`);
  let cursor = await store.accessChanges.latest();
  /** The last byte of each digest that changed since the last call. */
  const changes = async () => {
    const page = await store.accessChanges.since(cursor);
    assert.ok(page.kind === 'changes');
    cursor = page.cursor;
    return page.changes.map(({ digest }) => digest[31]);
  };
  return { ...fixture, first: outside, second: await connectAnother(), changes };
}

function add(by: OutsideConnection, number: number): Promise<unknown> {
  return by.run(`${insertKey} (?, 'acc_1', ?, 'wxyz', 1)`, `key_${number}`, digestNumber(number));
}

postgresTest('a change that is committed late is never skipped: later changes wait for its number', async (t) => {
  const { first, second, changes, connectAnother } = await withWriters(t);
  const third = await connectAnother();
  await first.run('begin');
  await add(first, 1);
  // The second transaction wants its number after the first one has its own, and commits before it if it can.
  let isDone = false;
  const adding = add(second, 2).then(() => {
    isDone = true;
  });
  await eventually('the second writer waits', async () => {
    const waiting = await third.run(`select from pg_locks where not granted`);
    return waiting.length > 0 || isDone;
  });
  assert.deepEqual(await changes(), [], 'a reader that looks between the two sees neither');
  await first.run('commit');
  await adding;
  assert.deepEqual(await changes(), [1, 2]);
});

postgresTest('a change that is rolled back leaves no gap in the numbers', async (t) => {
  const { first, second, changes } = await withWriters(t);
  await first.run('begin');
  await add(first, 1);
  await first.run('rollback');
  await add(second, 2);
  assert.deepEqual(await changes(), [2]);
});

postgresTest('a reader misses nothing and reads nothing twice while many write at once', async (t) => {
  const { store, connectAnother, changes } = await withWriters(t);
  const writers = await Promise.all([1, 2, 3, 4].map(() => connectAnother()));
  const each = 25;
  let isWriting = true;
  const writing = Promise.all(
    writers.map(async (writer, index) => {
      for (let count = 0; count < each; count++) {
        await writer.run('begin');
        await add(writer, index * each + count);
        if (count % 5 === 4) await writer.run('rollback');
        else await writer.run('commit');
      }
    }),
  ).finally(() => {
    isWriting = false;
  });
  const seen: unknown[] = [];
  while (isWriting) seen.push(...(await changes()));
  await writing;
  seen.push(...(await changes()));
  assert.equal(seen.length, 80);
  assert.equal(new Set(seen).size, 80);
  assert.equal(await store.accessChanges.latest(), 80);
});

postgresTest('a statement about many keys is one change of each, and emptying the table too', async (t) => {
  const { first, changes, store } = await withWriters(t);
  await first.run(
    `${insertKey.replace('values', '')} select 'key_' || n, 'acc_1', sha256(n::text::bytea), 'wxyz', 1 from generate_series(1, 500) as n`,
  );
  assert.equal((await changes()).length, 500);
  await first.run(`update api_keys set status = 'disabled' where seq <= 100`);
  assert.equal((await changes()).length, 100);
  await first.run(`update api_keys set status = 'disabled' where false`);
  assert.equal((await changes()).length, 0);
  await first.run('truncate api_keys');
  assert.equal((await changes()).length, 500);
  assert.equal((await Array.fromAsync(store.keys.accessPages())).length, 0);
});
