import assert from 'node:assert/strict';
import { Kysely, PostgresDialect, type PostgresPool, sql } from 'kysely';
import type pg from 'pg';
import { AccessChanges } from '../../src/store/access.ts';
import { Accounts } from '../../src/store/accounts.ts';
import { auditsOf } from '../../src/store/audit.ts';
import { Deliveries } from '../../src/store/deliveries.ts';
import { Keys } from '../../src/store/keys.ts';
import { migrateToLatest } from '../../src/store/migrate.ts';
import { asStoreError } from '../../src/store/postgres/errors.ts';
import { inspectPostgres } from '../../src/store/postgres/open.ts';
import type { Schema } from '../../src/store/schema.ts';
import type { StoreContext } from '../../src/store/store-context.ts';
import { readVersions } from '../../src/store/watch-changes.ts';
import { MaintenanceWindows } from '../../src/store/windows.ts';
import { FakeClock, seededRandomness } from '../support/fake-clock.ts';

/** A server with a database of its own for each case. */
export interface PostgresUnderTest {
  /** One more connection, as the service makes it. */
  connect(settings?: Readonly<Record<string, unknown>>): Promise<pg.Client>;
}

type Case = (server: PostgresUnderTest) => Promise<void>;

const digestOf = (number: number) => new Uint8Array(32).fill(number);
const coded = (code: string) => (error: unknown) => {
  assert.equal((error as { code?: string }).code, code, String(error));
  return true;
};

const notes = `create table notes (id text collate "C" primary key not null, kind text not null unique, bytes bytea,
  count integer default 0 not null constraint notes_count check (count >= 0), at_ms bigint)`;

async function withNotes(server: PostgresUnderTest) {
  const one = await server.connect({ lock_timeout: 300, statement_timeout: 3_000 });
  await one.query(notes);
  await one.query(
    `insert into notes (id, kind, count) values ('a', 'first', 1), ('b', 'second', 2), ('c', 'third', 3)`,
  );
  return { one, two: await server.connect({ lock_timeout: 300, statement_timeout: 3_000 }) };
}

/** Whether it has settled once everything that was sent before has been answered. */
async function isWaiting(promise: Promise<unknown>, by: pg.Client): Promise<boolean> {
  let isSettled = false;
  const settled = () => {
    isSettled = true;
  };
  promise.then(settled, settled);
  for (let round = 0; round < 10; round++) await by.query('select 1');
  return !isSettled;
}

/** A database with the store's schema, over connections that are not shared. */
async function storeOn(server: PostgresUnderTest) {
  const idle: pg.Client[] = [];
  const pool: PostgresPool = {
    connect: async () => {
      const client = idle.pop() ?? (await server.connect());
      const release = () => void idle.push(client);
      return { query: (text: string, values: unknown[]) => client.query(text, values), release } as never;
    },
    end: async () => {},
  } as never;
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  await migrateToLatest(db, 'test', 'public');
  const [clock, randomness] = [new FakeClock(), seededRandomness(1)];
  const context: StoreContext = { db, clock, randomness, audit: auditsOf(clock, randomness)('test') };
  return { db, clock, context };
}

const keyOf = (accountId: string, number: number) => ({
  accountId,
  digest: digestOf(number),
  lastFour: 'wxyz',
  label: '',
  expiresAt: undefined,
  limitPerMinute: undefined,
});

