import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { seededRandomness } from '../../../test/support/fake-clock.ts';
import { systemClock } from '../../ground/clock.ts';
import { digestNumber, newDatabase, openEngine, postgresTest, refusal, sharedPostgres } from '../store.testing.ts';
import { openStore, type Store } from '../store.ts';
import type { StoreError } from '../store-error.ts';

const open = (url: string) => openStore({ url, clock: systemClock, randomness: seededRandomness(1) });

async function opened(t: TestContext, url: string): Promise<Store> {
  const store = await open(url);
  t.after(() => store.close());
  return store;
}

/** For `assert.rejects`: the reason, and a message that names the database and has these words. */
function refusedWith(reason: string, words: RegExp) {
  return (error: Error): boolean => {
    assert.match(error.message, words);
    assert.match(error.message, /postgres:\/\/\w+@127\.0\.0\.1:\d+\/\w+/);
    return refusal(reason)(error);
  };
}

postgresTest("another program's database is refused, and one made by a newer version", async (t) => {
  const { outside, url, store } = await openEngine(t, 'postgres');
  await store.close();
  await outside.run(`insert into kysely_migration (name, timestamp) values ('9999-later', '2030-01-01')`);
  await assert.rejects(open(url), refusedWith('newer_database', /newer version of this program \(step 9999-later\)/));
  await outside.run('drop table kysely_migration');
  await assert.rejects(open(url), refusedWith('foreign_database', /tables of another program/));
});

postgresTest('tables of extensions and of other schemas do not count as another program', async (t) => {
  const server = await sharedPostgres();
  const url = await server.newDatabase();
  await server.run('create role somebody login');
  await server.run(
    `create schema other; create table other.accounts (id text); create table other.kysely_migration (x text)`,
    url,
  );
  assert.deepEqual(await (await opened(t, url)).accounts.list(), []);
});

postgresTest('a database, server or schema that is not there is refused with the fix', async (t) => {
  const server = await sharedPostgres();
  await assert.rejects(open(server.urlOf('nowhere')), refusedWith('cannot_open', /does not exist. Create it/));
  await assert.rejects(open('postgres://u@127.0.0.1:1/d'), refusedWith('unreachable', /cannot be reached/));
  const url = await newDatabase(t, 'postgres');
  await server.run('create role schemaless login');
  await server.run(`alter role schemaless set search_path = 'nowhere'`);
  const schemaless = url.replace('postgres@', 'schemaless@');
  await assert.rejects(open(schemaless), refusedWith('cannot_open', /has no schema to work in/));
});

postgresTest('a password is asked for by the server and shown to nobody', async (t) => {
  const server = await sharedPostgres();
  const url = await server.newDatabase();
  await server.run(`create role guarded login superuser password 'hunter2'`);
  const guarded = url.replace('postgres@', 'guarded:hunter2@');
  assert.deepEqual(await (await opened(t, guarded)).accounts.list(), []);
  for (const wrong of [url.replace('postgres@', 'guarded@'), url.replace('postgres@', 'guarded:hunter3@')]) {
    await assert.rejects(open(wrong), (error: StoreError) => {
      assert.doesNotMatch(`${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`, /hunter/);
      return refusedWith('access_denied', /refuses this user/)(error);
    });
  }
});

postgresTest('a server without TLS is refused where TLS is wanted', async () => {
  const url = await (await sharedPostgres()).newDatabase();
  await assert.rejects(open(`${url}?sslmode=verify-full`), refusedWith('cannot_open', /offers no TLS/));
});

postgresTest('a user who may only use the tables works on a schema that is up to date', async (t) => {
  const { outside, url } = await openEngine(t, 'postgres');
  await outside.run('create role clerk login');
  await outside.run('grant select, insert, update, delete on all tables in schema public to clerk');
  await outside.run('grant usage on all sequences in schema public to clerk');
  const store = await opened(t, url.replace('postgres@', 'clerk@'));
  assert.equal((await store.accounts.create({ email: 'a@example.com' })).email, 'a@example.com');
});

postgresTest('another program needs rights on the tables it writes and on nothing else, as documented', async (t) => {
  const { outside, url, store } = await openEngine(t, 'postgres');
  const page = readFileSync(new URL('../../../docs/operators/postgresql.md', import.meta.url), 'utf8');
  const [, documented = ''] = /## Other programs.*?```sql\n\\connect mdapi\n(.*?)```/s.exec(page) ?? [];
  assert.match(documented, /GRANT/);
  await outside.run(documented);
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url.replace('postgres@', 'client_application@') });
  await client.connect();
  t.after(() => client.end());
  await client.query('set search_path = pg_temp, public');
  await client.query(`insert into accounts (id, email, created_at_ms) values ('acc_1', 'a@b.c', 1)`);
  const row = ['key_1', 'acc_1', digestNumber(1), 'wxyz', 1];
  const insert = 'insert into api_keys (id, account_id, digest, last_four, created_at_ms) values ($1, $2, $3, $4, $5)';
  await client.query(insert, row);
  assert.equal(await store.accessChanges.latest(), 1);
  await assert.rejects(client.query('delete from access_changes'), /permission denied/);
});

postgresTest('no message or cause of a failure holds a value of a row', async (t) => {
  const { outside, store } = await openEngine(t, 'postgres');
  await outside.run(`alter table accounts add constraint refused check (email <> 'secret@example.com')`);
  await assert.rejects(store.accounts.create({ email: 'secret@example.com' }), (error: StoreError) => {
    const shown = [error.message, error.stack, String(error.cause), JSON.stringify(error.cause)].join(' ');
    assert.doesNotMatch(shown, /secret@/);
    return refusal('unexpected')(error);
  });
});
