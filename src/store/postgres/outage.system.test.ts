import assert from 'node:assert/strict';
import { after, type TestContext } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { FakeClock, seededRandomness } from '../../../test/support/fake-clock.ts';
import { type PostgresServer, startPostgres } from '../../../test/support/postgres.ts';
import { type Clock, systemClock } from '../../ground/clock.ts';
import { digestNumber, postgresTest, refusal } from '../store.testing.ts';
import { openStore } from '../store.ts';

let shared: Promise<PostgresServer> | undefined;
after(async () => (await shared)?.stop());

/** A store as a server has it, watched, with one account. What was heard are topics and the reasons of failures. */
async function watched(t: TestContext, clock: Clock = systemClock) {
  shared ??= startPostgres();
  const server = await shared;
  const url = await server.newDatabase();
  const store = await openStore({ url, clock, randomness: seededRandomness(1) });
  t.after(() => store.close());
  const heard: string[] = [];
  const watch = store.watchChanges({
    changed: ({ access }) => void (access && heard.push('access')),
    failed: (error) => void heard.push((error as { reason: string }).reason),
    recovered: () => void heard.push('recovered'),
  });
  const { id: accountId } = await store.accounts.create({ email: 'a@example.com' });
  await watch.look();
  heard.splice(0);
  /** Another program's SQL in the same database. */
  const outside = (sql: string) => server.run(sql, url);
  const addKey = (number: number) =>
    outside(`insert into api_keys (id, account_id, digest, last_four, created_at_ms)
      values ('key_${number}', '${accountId}', '\\x${Buffer.from(digestNumber(number)).toString('hex')}', 'wxyz', 1)`);
  const hears = (word: string, deadlineMs?: number) =>
    eventually(`${word} is heard`, () => heard.includes(word), deadlineMs);
  return { server, url, store, heard, hears, outside, addKey, accountId };
}

async function timed<T>(run: () => Promise<T>): Promise<number> {
  const startedMs = performance.now();
  await run().catch(() => {});
  return performance.now() - startedMs;
}

type Rows = Awaited<ReturnType<PostgresServer['run']>>['rows'];

/** The connections of this database that listen. */
async function listenersOf(outside: (sql: string) => ReturnType<PostgresServer['run']>): Promise<Rows> {
  const sql = `select pid from pg_stat_activity where datname = current_database() and query ilike 'listen%'`;
  return (await outside(sql)).rows;
}

postgresTest('a change announces itself: the watch hears of it without looking', async (t) => {
  // No timer of this clock ever runs.
  const { outside, addKey, hears } = await watched(t, new FakeClock());
  await eventually('it listens', async () => (await listenersOf(outside)).length > 0);
  await addKey(1);
  await hears('access');
});

postgresTest('a watch whose announcements are cut off looks by itself, and listens again', async (t) => {
  const { outside, addKey, hears, heard } = await watched(t);
  const [first] = await eventually('it listens', async () => {
    const found = await listenersOf(outside);
    return found.length > 0 && found;
  });
  await outside(`select pg_terminate_backend(${first.pid})`);
  await addKey(1);
  await hears('access', 1_000);
  await eventually('it listens again', async () => (await listenersOf(outside)).some(({ pid }) => pid !== first.pid));
  assert.ok(!heard.includes('unreachable'), 'which is no failure of the store');
});

postgresTest('a server that is killed fails at once, once, and everything continues when it is back', async (t) => {
  const { server, store, addKey, hears, heard } = await watched(t);
  await server.kill();
  await hears('unreachable');
  await assert.rejects(store.snapshots.save('market', '{}'), refusal('unreachable'));
  assert.ok((await timed(() => store.accounts.list())) < 1_000);
  await server.start();
  await addKey(1);
  await hears('access', 2_000);
  await hears('recovered');
  assert.equal(heard.filter((word) => word === 'unreachable').length, 1);
  await store.snapshots.save('market', '{}');
});

