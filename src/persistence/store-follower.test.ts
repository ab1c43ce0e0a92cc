import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock, seededRandomness } from '../../test/support/fake-clock.ts';
import { KeyDirectory } from '../access/key-directory.ts';
import { KeyDirectoryLoader } from '../access/key-directory-loader.ts';
import { ServiceBoard } from '../board/service-board.ts';
import type { EpochMs } from '../ground/clock.ts';
import { silentLog } from '../ground/log.ts';
import { FeedStatus } from '../market/service-status.ts';
import { digestNumber, openFixture } from '../store/store.testing.ts';
import { openStore } from '../store/store.ts';
import { StoreFollower } from './store-follower.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;

async function following(t: { after(run: () => unknown): void }) {
  const clock = new FakeClock();
  const store = await openStore({ url: 'sqlite::memory:', clock, randomness: seededRandomness(1) });
  const refreshed: number[] = [];
  const followers = {
    keys: { held: 0, acceptLosses: async () => {}, refresh: async () => void refreshed.push(clock.now()) },
    markets: { applyControls() {}, applyHolds() {}, applyTerms() {}, catalogue: { reviews: { decide() {} } } },
    service: { setWindows() {}, written: [] },
  };
  const logged: string[] = [];
  const audited: object[] = [];
  const log = {
    ...silentLog,
    info: (fields: object) => void audited.push(fields),
    error: (_: object, message: string) => void logged.push(message),
  };
  const changes = new StoreFollower(store, followers, clock, log, 2 * dayMs);
  changes.start();
  t.after(async () => {
    await changes.stop();
    await store.close();
  });
  return { clock, store, changes, refreshed, logged, audited };
}

test('a look that is asked for sees what was written before it, without waiting for the next turn', async (t) => {
  const { store, changes, refreshed } = await following(t);
  await changes.look();
  const before = refreshed.length;
  const { id: accountId } = await store.accounts.create({ email: 'a@b.c' });
  await store.keys.insert({ accountId, digest: new Uint8Array(32), lastFour: 'wxyz' });
  await changes.look();
  assert.equal(refreshed.length, before + 1);
  await changes.stop();
  await changes.look();
  assert.equal(refreshed.length, before + 1, 'nothing is looked at after the end');
});

test('audit entries go when they are older than configured, within the hour', async (t) => {
  const { clock, store, logged } = await following(t);
  const emails = async () =>
    (await store.audit.page({ limit: 10 })).items.map(({ details }) => String(details.email)).sort();
  await store.accounts.create({ email: 'old@example.com' });
  clock.jump(2 * dayMs - hourMs / 2);
  await store.accounts.create({ email: 'new@example.com' });
  assert.deepEqual(await emails(), ['new@example.com', 'old@example.com']);
  clock.standStill(hourMs - 60_000);
  await clock.advance(60_000);
  assert.deepEqual(await emails(), ['new@example.com']);
  assert.deepEqual(logged, []);
});

test('keys, windows and terms that vanish from the database at once stay in service until an operator accepts the loss (fault row 59)', async (t) => {
  const { store, outside, openAnother, clock } = await openFixture(t);
  const { id: accountId } = await store.accounts.create({ email: 'a@b.c' });
  for (let number = 1; number <= 20; number++) {
    await store.keys.insert({ accountId, digest: digestNumber(number), lastFour: 'wxyz' });
  }
  const from = (clock.now() + hourMs) as EpochMs;
  await store.windows.announce({ from, to: (from + hourMs) as EpochMs, description: 'Upgrade' });
  await store.terms.add({ from, scope: 'service', subject: undefined, feePercent: '0.4' });
  let applied = 0;
  const applyTerms = (terms: readonly object[]) => {
    applied = terms.length;
  };
  const directory = new KeyDirectory();
  const keys = new KeyDirectoryLoader(directory, store);
  const service = new ServiceBoard(new FeedStatus(), clock);
  const logged: string[] = [];
  const note = (_: object, message: string) => void logged.push(message);
  const log = { ...silentLog, error: note, warn: note };
  const changes = new StoreFollower(
    store,
    {
      keys,
      markets: { applyControls() {}, applyHolds() {}, applyTerms, catalogue: { reviews: { decide() {} } } },
      service,
    },
    clock,
    log,
    dayMs,
  );
  changes.start();
  t.after(() => changes.stop());
  await changes.look();

  for (const table of ['api_keys', 'accounts', 'maintenance_windows', 'terms', 'audit_log'])
    outside.exec(`delete from ${table}`);
  await changes.look();
  assert.deepEqual([directory.size, service.announced.length, applied], [20, 1, 1]);
  assert.deepEqual(changes.held(), { keys: 20, windows: 1, terms: 1 });

  clock.jump(1_000);
  await (await openAnother()).accessChanges.acceptLosses();
  await changes.look();
  assert.deepEqual([directory.size, service.announced.length, applied], [0, 0, 0]);
  assert.deepEqual(changes.held(), { keys: 0, windows: 0, terms: 0 });
  const [entry] = (await store.audit.page({ limit: 1 })).items;
  assert.equal(entry?.action, 'store.accept');
  assert.deepEqual(logged, [
    'many entries vanished from the store at once; they are held back and stay in service',
    'nothing that vanished from the store is held back any more',
  ]);
});

test('what operators change is logged once, with action and actor and without what it was about in words', async (t) => {
  const { clock, store, changes, audited } = await following(t);
  await store.accounts.create({ email: 'before@example.com' });
  await changes.look();
  assert.deepEqual(audited, [], 'what was recorded before the start is not');
  clock.jump(1);
  const { id } = await store.as('cli:ann').accounts.create({ email: 'ann@example.com' });
  await changes.look();
  await changes.look();
  const [entry] = (await store.audit.page({ limit: 1 })).items;
  assert.deepEqual(audited, [{ audit: entry?.id, action: 'account.create', subject: id, actor: 'cli:ann' }]);
});