/** The service's use of PostgreSQL, case by case. The model of the simulation passes it, and so does a real server: the model does not lie. */
export const postgresConformance: Readonly<Record<string, Case>> = {
  'values come back as they went in, of the types that the store has': async (server) => {
    const { one } = await withNotes(server);
    const [large, bytes] = [1_795_514_400_123, Buffer.from([0, 1, 254, 255])];
    const insert = 'insert into notes (id, kind, bytes, count, at_ms) values ($1, $2, $3, $4, $5) returning *';
    const made = await one.query(insert, ['0012', '-5', bytes, 7, large]);
    assert.deepEqual(made.rows[0], { id: '0012', kind: '-5', bytes: new Uint8Array(bytes), count: 7, at_ms: large });
    assert.deepEqual([made.command, made.rowCount], ['INSERT', 1]);
    const unset = await one.query('update notes set at_ms = $1, bytes = $2 where id = $3 returning at_ms, bytes', [
      null,
      null,
      '0012',
    ]);
    assert.deepEqual(unset.rows, [{ at_ms: null, bytes: null }]);
    const empty = await one.query(`insert into notes (id, kind, bytes) values ($1, 'é ''q'' $1', $2) returning *`, [
      '',
      Buffer.alloc(0),
    ]);
    assert.deepEqual(empty.rows[0], { id: '', kind: `é 'q' $1`, bytes: new Uint8Array(), count: 0, at_ms: null });
  },
  'counts are numbers, a sum of large numbers is text, bytes can be told as text': async (server) => {
    const { one } = await withNotes(server);
    await one.query('update notes set at_ms = $1, bytes = $2', [5_000_000_000, Buffer.from([10, 255])]);
    const asked = `select count(*) as many, max(at_ms) as latest, sum(at_ms) as total, encode(max(bytes), 'hex') as bytes,
      case when count(*) = 3 then 1 else 0 end as fits, coalesce(max(count), $1) as most from notes`;
    const { rows } = await one.query(
      asked.replace('encode(max(bytes)', 'encode((select bytes from notes limit 1)'),
      [0],
    );
    assert.deepEqual(rows, [{ many: 3, latest: 5_000_000_000, total: '15000000000', bytes: '0aff', fits: 1, most: 3 }]);
  },
  'texts are in the order of their bytes, pages go on after a row, and patterns know large from small letters': async (
    server,
  ) => {
    const { one } = await withNotes(server);
    await one.query(`insert into notes (id, kind, count) values ('B', 'x', 2), ('ä', 'y', 2)`);
    const idsOf = async (rest: string, ...values: unknown[]) =>
      (await one.query(`select id from notes ${rest}`, values)).rows.map(({ id }) => id);
    assert.deepEqual(await idsOf('order by id'), ['B', 'a', 'b', 'c', 'ä']);
    assert.deepEqual(await idsOf('where (count, id) > ($1, $2) order by count, id limit $3', 2, 'B', 2), ['b', 'ä']);
    assert.deepEqual(await idsOf(`where id like 'b%'`), ['b']);
    assert.deepEqual(await idsOf('where count in ($1, $2) and at_ms is null order by id desc limit 2', 1, 3), [
      'c',
      'a',
    ]);
  },
  'each refusal has its code': async (server) => {
    const { one } = await withNotes(server);
    await one.query('create table parts (id text primary key not null, note_id text not null references notes (id))');
    const refusals: readonly (readonly [string, string])[] = [
      [`insert into notes (id, kind) values ('a', 'other')`, '23505'],
      [`insert into notes (id, kind) values ('d', 'first')`, '23505'],
      [`insert into notes (id) values ('d')`, '23502'],
      [`update notes set count = -1 where id = 'a'`, '23514'],
      [`insert into parts (id, note_id) values ('p', 'none')`, '23503'],
      [`update notes set count = 3000000000`, '22003'],
      ['select * from nowhere', '42P01'],
      ['select nowhere from notes', '42703'],
      ['selec 1', '42601'],
      [notes, '42P07'],
    ];
    for (const [statement, code] of refusals) await assert.rejects(one.query(statement), coded(code), statement);
    await assert.rejects(
      one.query('insert into notes (id, kind, count) values ($1, $1, $2)', ['d', 'many']),
      coded('22P02'),
    );
    assert.equal((await one.query('select count(*) as many from notes')).rows[0].many, 3);
  },
  'a conflict leaves the row, or changes it where it fits': async (server) => {
    const { one } = await withNotes(server);
    const nothing = await one.query(
      `insert into notes (id, kind) values ('a', 'x') on conflict do nothing returning id`,
    );
    assert.deepEqual([nothing.rowCount, nothing.rows], [0, []]);
    const add =
      'insert into notes (id, kind, count) values ($1, $1, $2) on conflict (id) do update set count = notes.count + excluded.count';
    assert.equal((await one.query(add, ['a', 10])).rowCount, 1);
    assert.equal((await one.query(`${add} where notes.count = $3`, ['a', 10, 1])).rowCount, 0);
    assert.deepEqual((await one.query(`select count from notes where id = 'a'`)).rows, [{ count: 11 }]);
    assert.equal((await one.query('update notes set count = count + 1 where count < $1', [11])).rowCount, 2);
    assert.equal((await one.query('delete from notes where count > $1', [100])).rowCount, 0);
  },
  'nobody sees what is not committed, and everybody what is, in the middle of a transaction too': async (server) => {
    const { one, two } = await withNotes(server);
    const countBy = async (client: pg.Client) =>
      (await client.query(`select count from notes where id = 'a'`)).rows[0].count;
    await two.query('begin');
    await two.query(`update notes set count = 20 where id = 'b'`);
    await one.query('begin');
    await one.query(`update notes set count = 10 where id = 'a'`);
    assert.deepEqual([await countBy(one), await countBy(two)], [10, 1]);
    await one.query('commit');
    assert.equal(await countBy(two), 10);
    await two.query('rollback');
    assert.deepEqual((await one.query(`select count from notes where id = 'b'`)).rows, [{ count: 2 }]);
  },
  'a transaction that failed refuses everything until its end, and nothing of it stays': async (server) => {
    const { one, two } = await withNotes(server);
    await one.query('begin');
    await one.query(`update notes set count = 10 where id = 'a'`);
    await assert.rejects(one.query(`insert into notes (id, kind) values ('a', 'x')`), coded('23505'));
    await two.query(`update notes set count = 5 where id = 'a'`);
    await assert.rejects(one.query('select 1'), coded('25P02'));
    assert.equal((await one.query('commit')).command, 'ROLLBACK');
    assert.deepEqual((await one.query(`select count from notes where id = 'a'`)).rows, [{ count: 5 }]);
  },
  'who changes a row waits for its lock, and goes on from what was committed': async (server) => {
    const { one, two } = await withNotes(server);
    await one.query('begin');
    await one.query(`select * from notes where id = 'a' for update`);
    const adding = two.query(`update notes set count = count + 1 where id = 'a'`);
    const three = await server.connect();
    assert.ok(await isWaiting(adding, three));
    await three.query(`update notes set count = 9 where id = 'b'`);
    await one.query(`update notes set count = 10 where id = 'a'`);
    await one.query('commit');
    assert.equal((await adding).rowCount, 1);
    assert.deepEqual((await one.query(`select count from notes where id = 'a'`)).rows, [{ count: 11 }]);
    await one.query('begin');
    await one.query(`update notes set count = 0 where id = 'a'`);
    const gone = two.query(`update notes set count = 12 where id = 'a' and count > 0`);
    assert.ok(await isWaiting(gone, three));
    await one.query('commit');
    assert.equal((await gone).rowCount, 0);
  },
  'who makes what another is making waits, and conflicts only if that one commits': async (server) => {
    const { one, two } = await withNotes(server);
    const three = await server.connect();
    for (const [end, rows] of [
      ['rollback', 1],
      ['commit', 0],
    ] as const) {
      await one.query('begin');
      await one.query('insert into notes (id, kind) values ($1, $2)', [`one ${end}`, `same ${end}`]);
      const other = two.query('insert into notes (id, kind) values ($1, $2) on conflict do nothing', [
        `two ${end}`,
        `same ${end}`,
      ]);
      assert.ok(await isWaiting(other, three));
      await one.query(end);
      assert.equal((await other).rowCount, rows, end);
    }
  },
  'a lock is waited for no longer than allowed, and rows that are locked can be left out': async (server) => {
    const { one, two } = await withNotes(server);
    await one.query('begin');
    await one.query(`select id from notes order by id limit 1 for update`);
    const free = `select id from notes order by id limit $1 for update skip locked`;
    assert.deepEqual((await two.query(free, [1])).rows, [{ id: 'b' }]);
    await assert.rejects(two.query(`update notes set count = 5 where id = 'a'`), coded('55P03'));
    await two.query(`update notes set count = 5 where id = 'b'`);
    await one.query('rollback');
    assert.equal((await two.query(`update notes set count = 5 where id = 'a'`)).rowCount, 1);
  },
  'of two transactions that wait for each other one is ended': async (server) => {
    const { one } = await withNotes(server);
    const [three, four] = [await server.connect(), await server.connect()];
    for (const [client, id] of [
      [three, 'a'],
      [four, 'b'],
    ] as const) {
      await client.query('begin');
      await client.query('update notes set count = 7 where id = $1', [id]);
    }
    const crossed = [
      three.query(`update notes set count = 8 where id = 'b'`).then(() => three.query('commit')),
      four.query(`update notes set count = 8 where id = 'a'`).then(() => four.query('commit')),
    ];
    const failed = (await Promise.allSettled(crossed)).flatMap((one) =>
      one.status === 'rejected' ? [one.reason.code] : [],
    );
    assert.deepEqual(failed, ['40P01']);
    assert.equal((await one.query('select count(*) as many from notes where count > 6')).rows[0].many, 2);
  },
  'a statement that takes too long is ended, and so is a transaction that stands still': async (server) => {
    const { two } = await withNotes(server);
    const hasty = await server.connect({ statement_timeout: 100, idle_in_transaction_session_timeout: 200 });
    await assert.rejects(hasty.query('select pg_sleep(5)'), coded('57014'));
    await hasty.query('begin');
    await hasty.query(`update notes set count = 5 where id = 'a'`);
    const lost = new Promise((resolve) => hasty.once('error', resolve));
    await two.query(`set lock_timeout = 5000`);
    assert.equal(
      (await two.query(`update notes set count = count + 1 where id = 'a' returning count`)).rows[0].count,
      2,
    );
    await lost;
    await assert.rejects(hasty.query('select 1'));
  },
  'a connection that is ended undoes its transaction, and is told why': async (server) => {
    const { one, two } = await withNotes(server);
    const told = new Promise<Error>((resolve) => two.once('error', resolve));
    const { rows } = await two.query('select pg_backend_pid() as pid');
    await two.query('begin');
    await two.query(`update notes set count = 50 where id = 'a'`);
    await one.query('select pg_terminate_backend($1)', [rows[0].pid]);
    assert.equal(asStoreError(await told, 'test').reason, 'unreachable');
    assert.deepEqual((await one.query(`update notes set count = count + 1 where id = 'a' returning count`)).rows, [
      { count: 2 },
    ]);
  },
  'what is notified is heard once it is committed, by those who listen': async (server) => {
    const { one, two } = await withNotes(server);
    const heard: string[] = [];
    two.on('notification', ({ channel, payload }) => heard.push(`${channel} ${payload}`));
    await two.query('listen changes');
    for (const end of ['rollback', 'commit'] as const) {
      await one.query('begin');
      await one.query(`select pg_notify('changes', '${end}')`);
      await one.query(`select pg_notify('changes', '${end}')`);
      await one.query(`select pg_notify('other', 'x')`);
      assert.deepEqual(heard, []);
      await one.query(end);
    }
    for (let round = 0; heard.length === 0 && round < 1_000; round++) await two.query('select 1');
    assert.deepEqual(heard, ['changes commit']);
  },
  'whoever may only read is refused every change': async (server) => {
    await withNotes(server);
    const reader = await server.connect({ options: '-c default_transaction_read_only=on' });
    const asked = `select (current_setting('transaction_read_only') = 'on')::integer as "readOnly", count(*) as many from notes`;
    assert.deepEqual((await reader.query(asked)).rows, [{ readOnly: 1, many: 3 }]);
    await assert.rejects(reader.query('delete from notes'), coded('25006'));
    await reader.query('begin');
    await assert.rejects(reader.query('select * from notes for update'), coded('25006'));
    await reader.query('rollback');
  },
  'advisory locks are waited for, beyond the end of a transaction': async (server) => {
    const [one, two] = [await server.connect(), await server.connect()];
    await one.query('begin');
    await one.query('select pg_advisory_lock(77)');
    await one.query('commit');
    const waiting = two.query('select pg_advisory_xact_lock(77)');
    assert.ok(await isWaiting(waiting, one));
    await one.query('select pg_advisory_unlock(77)');
    await waiting;
  },
  'the schema is made by several at once, once': async (server) => {
    const { db } = await storeOn(server);
    await Promise.all([1, 2].map(() => migrateToLatest(db, 'test', 'public')));
    assert.equal(await inspectPostgres(db, { name: 'test' } as never), 'current');
    const { rows } = await sql<{ many: number }>`select count(*) as many from kysely_migration`.execute(db);
    assert.equal(rows[0]!.many, 9);
    const versions = {
      access: 0,
      marketControls: 0,
      maintenanceWindows: 0,
      terms: 0,
      lossesAccepted: 0,
      audit: 0,
      readOnly: 0,
    };
    assert.deepEqual(await readVersions(db), versions);
  },
  'the triggers number the changes of keys, tell of them, and leave no gap': async (server) => {
    const { context, db } = await storeOn(server);
    const [keys, accounts, changes] = [new Keys(context), new Accounts(context), new AccessChanges(context)];
    const listener = await server.connect();
    let heard = 0;
    listener.on('notification', () => heard++);
    await listener.query('listen mdapi_changes');
    const { id: accountId } = await accounts.create({ email: 'a@example.com' });
    const made = [];
    for (const number of [1, 2, 3]) made.push(await keys.insert(keyOf(accountId, number)));
    await Promise.allSettled([keys.setStatus(made[0]!.id, 'revoked'), keys.setStatus(made[1]!.id, 'disabled')]);
    await assert.rejects(keys.insert(keyOf(accountId, 3)));
    const rotated = await keys.rotate(made[2]!.id, {
      digest: digestOf(9),
      lastFour: 'abcd',
      overlapMs: 0,
      expiresAt: undefined,
    });
    await accounts.setActive(accountId, false);
    const found = await changes.since(0 as never);
    assert.ok(found.kind === 'changes');
    assert.equal(found.cursor, (await readVersions(db)).access);
    assert.deepEqual(
      found.changes.slice(0, 3).map(({ digest }) => digest[0]),
      [1, 2, 3],
    );
    assert.equal(found.changes.length, 11);
    const [last] = found.changes.filter(({ digest }) => digest[0] === 9).slice(-1);
    assert.deepEqual([last?.entry?.keyId, last?.entry?.usable], [rotated.replacement.id, false]);
    for (let round = 0; heard < 7 && round < 1_000; round++) await listener.query('select 1');
    assert.equal(heard, 7);
  },
  'windows raise their version, and mails are claimed by one': async (server) => {
    const { context, db, clock } = await storeOn(server);
    const [windows, deliveries] = [new MaintenanceWindows(context), new Deliveries(context)];
    const now = clock.now();
    const { id } = await windows.announce({ from: now, to: (now + 60_000) as never, description: 'Upgrade' });
    await windows.end(id);
    assert.equal((await readVersions(db)).maintenanceWindows, 2);
    const row = { id: 'dlv_1', destination: 'ops', content: '{}', status: 'pending' as const, created_at_ms: now };
    await db
      .insertInto('deliveries')
      .values({ ...row, next_attempt_at_ms: now } as never)
      .execute();
    const claim = { leaseMs: 1_000, messageIdDomain: 'example.com' };
    const claimed = await Promise.all([deliveries.claim(claim), deliveries.claim(claim)]);
    assert.equal(claimed.filter((one) => one !== undefined).length, 1);
  },
};
