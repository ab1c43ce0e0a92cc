import assert from 'node:assert/strict';
import type { EpochMs } from '../ground/clock.ts';
import { openEngine, storeTest } from './store.testing.ts';

const day = Date.parse('2026-11-20T00:00:00.000Z') as EpochMs;
const nextDay = (day + 86_400_000) as EpochMs;
const none = { operational: 0, degraded: 0, maintenance: 0, outage: 0 };

storeTest('the time of a day adds up from many pieces, and every state of it is a number', async (t) => {
  const { store } = await openEngine(t);
  const piece = { component: 'api', day, states: { ...none, operational: 60_000 } };
  await store.statusRecords.addTime([piece, { ...piece, component: 'market-data' }]);
  await store.statusRecords.addTime([{ ...piece, states: { ...none, outage: 5_000 } }]);
  await store.statusRecords.addTime([]);
  assert.deepEqual(await store.statusRecords.days(day), [
    { component: 'api', day, states: { ...none, operational: 60_000, outage: 5_000 } },
    { component: 'market-data', day, states: { ...none, operational: 60_000 } },
  ]);
  assert.deepEqual(await store.statusRecords.days(nextDay), []);
});

storeTest(
  'an incident lasts until it is ended, the latest is listed first, and old ones go with their days',
  async (t) => {
    const { store } = await openEngine(t);
    const { statusRecords } = store;
    const first = await statusRecords.addIncident({ component: 'api', state: 'outage', from: day, to: undefined });
    const from = (day + 1_000) as EpochMs;
    await statusRecords.addIncident({
      component: 'market-data',
      state: 'degraded',
      from,
      to: (from + 1_000) as EpochMs,
    });
    assert.deepEqual(
      (await statusRecords.incidents(nextDay, 10)).map(({ id, to }) => [id, to]),
      [[first, undefined]],
    );
    await statusRecords.endIncident(first, nextDay);
    assert.deepEqual(
      (await statusRecords.incidents(day, 10)).map(({ component, to }) => [component, to]),
      [
        ['market-data', from + 1_000],
        ['api', nextDay],
      ],
    );
    await statusRecords.addTime([{ component: 'api', day, states: none }]);
    await statusRecords.prune(nextDay);
    assert.deepEqual(await statusRecords.days(day), []);
    assert.equal((await statusRecords.incidents(day, 10)).length, 1);
  },
);
