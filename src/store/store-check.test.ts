import assert from 'node:assert/strict';
import { closeSync, copyFileSync, openSync, statSync, writeSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { silentLog } from '../ground/log.ts';
import { newDatabase } from './store.testing.ts';
import { storeCheck } from './store-check.ts';

const dayMs = 86_400_000;

function checking(t: TestContext, store: Parameters<typeof storeCheck>[0]) {
  const clock = new FakeClock();
  const logged: string[] = [];
  const note = (_: object, message: string) => void logged.push(message);
  const check = storeCheck(store, clock, { ...silentLog, info: note, error: note });
  t.after(() => check.stop());
  return { clock, check, logged };
}

function damage(path: string): void {
  const file = openSync(path, 'r+');
  for (let page = 4_096; page < statSync(path).size; page += 4_096) writeSync(file, 'x'.repeat(512), page);
  closeSync(file);
}

test('the file of SQLite is looked through at the start and every day, and damage is reported with what was found', async (t) => {
  const path = (await newDatabase(t, 'sqlite')).slice('sqlite:'.length);
  const { clock, check, logged } = checking(t, { kind: 'sqlite', path });
  assert.equal(check.result(), undefined);
  check.start();
  await eventually('the first look', () => check.result() !== undefined);
  assert.deepEqual(check.result(), { finding: undefined });
  copyFileSync(path, `${path}-whole`);
  damage(path);
  await clock.advance(dayMs - 1);
  assert.deepEqual(logged, ['the database file is whole']);
  await clock.advance(1);
  await eventually('the second look', () => logged.length === 2);
  assert.match(check.result()?.finding ?? '', /malformed|tree|page|not a database/i);
  copyFileSync(`${path}-whole`, path);
  await clock.advance(dayMs);
  await eventually('the third look', () => logged.length === 3);
  const damaged = 'the database file is damaged: restore a backup';
  assert.deepEqual(logged, ['the database file is whole', damaged, 'the database file is whole']);
  assert.deepEqual(check.result(), { finding: undefined });
  check.stop();
  assert.equal(clock.pendingTimers, 0);
});

test('a file that cannot be opened is a finding, not an error of the process', async (t) => {
  const { check, logged } = checking(t, { kind: 'sqlite', path: '/nowhere/at/all.sqlite' });
  check.start();
  await eventually('the look', () => check.result() !== undefined);
  assert.match(check.result()?.finding ?? '', /unable to open/);
  assert.equal(logged.length, 1);
});

test('a stop ends the look that is under way: it reports nothing, and its thread is gone', async (t) => {
  const path = (await newDatabase(t, 'sqlite')).slice('sqlite:'.length);
  const { check, logged } = checking(t, { kind: 'sqlite', path });
  let hasEnded = false;
  process.once('worker', (worker) => {
    worker.once('exit', () => {
      hasEnded = true;
    });
  });
  check.start();
  await check.stop();
  assert.deepEqual([hasEnded, logged, check.result()], [true, [], undefined]);
});

for (const [where, store] of [
  ['a database in memory', { kind: 'sqlite', path: ':memory:' }],
  ['PostgreSQL', { kind: 'postgres' }],
] as const) {
  test(`nothing is looked through of ${where}`, (t) => {
    const { clock, check } = checking(t, store);
    check.start();
    assert.equal(clock.pendingTimers, 0);
    assert.equal(check.result(), undefined);
  });
}
