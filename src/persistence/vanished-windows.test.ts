import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceBoard } from '../board/service-board.ts';
import type { EpochMs } from '../ground/clock.ts';
import { silentLog } from '../ground/log.ts';
import { FeedStatus } from '../market/service-status.ts';
import { openFixture } from '../store/store.testing.ts';
import { StoreFollower } from './store-follower.ts';

const hourMs = 3_600_000;

test('many maintenance windows that vanish at once stay announced, also where no key vanishes with them, until all are back', async (t) => {
  const { store, outside, clock } = await openFixture(t);
  const from = (clock.now() + hourMs) as EpochMs;
  const announce = () => store.windows.announce({ from, to: (from + hourMs) as EpochMs, description: 'Upgrade' });
  for (let count = 0; count < 12; count++) await announce();
  const service = new ServiceBoard(new FeedStatus(), clock);
  const keys = { held: 0, acceptLosses: async () => {}, refresh: async () => {} };
  const book = { applyControls() {}, applyHolds() {}, applyTerms() {}, catalogue: { reviews: { decide() {} } } };
  const changes = new StoreFollower(store, { keys, markets: book, service }, clock, silentLog, hourMs);
  changes.start();
  t.after(() => changes.stop());
  await changes.look();
  outside.exec('create table kept as select * from maintenance_windows');
  outside.exec('delete from maintenance_windows; delete from audit_log');
  await changes.look();
  assert.deepEqual([service.announced.length, changes.held().windows], [12, 12]);
  outside.exec('insert into maintenance_windows select * from kept limit 6');
  await changes.look();
  assert.deepEqual([service.announced.length, changes.held().windows], [12, 6], 'some that are back let none go');
  outside.exec('insert or ignore into maintenance_windows select * from kept');
  await changes.look();
  assert.deepEqual([service.announced.length, changes.held().windows], [12, 0]);
  outside.exec('delete from maintenance_windows where rowid in (select rowid from maintenance_windows limit 6)');
  await changes.look();
  assert.deepEqual([service.announced.length, changes.held().windows], [6, 0], 'what goes after that is judged anew');
});
