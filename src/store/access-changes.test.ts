import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChangeCursor } from './access-changes.ts';
import { digestNumber, openFixture } from './store-fixture.ts';

const beginning = 0 as ChangeCursor;

async function withKeys(t: Parameters<typeof openFixture>[0]) {
  const fixture = await openFixture(t);
  const { store, outside } = fixture;
  outside.exec(`insert into accounts (id, email, created_at_ms) values ('acc_1', 'a@b.c', 1), ('acc_2', 'd@e.f', 1)`);
  insertKey(outside, 'key_1', 1);
  insertKey(outside, 'key_2', 2);
  let cursor = await store.accessChanges.latest();
  /** The last byte of each digest that changed since the last call, with its key, or `gone`. */
  const changes = async () => {
    const page = await store.accessChanges.since(cursor);
    if (page.kind === 'gap') return 'gap';
    cursor = page.cursor;
    return page.changes.map(({ digest, entry }) => [
      digest[31],
      entry === undefined ? 'gone' : `${entry.keyId} ${entry.usable ? 'usable' : 'refused'}`,
    ]);
  };
  return { ...fixture, changes };
}

function insertKey(
  outside: Awaited<ReturnType<typeof openFixture>>['outside'],
  id: string,
  number: number,
  verb = 'insert',
) {
  outside
    .prepare(
      `${verb} into api_keys (id, account_id, digest, last_four, created_at_ms) values (?, 'acc_1', ?, 'wxyz', 1)`,
    )
    .run(id, digestNumber(number));
}

test('plain SQL of another program that adds, changes or removes a key is seen', async (t) => {
  const { outside, changes } = await withKeys(t);
  insertKey(outside, 'key_3', 3);
  assert.deepEqual(await changes(), [[3, 'key_3 usable']]);
  outside.exec(`update api_keys set status = 'disabled' where id = 'key_3'`);
  assert.deepEqual(await changes(), [[3, 'key_3 refused']]);
  outside.exec(`update api_keys set status = 'revoked' where id = 'key_3'`);
  assert.deepEqual(await changes(), [[3, 'gone']]);
  outside.exec(`delete from api_keys where id = 'key_1'`);
  assert.deepEqual(await changes(), [[1, 'gone']]);
  assert.deepEqual(await changes(), []);
});

test('a digest that another one replaces is gone, however it was replaced', async (t) => {
  const { outside, changes } = await withKeys(t);
  outside.prepare(`update api_keys set digest = ? where id = 'key_1'`).run(digestNumber(11));
  assert.deepEqual(await changes(), [
    [1, 'gone'],
    [11, 'key_1 usable'],
  ]);
  insertKey(outside, 'key_1', 12, 'insert or replace');
  assert.deepEqual(await changes(), [
    [11, 'gone'],
    [12, 'key_1 usable'],
  ]);
  insertKey(outside, 'key_9', 12, 'insert or replace');
  assert.deepEqual(await changes(), [[12, 'key_9 usable']]);
});

test('switching an account off or on, or removing it, is seen for each of its keys', async (t) => {
  const { outside, changes } = await withKeys(t);
  outside.exec(`update accounts set active = 0 where id = 'acc_1'`);
  assert.deepEqual(await changes(), [
    [1, 'key_1 refused'],
    [2, 'key_2 refused'],
  ]);
  outside.exec(`update accounts set active = 1 where id = 'acc_1'`);
  assert.equal((await changes()).length, 2);
  outside.exec(`update accounts set email = 'x@y.z' where id = 'acc_1'`);
  assert.deepEqual(await changes(), []);
  outside.exec(`pragma foreign_keys = off; delete from accounts where id = 'acc_1'`);
  assert.deepEqual(await changes(), [
    [1, 'key_1 refused'],
    [2, 'key_2 refused'],
  ]);
});

test('the schema itself refuses what no key or account can be', async (t) => {
  const { outside } = await withKeys(t);
  const refused = [
    `update api_keys set status = 'open' where id = 'key_1'`,
    `update api_keys set digest = x'00' where id = 'key_1'`,
    `update api_keys set limit_per_minute = 0 where id = 'key_1'`,
    `update api_keys set account_id = 'acc_none' where id = 'key_1'`,
    `update accounts set active = 2 where id = 'acc_1'`,
    `update accounts set email = 'A@B.C' where id = 'acc_2'`,
    `delete from accounts where id = 'acc_1'`,
  ];
  for (const statement of refused) assert.throws(() => outside.exec(statement), /constraint failed/, statement);
});

test('changes are read in pages without losing any', async (t) => {
  const { store, outside } = await withKeys(t);
  for (let number = 3; number <= 9; number++) insertKey(outside, `key_${number}`, number);
  const found: unknown[] = [];
  let cursor = beginning;
  for (let more = true; more; ) {
    const page = await store.accessChanges.since(cursor, 4);
    assert.ok(page.kind === 'changes');
    found.push(...page.changes.map(({ digest }) => digest[31]));
    ({ cursor, more } = page);
  }
  assert.deepEqual(found, [1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('pruning keeps the latest changes, and whoever missed the others is told of the gap', async (t) => {
  const { store, outside, changes } = await withKeys(t);
  for (let number = 3; number <= 9; number++) insertKey(outside, `key_${number}`, number);
  await store.accessChanges.prune(2);
  assert.equal(await changes(), 'gap');
  const page = await store.accessChanges.since(7 as ChangeCursor);
  assert.ok(page.kind === 'changes' && page.changes.length === 2);
  await store.accessChanges.prune(0);
  const latest = await store.accessChanges.latest();
  assert.equal(latest, 9);
  assert.deepEqual(await store.accessChanges.since(latest), {
    kind: 'changes',
    changes: [],
    cursor: latest,
    more: false,
  });
  assert.deepEqual(
    await store.accessChanges.since(8 as ChangeCursor),
    await store.accessChanges.since(8 as ChangeCursor),
  );
});

test('an older backup put in place of the database is a gap', async (t) => {
  const { store } = await withKeys(t);
  assert.deepEqual(await store.accessChanges.since(1_000 as ChangeCursor), { kind: 'gap' });
});

test('a store nobody has written to has no changes', async (t) => {
  const { store } = await openFixture(t);
  assert.equal(await store.accessChanges.latest(), beginning);
  const page = await store.accessChanges.since(beginning);
  assert.ok(page.kind === 'changes' && page.changes.length === 0);
});
