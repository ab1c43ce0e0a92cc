import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { seededRandomness } from '../../test/support/fake-clock.ts';
import { asEpochMs, systemClock } from '../ground/clock.ts';
import { openSqlite } from './sqlite/open.ts';
import { digestNumber, openEngine, openFixture, storeTest } from './store.testing.ts';
import { openStore } from './store.ts';
import { type ChangedTopics, watchChanges } from './watch-changes.ts';

/** The audit log changes with nearly everything, and has a test of its own. */
function namesOf({ audit: _, ...topics }: ChangedTopics): string {
  return Object.entries(topics)
    .filter(([, changed]) => changed)
    .map(([name]) => name)
    .join(' ');
}

async function watched(t: Parameters<typeof openEngine>[0]) {
  const fixture = await openEngine(t);
  const heard: string[] = [];
  let refuse: Error | undefined;
  const watch = fixture.store.watchChanges({
    changed(topics) {
      if (namesOf(topics) !== '') heard.push(namesOf(topics));
      if (refuse !== undefined) throw refuse;
    },
    failed: (error) => heard.push(`failed: ${(error as Error).message.slice(0, 20)}`),
    recovered: () => heard.push('recovered'),
  });
  /** Gives what was heard with one more look, each once: a notification can make it two looks. */
  const next = async () => {
    await watch.look();
    return [...new Set(heard.splice(0))];
  };
  const refuseWith = (error: Error | undefined) => {
    refuse = error;
  };
  return { ...fixture, watch, next, refuseWith };
}

storeTest('the first look names everything, the next ones only what changed since', async (t) => {
  const { store, next, clock } = await watched(t);
  assert.deepEqual(await next(), ['access marketControls maintenanceWindows terms incidents']);
  assert.deepEqual(await next(), []);
  const { id } = await store.accounts.create({ email: 'a@example.com' });
  assert.deepEqual(await next(), []);
  await store.keys.insert({ accountId: id, digest: digestNumber(1), lastFour: 'wxyz' });
  assert.deepEqual(await next(), ['access']);
  const to = asEpochMs(clock.now() + 1_000_000);
  await store.windows.announce({ from: clock.now(), to, description: 'Upgrade' });
  assert.deepEqual(await next(), ['maintenanceWindows']);
  const incident = await store.incidents.open({ title: 'Late', text: 'We look.', parts: ['api'] });
  assert.deepEqual(await next(), ['incidents']);
  await store.incidents.update(incident.id, { text: 'Found.' });
  assert.deepEqual(await next(), ['incidents']);
});

storeTest('an entry of the audit log is announced, whatever it is about', async (t) => {
  const { store, clock } = await openEngine(t);
  const heard: boolean[] = [];
  const listener = { changed: ({ audit }: ChangedTopics) => void heard.push(audit), failed: assert.fail };
  const watch = store.watchChanges(listener);
  await watch.look();
  clock.jump(1);
  await store.accounts.create({ email: 'a@example.com' });
  await watch.look();
  await watch.look();
  assert.deepEqual(heard, [true, true]);
  await watch.stop();
});

storeTest("a catalogue load wakes nobody, an operator's decision does", async (t) => {
  const { store, next, clock } = await watched(t);
  await next();
  const market = {
    symbol: 'BTCEUR',
    base: 'BTC',
    quote: 'EUR',
    via: undefined,
    upstreamStatus: 'trading' as const,
    pricePrecision: 1,
    amountPrecision: 8,
    tickSize: '0.1',
    minOrderSize: '0.00005',
    minOrderValue: undefined,
    absence: undefined,
    delistedAt: undefined,
  };
  await store.markets.upsertMany([market]);
  await store.markets.upsertMany([
    { ...market, upstreamStatus: 'paused', absence: { since: asEpochMs(1), until: asEpochMs(2) } },
  ]);
  await store.snapshots.save('board', '{}');
  assert.deepEqual(await next(), []);
  await store.markets.setOperatorPaused('BTCEUR', true);
  assert.deepEqual(await next(), ['marketControls']);
  await store.markets.setOperatorPaused('BTCEUR', true);
  assert.deepEqual(await next(), []);
  await store.markets.delist('BTCEUR', clock.now());
  assert.deepEqual(await next(), ['marketControls']);
});

