import assert from 'node:assert/strict';
import type { ChangeCursor } from './access.ts';
import { digestNumber, type EngineFixture, type OutsideConnection, openEngine, storeTest } from './store.testing.ts';

const beginning = 0 as ChangeCursor;

async function withKeys(t: Parameters<typeof openEngine>[0]) {
  const fixture = await openEngine(t);
  const { store, outside } = fixture;
  await outside.run(
    `insert into accounts (id, email, created_at_ms) values ('acc_1', 'a@b.c', 1), ('acc_2', 'd@e.f', 1)`,
  );
  await insertKey(outside, 'key_1', 1);
  await insertKey(outside, 'key_2', 2);
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

async function insertKey(outside: OutsideConnection, id: string, number: number): Promise<void> {
  await outside.run(`${insert} values (?, 'acc_1', ?, 'wxyz', 1)`, id, digestNumber(number));
}

const insert = 'insert into api_keys (id, account_id, digest, last_four, created_at_ms)';

/** Puts a key in the place of whatever key has the same id or digest, as each engine's own dialect has it. */
async function replaceKey({ engine, outside }: EngineFixture, id: string, number: number): Promise<void> {
  if (engine === 'sqlite') {
    await outside.run(
      `insert or replace into api_keys (id, account_id, digest, last_four, created_at_ms)
      values (?, 'acc_1', ?, 'wxyz', 1)`,
      id,
      digestNumber(number),
    );
    return;
  }
  const [taken] = await outside.run('select id from api_keys where digest = ?', digestNumber(number));
  const conflict = taken === undefined ? 'id' : 'digest';
  await outside.run(
    `${insert} values (?, 'acc_1', ?, 'wxyz', 1)
    on conflict (${conflict}) do update set id = excluded.id, digest = excluded.digest`,
    id,
    digestNumber(number),
  );
}

storeTest('plain SQL of another program that adds, changes or removes a key is seen', async (t) => {
  const { outside, changes } = await withKeys(t);
  await insertKey(outside, 'key_3', 3);
  assert.deepEqual(await changes(), [[3, 'key_3 usable']]);
  await outside.run(`update api_keys set status = 'disabled' where id = 'key_3'`);
  assert.deepEqual(await changes(), [[3, 'key_3 refused']]);
  await outside.run(`update api_keys set status = 'revoked' where id = 'key_3'`);
  assert.deepEqual(await changes(), [[3, 'gone']]);
  await outside.run(`delete from api_keys where id = 'key_1'`);
  assert.deepEqual(await changes(), [[1, 'gone']]);
  assert.deepEqual(await changes(), []);
});

storeTest('a digest that another one replaces is gone, however it was replaced', async (t) => {
  const fixture = await withKeys(t);
  const { outside, changes } = fixture;
  await outside.run(`update api_keys set digest = ? where id = 'key_1'`, digestNumber(11));
  assert.deepEqual(await changes(), [
    [1, 'gone'],
    [11, 'key_1 usable'],
  ]);
  await replaceKey(fixture, 'key_1', 12);
  assert.deepEqual(await changes(), [
    [11, 'gone'],
    [12, 'key_1 usable'],
  ]);
  await replaceKey(fixture, 'key_9', 12);
  assert.deepEqual(await changes(), [[12, 'key_9 usable']]);
});

storeTest('switching an account off or on, or removing it, is seen for each of its keys', async (t) => {
  const { engine, outside, changes } = await withKeys(t);
  await outside.run(`update accounts set active = 0 where id = 'acc_1'`);
  assert.deepEqual(await changes(), [
    [1, 'key_1 refused'],
    [2, 'key_2 refused'],
  ]);
  await outside.run(`update accounts set active = 1 where id = 'acc_1'`);
  assert.equal((await changes()).length, 2);
  await outside.run(`update accounts set email = 'x@y.z' where id = 'acc_1'`);
  assert.deepEqual(await changes(), []);
  if (engine === 'postgres') return;
  await outside.run('pragma foreign_keys = off');
  await outside.run(`delete from accounts where id = 'acc_1'`);
  assert.deepEqual(await changes(), [
    [1, 'key_1 refused'],
    [2, 'key_2 refused'],
  ]);
});

storeTest('the schema itself refuses what no key or account can be', async (t) => {
  const { outside } = await withKeys(t);
  const refused = [
    `update api_keys set status = 'open' where id = 'key_1'`,
    `update api_keys set limit_per_minute = 0 where id = 'key_1'`,
    `update api_keys set account_id = 'acc_none' where id = 'key_1'`,
    `update accounts set active = 2 where id = 'acc_1'`,
    `update accounts set email = 'A@B.C' where id = 'acc_2'`,
    `delete from accounts where id = 'acc_1'`,
  ];
  for (const statement of refused) await assert.rejects(outside.run(statement), /constraint/, statement);
  const short = outside.run(`update api_keys set digest = ? where id = 'key_1'`, new Uint8Array(31));
  await assert.rejects(short, /constraint/);
});

storeTest('changes are read in pages without losing any', async (t) => {
  const { store, outside } = await withKeys(t);
  for (let number = 3; number <= 9; number++) await insertKey(outside, `key_${number}`, number);
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

storeTest('pruning keeps the latest changes, and a reader who missed the others sees a gap', async (t) => {
  const { store, outside, changes } = await withKeys(t);
  for (let number = 3; number <= 9; number++) await insertKey(outside, `key_${number}`, number);
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

storeTest('an older backup put in place of the database is a gap', async (t) => {
  const { store } = await withKeys(t);
  assert.deepEqual(await store.accessChanges.since(1_000 as ChangeCursor), { kind: 'gap' });
});

storeTest('a store nobody has written to has no changes', async (t) => {
  const { store } = await openEngine(t);
  assert.equal(await store.accessChanges.latest(), beginning);
  const page = await store.accessChanges.since(beginning);
  assert.ok(page.kind === 'changes' && page.changes.length === 0);
});
