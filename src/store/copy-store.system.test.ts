import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { FakeClock, seededRandomness } from '../../test/support/fake-clock.ts';
import type { EpochMs } from '../ground/clock.ts';
import { type CopyProgress, copiedTables, copyStore } from './copy-store.ts';
import { openDatabase, openDatabaseToRead } from './open-database.ts';
import { btcEur, digestNumber, emptyDatabase, newDatabase, postgresTest, refusal } from './store.testing.ts';
import { openStore } from './store.ts';
import type { Engine } from './store-context.ts';

const clock = new FakeClock();
const options = { clock, progress() {} };

/** A database with something in every table, and awkward things among them. */
async function storeWithRows(t: TestContext, engine: Engine): Promise<string> {
  const url = await newDatabase(t, engine);
  const store = await openStore({ url, clock, randomness: seededRandomness(1), actor: 'cli:tester' });
  const { id: accountId } = await store.accounts.create({ email: 'Žofie@example.com' });
  const ids: string[] = [];
  for (let number = 1; number <= 25; number++) {
    const limitPerMinute = number % 2 === 0 ? number : undefined;
    const key = {
      accountId,
      digest: digestNumber(number),
      lastFour: 'wxyz',
      label: `bot "${number}" \\ ř`,
      limitPerMinute,
    };
    ids.push((await store.keys.insert(key)).id);
  }
  await store.keys.setStatus(ids[3]!, 'revoked');
  await store.keys.rotate(ids[4]!, { digest: digestNumber(99), lastFour: 'next', overlapMs: 1_000 });
  await store.markets.upsertMany([
    { ...btcEur, tickSize: '0.10', minOrderValue: undefined },
    { ...btcEur, symbol: 'ETHEUR' },
  ]);
  await store.markets.delist('ETHEUR', clock.now());
  await store.rates.setHeld('CZK', clock.now());
  const values = [{ what: 'held', from: 'now', to: null }];
  await store.approvals.propose({ action: 'rate.release', subject: 'CZK', change: { quote: 'CZK' }, basis: values });
  await store.windows.announce({ from: clock.now(), to: (clock.now() + 1_000) as EpochMs, description: 'Upgrade' });
  await store.terms.add({ from: clock.now(), scope: 'quote', subject: 'CZK', marginPercent: '0.80' });
  await store.snapshots.save('market', '{"a":"\\u0000ř"}');
  const minute = (number: number) => (clock.now() - (clock.now() % 60_000) - number * 60_000) as EpochMs;
  await store.breaches.add(
    [3, 2, 1].map((n) => ({ keyId: ids[0]!, minuteStart: minute(n), refused: n, limitPerMinute: 60 })),
  );
  const rule = { breachedMinutes: 3, withinMs: 3_600_000, atMostEveryMs: 86_400_000 };
  await store.notices.decide({ rule, upToMinute: minute(1), afterMinute: minute(100), mailed: true });
  await store.tokens.insert({ role: 'admin', digest: digestNumber(7), name: 'console' });
  await store.sourceTokens.insert('engine', digestNumber(8));
  const states = { operational: 60_000, degraded: 0, maintenance: 0, outage: 1_000 };
  await store.statusRecords.addTime([{ component: 'ticker', day: minute(0), states }]);
  await store.statusRecords.addIncident({ component: 'ticker', state: 'outage', from: minute(9), to: undefined });
  await store.processLives.sign({ id: 'a', role: 'all', since: minute(9), seen: minute(0) });
  await store.statusRecords.judge({ component: 'api', from: minute(9), until: minute(1), days: [], incidents: [] });
  const { id: incidentId } = await store.incidents.open({
    title: 'Late',
    titleCs: 'Pozdě',
    text: 'ř\n"',
    parts: ['api'],
  });
  await store.incidents.close(incidentId, { text: 'Over.', review: 'Known.' });
  const counted = { process: 'a', at: minute(3), answers: { 0.01: 2, '+Inf': 1 }, errors: { NOT_FOUND: 1 }, held: 4 };
  await store.requestMinutes.add([counted], minute(100));
  const fact = { name: 'SourceLost', subject: 'kraken', event: 'source', severity: 'info', summary: 'lost' } as const;
  const change = { ...fact, id: 'alr_1', step: 'raised', raisedAt: minute(2) } as const;
  await store.alerts.take(change, [{ destination: 'ops', content: '{"name":"SourceLost"}' }]);
  await store.alerts.acknowledge('alr_1');
  const reader = { kind: 'mail', target: 'r@example.com', receiver: 'r@example.com', language: 'cs' } as const;
  await store.subscriptions.ask(reader);
  await store.subscriptions.token((await store.subscriptions.list())[0]!, 'confirm', 'dlv_1');
  await store.subscriptions.tell('inc_1', 'begun', '{}');
  await store.close();
  return url;
}