postgresTest('connections that the server ends are replaced, and a transaction among them fails whole', async (t) => {
  const { outside, store, accountId } = await watched(t);
  const end = `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
  for (let round = 0; round < 5; round++) {
    const writing = store.keys.insert({ accountId, digest: digestNumber(round), lastFour: 'wxyz' }).then(
      () => 1,
      (error: Error) => {
        assert.ok(refusal('unreachable')(error), String(error));
        return 0;
      },
    );
    await outside(end);
    const written = await writing;
    const found = (await eventually('the store answers', () =>
      store.keys.list().catch(() => false as const),
    )) as unknown[];
    const entries = (await store.audit.page({ limit: 100 })).items.filter(({ action }) => action === 'key.create');
    assert.equal(found.length, entries.length);
    assert.ok(found.length >= written);
  }
});

postgresTest('a server that hangs fails after seconds, then at once, and cannot delay the shutdown', async (t) => {
  const { server, store, url, hears, addKey } = await watched(t);
  const doomed = await openStore({ url, clock: systemClock, randomness: seededRandomness(2) });
  doomed.watchChanges({ changed() {}, failed() {} });
  await doomed.accounts.list();
  server.freeze();
  t.after(() => server.thaw());
  const firstMs = await timed(() => store.accounts.list());
  assert.ok(firstMs > 1_000 && firstMs < 8_000, `${firstMs}`);
  await hears('no_answer', 8_000);
  const both = [1, 2].map(() => timed(() => store.snapshots.save('market', '{}')));
  assert.ok(Math.min(...(await Promise.all(both))) < 100, 'nobody waits for what is known to hang');
  assert.ok((await timed(() => openStore({ url, clock: systemClock, randomness: seededRandomness(3) }))) < 5_000);
  assert.ok((await timed(() => doomed.close())) < 8_000);
  server.thaw();
  await hears('recovered');
  await addKey(1);
  await hears('access', 2_000);
  await store.snapshots.save('market', '{}');
});

postgresTest(
  'a server that has become read-only is reported, what others wrote before is still read, and the store recovers by itself',
  async (t) => {
    const { server, url, outside, store, addKey, hears, heard } = await watched(t);
    const database = new URL(url).pathname.slice(1);
    const end = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}'`;
    await addKey(1);
    await hears('access');
    await server.run(`alter database ${database} set default_transaction_read_only = on`);
    await server.run(end);
    await hears('read_only');
    await assert.rejects(
      eventually('the store answers', () =>
        store.accounts.create({ email: 'b@example.com' }).catch((error) => {
          if ((error as { reason: string }).reason === 'read_only') throw error;
          return false;
        }),
      ),
      refusal('read_only'),
    );
    assert.equal((await store.keys.list()).length, 1);
    heard.splice(0);
    await server.run(`alter database ${database} reset default_transaction_read_only`);
    await server.run(end);
    await hears('recovered');
    await outside('select 1');
    assert.equal((await store.accounts.create({ email: 'b@example.com' })).email, 'b@example.com');
  },
);

postgresTest('a server without a free connection is reported as such, and used when it has one', async (t) => {
  const { server, url } = await watched(t);
  await server.run('create role crowded login superuser connection limit 1');
  const crowded = url.replace('postgres@', 'crowded@');
  await server.run('alter role crowded nosuperuser; grant pg_read_all_data, pg_write_all_data to crowded');
  const open = () => openStore({ url: crowded, clock: systemClock, randomness: seededRandomness(4) });
  const first = await open();
  await assert.rejects(open(), (error: Error) => {
    assert.match(error.message, /has no connection left/);
    return refusal('unreachable')(error);
  });
  await first.close();
  // The server lets go of a connection some moments after its end.
  const next = await eventually('there is one to spare', () => open().catch(() => false as const));
  await next.close();
});

postgresTest('a lock that another program holds is waited for some seconds, and then reported', async (t) => {
  const { store, outside, accountId } = await watched(t);
  const key = await store.keys.insert({ accountId, digest: digestNumber(1), lastFour: 'wxyz' });
  const holding = outside(`begin; select from api_keys for update; select pg_sleep(100)`).catch(() => {});
  const holders = `from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`;
  await eventually('the lock is held', async () => (await outside(`select ${holders}`)).rowCount === 1);
  const startedMs = performance.now();
  await assert.rejects(store.keys.setStatus(key.id, 'disabled'), refusal('locked'));
  assert.ok(performance.now() - startedMs > 2_000);
  await outside(`select pg_terminate_backend(pid) ${holders}`);
  await holding;
  await store.keys.setStatus(key.id, 'disabled');
});