storeTest('a listener that fails hears of it once, and of the same topics again until it succeeds', async (t) => {
  const { store, next, refuseWith, clock } = await watched(t);
  await next();
  refuseWith(new Error('not now'));
  const to = asEpochMs(clock.now() + 1_000_000);
  await store.windows.announce({ from: clock.now(), to, description: 'Upgrade' });
  assert.deepEqual(await next(), ['maintenanceWindows', 'failed: not now']);
  assert.deepEqual(await next(), ['maintenanceWindows']);
  refuseWith(undefined);
  assert.deepEqual(await next(), ['maintenanceWindows', 'recovered']);
  assert.deepEqual(await next(), []);
});

storeTest('a database that fails is reported once, and once more when it is back', async (t) => {
  const { outside, next } = await watched(t);
  await next();
  await outside.run('alter table change_versions rename to hidden');
  assert.deepEqual(
    (await next()).map((text) => text.slice(0, 7)),
    ['failed:'],
  );
  assert.deepEqual(await next(), []);
  await outside.run('alter table hidden rename to change_versions');
  assert.deepEqual(await next(), ['recovered']);
});

storeTest('a watch that was stopped holds no timer and reports nothing more', async (t) => {
  const { watch, clock, store, next } = await watched(t);
  await watch.stop();
  assert.equal(clock.pendingTimers, 0);
  assert.deepEqual(await next(), []);
  store.watchChanges({ changed() {}, failed() {} });
  await store.close();
  assert.equal(clock.pendingTimers, 0);
});

test('a change that is announced during a look brings another look right after it', async (t) => {
  const { store, path, clock } = await openFixture(t);
  const db = await openSqlite(path, clock);
  t.after(() => db.destroy());
  let wake = () => {};
  const heard: string[] = [];
  const listener = {
    async changed(topics: ChangedTopics) {
      heard.push(namesOf(topics));
      if (heard.length > 1) return;
      const to = asEpochMs(clock.now() + 1_000_000);
      await store.windows.announce({ from: clock.now(), to, description: 'Upgrade' });
      wake();
    },
    failed: (error: unknown) => assert.fail(String(error)),
  };
  const signal = (given: () => void) => {
    wake = given;
    return { stop: async () => {} };
  };
  const watch = watchChanges(db, clock, listener, signal);
  t.after(() => watch.stop());
  wake();
  await eventually('the second look', () => heard.length === 2, 2_000);
  assert.deepEqual(heard[1], 'maintenanceWindows');
  assert.equal(clock.monotonicMs(), 0, 'without waiting for the next turn');
});

storeTest('a change committed by another process is noticed within a second', async (t) => {
  const { engine, store, url, outside } = await openEngine(t);
  await outside.run(`insert into accounts (id, email, created_at_ms) values ('acc_1', 'a@b.c', 1)`);
  const key = await store.keys.insert({ accountId: 'acc_1', digest: digestNumber(1), lastFour: 'wxyz' });
  const heard: { topics: string; atMs: number }[] = [];
  const watching = await openStore({ url, clock: systemClock, randomness: seededRandomness(9) });
  t.after(() => watching.close());
  watching.watchChanges({
    changed: (topics) => void heard.push({ topics: namesOf(topics), atMs: systemClock.now() }),
    failed: (error) => assert.fail(String(error)),
  });
  await eventually('the first look', () => heard.length === 1);
  const program = programs[engine](url, `update api_keys set status = 'revoked' where id = '${key.id}'`);
  const cwd = import.meta.dirname;
  const child = spawn(process.execPath, ['-e', program], { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  const [output] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  await eventually('the second look', () => heard.length === 2, 2_000);
  assert.equal(heard[1]?.topics, 'access');
  assert.ok(heard[1].atMs - Number(output) < 1_000);
});

const programs = {
  sqlite: (url: string, statement: string) => `
    const { DatabaseSync } = require('node:sqlite');
    const database = new DatabaseSync(${JSON.stringify(url.slice('sqlite:'.length))});
    database.exec(${JSON.stringify(statement)});
    console.log(Date.now());`,
  postgres: (url: string, statement: string) => `
    const { Client } = require('pg');
    const client = new Client({ connectionString: ${JSON.stringify(url)} });
    client.connect().then(() => client.query(${JSON.stringify(statement)})).then(() => {
      console.log(Date.now());
      return client.end();
    });`,
};