/** Every row of every table that is copied, without the numbers of keys, in one order. */
async function contentOf(url: string): Promise<Record<string, unknown[]>> {
  const { db } = await openDatabaseToRead(url, clock);
  const content: Record<string, unknown[]> = {};
  for (const { name, key, number } of copiedTables) {
    const columns = sql.join((number === undefined ? key : [number]).map((column) => sql.ref(column)));
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)} order by ${columns}`.execute(
      db,
    );
    content[name] = rows
      .filter((row) => row.name !== 'store copy')
      .map((row) => Object.fromEntries(Object.entries(row).filter(([column]) => column !== number)));
  }
  await db.destroy();
  return content;
}

const ways: readonly (readonly [Engine, Engine])[] = [
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
  ['postgres', 'postgres'],
];

for (const [from, to] of ways) {
  describe(`a copy from ${from} to ${to}`, () => {
    postgresTest('has every row of every table as it was, in the same order', async (t) => {
      const source = await storeWithRows(t, from);
      const target = await emptyDatabase(t, to);
      const before = await contentOf(source);
      const { counts, wasComplete } = await copyStore({ ...options, from: source, to: target, pageSize: 7 });
      assert.equal(wasComplete, false);
      assert.deepEqual(await contentOf(target), before);
      assert.deepEqual(await contentOf(source), before, 'the source is as it was');
      for (const { name } of copiedTables) assert.ok((counts[name] ?? 0) > 0, `${name} has rows`);
    });

    postgresTest('continues after an interruption at any row, and does nothing once it is complete', async (t) => {
      const source = await storeWithRows(t, from);
      const target = await emptyDatabase(t, to);
      const copy = (progress: (progress: CopyProgress) => void) =>
        copyStore({ ...options, from: source, to: target, pageSize: 7, progress });
      for (let stopAt = 1; stopAt < 60; stopAt += 14) {
        const interrupted = copy(({ done }) => {
          if (done >= stopAt) throw new Error('interrupted');
        });
        await assert.rejects(interrupted, /interrupted/);
      }
      assert.equal((await copy(() => {})).wasComplete, false);
      assert.deepEqual(await contentOf(target), await contentOf(source));
      assert.equal((await copy(() => assert.fail('nothing is copied'))).wasComplete, true);
    });

    postgresTest('is a store that works: keys are known, new ones are made, changes are noticed', async (t) => {
      const target = await emptyDatabase(t, to);
      await copyStore({ ...options, from: await storeWithRows(t, from), to: target });
      const store = await openStore({ url: target, clock, randomness: seededRandomness(2) });
      t.after(() => store.close());
      assert.equal((await Array.fromAsync(store.keys.accessPages())).flat().length, 25);
      const cursor = await store.accessChanges.latest();
      const [account] = await store.accounts.list();
      await store.keys.insert({ accountId: account!.id, digest: digestNumber(1_000), lastFour: 'wxyz' });
      const page = await store.accessChanges.since(cursor);
      assert.ok(page.kind === 'changes' && page.changes.length === 1);
    });
  });
}

postgresTest('a target with data of its own is refused, and so is a copy of another source', async (t) => {
  const [source, other] = [await storeWithRows(t, 'sqlite'), await storeWithRows(t, 'sqlite')];
  const target = await newDatabase(t, 'postgres');
  const taken = await storeWithRows(t, 'postgres');
  await assert.rejects(copyStore({ ...options, from: source, to: taken }), refusal('copy_refused'));
  await copyStore({ ...options, from: source, to: target });
  await assert.rejects(copyStore({ ...options, from: other, to: target }), refusal('copy_refused'));
});

postgresTest('a source that is not there or not up to date is refused, and none is made', async (t) => {
  const missing = await emptyDatabase(t, 'sqlite');
  const target = await newDatabase(t, 'postgres');
  await assert.rejects(copyStore({ ...options, from: missing, to: target }), refusal('cannot_open'));
  assert.deepEqual(readdirSync(missing.slice('sqlite:'.length).replace(/\/[^/]+$/, '')), []);
  const old = await storeWithRows(t, 'sqlite');
  const { db } = await openDatabase({ url: old, clock });
  await sql`delete from kysely_migration`.execute(db);
  await db.destroy();
  await assert.rejects(copyStore({ ...options, from: old, to: target }), refusal('copy_refused'));
});

postgresTest(
  'a source that is written to meanwhile is reported, and the copy does not count as complete',
  async (t) => {
    const source = await storeWithRows(t, 'sqlite');
    const target = await newDatabase(t, 'postgres');
    const writer = await openStore({ url: source, clock, randomness: seededRandomness(5) });
    t.after(() => writer.close());
    let written: Promise<unknown> | undefined;
    const progress = ({ table }: CopyProgress) => {
      if (table === 'notices') written ??= writer.accounts.create({ email: 'late@example.com' });
    };
    const copy = () => copyStore({ ...options, from: source, to: target, progress });
    await assert.rejects(copy(), refusal('copy_incomplete'));
    await written;
    assert.equal((await copy()).wasComplete, false, 'but once nothing writes any more it can be');
  },
);

postgresTest(
  'a key that is revoked after an interruption is revoked in the copy, and one revoked during the copy is reported',
  async (t) => {
    const source = await storeWithRows(t, 'sqlite');
    const target = await newDatabase(t, 'postgres');
    const writer = await openStore({ url: source, clock, randomness: seededRandomness(5) });
    t.after(() => writer.close());
    const [first, second] = await writer.keys.list();
    let written: Promise<unknown> | undefined;
    const progress = ({ table }: CopyProgress) => {
      if (table === 'notices') written ??= writer.keys.setStatus(first!.id, 'revoked');
    };
    await assert.rejects(copyStore({ ...options, from: source, to: target, progress }), refusal('copy_incomplete'));
    await written;
    await writer.keys.setStatus(second!.id, 'disabled');
    await copyStore({ ...options, from: source, to: target });
    assert.deepEqual(await contentOf(target), await contentOf(source));
  },
);

postgresTest('every table of the schema is copied or left out on purpose', async (t) => {
  const { db } = await openDatabaseToRead(await newDatabase(t, 'postgres'), clock);
  const tables = (await db.introspection.getTables()).map(({ name }) => name).sort();
  await db.destroy();
  assert.deepEqual(tables, [...copiedTables.map(({ name }) => name), 'access_changes', 'change_versions'].sort());
});
