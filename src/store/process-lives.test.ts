import assert from 'node:assert/strict';
import type { EpochMs } from '../ground/clock.ts';
import type { ProcessLife } from './process-lives.ts';
import { openEngine, storeTest } from './store.testing.ts';

const day = Date.parse('2026-11-20T00:00:00.000Z') as EpochMs;
const at = (seconds: number) => (day + seconds * 1_000) as EpochMs;

storeTest('a process has one row, whatever number of signs, until it is dropped', async (t) => {
  const { processLives } = (await openEngine(t)).store;
  const life = (id: string, since: number, seen: number): ProcessLife => {
    return { id, role: 'all', since: at(since), seen: at(seen) };
  };
  await processLives.sign(life('second', 5, 5));
  await processLives.sign(life('first', 0, 0));
  await processLives.sign(life('first', 0, 10));
  assert.deepEqual(await processLives.list(), [life('first', 0, 10), life('second', 5, 5)]);
  await processLives.prune(at(6));
  assert.deepEqual(await processLives.list(), [life('first', 0, 10)]);
});

storeTest('an absence is written down once, by whichever process decided it first', async (t) => {
  const { store, openAnother } = await openEngine(t);
  const other = await openAnother();
  const states = { operational: 0, degraded: 0, maintenance: 2_000, outage: 98_000 };
  const absence = {
    component: 'api',
    from: at(0),
    until: at(200),
    days: [{ component: 'api', day, states }],
    incidents: [{ component: 'api', state: 'outage' as const, from: at(10), to: at(110) }],
  };
  assert.equal(await store.statusRecords.judgedUntil('api'), undefined);
  // One after the other: a transaction that finds the file locked waits by the clock, which stands still here.
  for (const each of [store, other]) await each.statusRecords.judge(absence);
  assert.equal(await store.statusRecords.judgedUntil('api'), at(200));
  assert.deepEqual(
    (await store.statusRecords.days(day)).map((each) => each.states),
    [states],
  );
  assert.equal((await store.statusRecords.incidents(day, 10)).length, 1);
});
