import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { seededRandomness } from '../../../test/support/fake-clock.ts';
import { needsPgBouncer, PgBouncer, type PoolMode } from '../../../test/support/pgbouncer.ts';
import { type PostgresServer, postgresMissing, startPostgres } from '../../../test/support/postgres.ts';
import { systemClock } from '../../ground/clock.ts';
import { openDatabaseToRead } from '../open-database.ts';
import { digestNumber, refusal } from '../store.testing.ts';
import { openStore } from '../store.ts';

let shared: Promise<PostgresServer> | undefined;
after(async () => (await shared)?.stop());

function poolerTest(name: string, run: (t: TestContext) => Promise<void>): void {
  test(name, { skip: postgresMissing ?? needsPgBouncer.skip ?? false }, run);
}

/** A pooler before a server, with an empty database by its name. */
async function behind(t: TestContext, mode: PoolMode) {
  shared ??= startPostgres();
  const server = await shared;
  const direct = await server.newDatabase();
  const pooler = await PgBouncer.start(t, server, mode);
  const url = pooler.urlOf(new URL(direct).pathname.slice(1));
  let seed = 1;
  const open = async (at = url) => {
    const store = await openStore({ url: at, clock: systemClock, randomness: seededRandomness(seed++) });
    t.after(() => store.close());
    return store;
  };
  const outside = (sql: string) => server.run(sql, direct);
  return { pooler, url, open, outside };
}

for (const mode of ['session', 'transaction'] as const) {
  poolerTest(`PgBouncer as it comes is worked through, by ${mode} (fault row 105)`, async (t) => {
    const { open, outside, url } = await behind(t, mode);
    const [store, other] = [await open(), await open()];
    const { id: accountId } = await store.accounts.create({ email: 'a@example.com' });
    let isTold = false;
    const watch = other.watchChanges({
      changed: ({ access }) => {
        isTold ||= access;
      },
      failed: (error) => assert.fail(String(error)),
    });
    await watch.look();
    isTold = false;
    const writing = Array.from({ length: 20 }, (_, number) =>
      (number % 2 === 0 ? store : other).keys.insert({ accountId, digest: digestNumber(number), lastFour: 'wxyz' }),
    );
    await Promise.all(writing);
    await eventually('the other store is told', () => isTold, 1_000);
    assert.equal((await other.keys.list()).length, 20);
    const locks = `select from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`;
    assert.equal((await outside(locks)).rowCount, 0, 'no lock stays with a connection of the pooler');
    const { db, state } = await openDatabaseToRead(url, systemClock);
    t.after(() => db.destroy());
    assert.equal(state, 'current');
    await assert.rejects(db.deleteFrom('accounts').execute(), refusal('read_only'));
  });

  poolerTest(`a lock is waited for no longer than without PgBouncer, by ${mode} (fault row 105)`, async (t) => {
    const { open, outside } = await behind(t, mode);
    const store = await open();
    const { id: accountId } = await store.accounts.create({ email: 'a@example.com' });
    const key = await store.keys.insert({ accountId, digest: digestNumber(1), lastFour: 'wxyz' });
    const holding = outside(`begin; lock table api_keys; select pg_sleep(100)`).catch(() => {});
    const holders = `from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`;
    await eventually('the lock is held', async () => (await outside(`select ${holders}`)).rowCount === 1);
    const attempts = [store.keys.setStatus(key.id, 'disabled'), store.keys.get(key.id)];
    await Promise.all(attempts.map((attempt) => assert.rejects(attempt, refusal('locked'))));
    await outside(`select pg_terminate_backend(pid) ${holders}`);
    await holding;
    await store.keys.setStatus(key.id, 'disabled');
  });
}

poolerTest(
  'processes that start at once on an empty database behind PgBouncer all open it (fault row 108)',
  async (t) => {
    for (let round = 0; round < 4; round++) {
      const { open, outside } = await behind(t, 'transaction');
      const stores = await Promise.all(Array.from({ length: 6 }, () => open()));
      assert.deepEqual((await Promise.all(stores.map((store) => store.accounts.list()))).flat(), []);
      const locks = `select from pg_locks where locktype = 'advisory'`;
      assert.equal((await outside(locks)).rowCount, 0, 'no lock stays with a connection of the pooler');
      await Promise.all(stores.map((store) => store.close()));
    }
  },
);

poolerTest('no setting stays with a connection that PgBouncer lends to the next program (fault row 105)', async (t) => {
  const { open, outside, pooler, url } = await behind(t, 'transaction');
  await (await open()).accounts.list();
  const { db } = await openDatabaseToRead(url, systemClock);
  t.after(() => db.destroy());
  const { default: pg } = await import('pg');
  const next = new pg.Client({ connectionString: pooler.urlOf(new URL(url).pathname.slice(1)) });
  next.on('error', () => {});
  await next.connect();
  t.after(() => next.end());
  const settings = `select name from pg_settings where source = 'session'
    and name in ('lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout', 'default_transaction_read_only')`;
  assert.deepEqual((await next.query(settings)).rows, []);
  const lent = `select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
  assert.ok((await outside(lent)).rowCount! > 0);
});

poolerTest('what PgBouncer refuses for good ends the start in its own words (fault row 105)', async (t) => {
  const { pooler, open } = await behind(t, 'session');
  const refusals = [
    [pooler.urlOf('nowhere'), /database "nowhere" does not exist/],
    [pooler.urlOf('postgres', 'nobody_there:secret'), /role "nobody_there" does not exist/],
    [pooler.urlOf('postgres', 'stranger:secret'), /password authentication failed/],
    [pooler.urlOf('postgres', 'postgres:wrong'), /password authentication failed/],
  ] as const;
  for (const [url, words] of refusals) {
    await assert.rejects(open(url), (error: Error) => {
      assert.match(error.message, words);
      assert.doesNotMatch(error.message, /secret|wrong/);
      return refusal('cannot_open')(error);
    });
  }
});
