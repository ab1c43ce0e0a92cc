import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock, seededRandomness } from '../../test/support/fake-clock.ts';
import { silentLog } from '../log.ts';
import { openStore } from '../store/store.ts';
import { OperatorChanges } from './operator-changes.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;

async function following(t: { after(run: () => unknown): void }) {
  const clock = new FakeClock();
  const store = await openStore({ url: 'sqlite::memory:', clock, randomness: seededRandomness(1) });
  const refreshed: number[] = [];
  const followers = {
    keys: { refresh: async () => void refreshed.push(clock.now()) },
    book: { applyControls() {} },
    service: { setWindows() {} },
  };
  const logged: string[] = [];
  const log = { ...silentLog, error: (_: object, message: string) => void logged.push(message) };
  const changes = new OperatorChanges(store, followers as never, clock, log, 2 * dayMs);
  changes.start();
  t.after(async () => {
    await changes.stop();
    await store.close();
  });
  return { clock, store, changes, refreshed, logged };
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
  await clock.advance(hourMs);
  assert.deepEqual(await emails(), ['new@example.com']);
  assert.deepEqual(logged, []);
});
