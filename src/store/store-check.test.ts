import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { silentLog } from '../log.ts';
import { openFixture } from './store.testing.ts';
import { storeCheck } from './store-check.ts';

test('the database file is looked at when the service starts and once a day, and a damaged one is reported', async (t) => {
  const { path, store, outside } = await openFixture(t);
  await store.close();
  outside.close();
  const clock = new FakeClock();
  const said: string[] = [];
  const line = (_: object, message: string) => void said.push(message);
  const check = storeCheck({ kind: 'sqlite', path }, clock, { ...silentLog, info: line, error: line });
  assert.equal(check.result(), undefined);
  check.start();
  await eventually('the first look', () => said.length === 1);
  assert.deepEqual(check.result(), { finding: undefined });
  writeFileSync(path, 'x'.repeat(8_192));
  await clock.advance(86_400_000);
  await eventually('the next look', () => said.length === 2);
  assert.match(String(check.result()?.finding), /not a database/);
  assert.deepEqual(said, ['the database file is whole', 'the database file is damaged: restore a backup']);
  check.stop();
  assert.equal(clock.pendingTimers, 0);
});

test('PostgreSQL and a database in memory are not looked at', () => {
  const clock = new FakeClock();
  for (const store of [{ kind: 'postgres' }, { kind: 'sqlite', path: ':memory:' }] as const) {
    const check = storeCheck(store, clock, silentLog);
    check.start();
    assert.equal(clock.pendingTimers, 0);
    check.stop();
  }
});
