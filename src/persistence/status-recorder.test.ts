import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FakeClock, seededRandomness } from '../../test/support/fake-clock.ts';
import { ServiceBoard } from '../board/service-board.ts';
import type { EpochMs } from '../ground/clock.ts';
import { silentLog } from '../ground/log.ts';
import { FeedStatus } from '../market/service-status.ts';
import { openStore, type Store } from '../store/store.ts';
import { StatusRecorder } from './status-recorder.ts';

const minuteMs = 60_000;
/** Each process has an id of its own. */
let lives = 100;

async function rig(t: TestContext, clock = new FakeClock('2026-11-20T22:00:00.000Z'), opened?: Store) {
  const store = opened ?? (await openStore({ url: 'sqlite::memory:', clock, randomness: seededRandomness(5) }));
  const feed = new FeedStatus();
  const service = new ServiceBoard(feed, clock);
  const role = { writes: true };
  const recorder = new StatusRecorder({
    store,
    service,
    clock,
    log: silentLog,
    randomness: seededRandomness(lives++),
    isWriter: () => role.writes,
  });
  t.after(async () => {
    await recorder.stop();
    await store.close();
  });
  return {
    store,
    service,
    clock,
    recorder,
    role,
    feed,
    /** Lets the time pass, fed or not; a live connection lives. */
    async pass(minutes: number, path: 'live' | 'fallback' | 'none' = 'live') {
      for (let second = 0; second < minutes * 60; second++) {
        if (feed.path === 'live') feed.signOfLife(clock.monotonicMs(), clock.now(), clock.monotonicMs());
        if (path !== 'none') feed.feedCurrent(path, clock.now(), clock.monotonicMs());
        await clock.advance(1_000);
      }
    },
    incidents: () =>
      service.history.incidents.map(({ component, state, from, to }) => [
        component,
        state,
        minutesOf(from),
        to && minutesOf(to),
      ]),
    times(component: string) {
      const days = service.history.days.filter((each) => each.component === component);
      return days.map(({ day, states }) => [
        new Date(day).toISOString().slice(0, 10),
        ...Object.values(states).map((ms) => Math.round(ms / minuteMs)),
      ]);
    },
  };
}

const startMs = Date.parse('2026-11-20T22:00:00.000Z');

function minutesOf(at: EpochMs): number {
  return Math.round((at - startMs) / minuteMs);
}

test('each component’s time is kept by day in UTC and by state: operational, degraded, maintenance, outage', async (t) => {
  const { pass, recorder, times, incidents } = await rig(t);
  await recorder.start();
  await pass(110);
  await pass(20, 'fallback');
  await pass(2);
  assert.deepEqual(times('api'), [
    ['2026-11-20', 120, 0, 0, 0],
    ['2026-11-21', 12, 0, 0, 0],
  ]);
  assert.deepEqual(times('market-data'), [
    ['2026-11-20', 110, 10, 0, 0],
    ['2026-11-21', 2, 10, 0, 0],
  ]);
  assert.deepEqual(incidents(), [['market-data', 'degraded', 110, 130]]);
});

test('an outage begins with the last data; what is over within a minute is no incident', async (t) => {
  const { pass, recorder, incidents } = await rig(t);
  await recorder.start();
  await pass(10);
  await pass(0.5, 'fallback');
  await pass(1);
  assert.deepEqual(incidents(), []);
  await pass(8, 'none');
  assert.deepEqual(incidents(), [['market-data', 'outage', 11, undefined]]);
  await pass(2);
  assert.deepEqual(incidents(), [['market-data', 'outage', 11, 20]]);
});

test('trouble in which nothing arrives is told as that from its first second, and stays one incident when it becomes an outage', async (t) => {
  const { pass, recorder, service, clock, incidents, feed } = await rig(t);
  await recorder.start();
  await pass(10);
  feed.pathChanged('fallback');
  await pass(1.5, 'none');
  assert.equal(service.read(clock.now()).ticker, 'degraded');
  assert.deepEqual(incidents(), [['market-data', 'outage', 10, undefined]]);
  await pass(6.5, 'none');
  assert.equal(service.read(clock.now()).ticker, 'outage');
  await pass(2);
  assert.deepEqual(incidents(), [['market-data', 'outage', 10, 18]]);
});

test('data that arrives worse and then not at all makes two incidents, which touch at the last data', async (t) => {
  const { pass, recorder, incidents } = await rig(t);
  await recorder.start();
  await pass(10);
  await pass(5, 'fallback');
  assert.deepEqual(incidents(), [['market-data', 'degraded', 10, undefined]]);
  await pass(3, 'none');
  await pass(4, 'fallback');
  await pass(1);
  assert.deepEqual(incidents(), [
    ['market-data', 'degraded', 18, 22],
    ['market-data', 'outage', 15, 18],
    ['market-data', 'degraded', 10, 15],
  ]);
});

test('a clock that is set while trouble lasts makes no incident of it', async (t) => {
  const { pass, recorder, clock, incidents } = await rig(t);
  await recorder.start();
  await pass(2);
  await pass(0.2, 'fallback');
  clock.jump(10 * minuteMs);
  await pass(0.2, 'fallback');
  await pass(2);
  assert.deepEqual(incidents(), []);
});

test('a silence that is too short for an incident divides none', async (t) => {
  const { pass, recorder, incidents } = await rig(t);
  await recorder.start();
  await pass(10);
  await pass(2, 'fallback');
  await pass(0.9, 'none');
  await pass(2.1, 'fallback');
  await pass(1);
  assert.deepEqual(incidents(), [['market-data', 'degraded', 10, 15]]);
});

test('polls a minute apart are data that arrives', async (t) => {
  const { pass, recorder, clock, feed, incidents } = await rig(t);
  await recorder.start();
  await pass(10);
  for (let poll = 0; poll < 6; poll++) {
    feed.updated('fallback', clock.now(), clock.monotonicMs());
    feed.source('first').current(false, clock.now(), clock.monotonicMs(), minuteMs);
    await pass(1, 'none');
  }
  assert.deepEqual(incidents(), [['market-data', 'degraded', 10, undefined]]);
});

test('announced maintenance is neither an outage nor an incident', async (t) => {
  const { pass, recorder, service, times, incidents } = await rig(t);
  await recorder.start();
  await pass(1);
  const from = (startMs + minuteMs) as EpochMs;
  service.setWindows([{ from, to: (from + 20 * minuteMs) as EpochMs, description: 'Upgrade.' }]);
  await pass(20, 'none');
  await pass(2);
  assert.deepEqual(times('market-data'), [['2026-11-20', 3, 0, 20, 0]]);
  assert.deepEqual(incidents(), []);
});

test('the time in which the only process did not run is an outage, unless a window was announced for it', async (t) => {
  const first = await rig(t);
  await first.recorder.start();
  await first.pass(3);
  await first.recorder.stop();
  await first.clock.advance(30 * minuteMs);
  const second = await rig(t, first.clock, first.store);
  await second.recorder.start();
  await second.pass(1);
  assert.deepEqual(second.incidents(), [['api', 'outage', 3, 33]]);
  assert.deepEqual(second.times('api'), [['2026-11-20', 4, 0, 0, 30]]);
  await second.recorder.stop();
  const from = (first.clock.now() + minuteMs / 2) as EpochMs;
  await first.store.windows.announce({ from, to: (from + 21 * minuteMs) as EpochMs, description: 'Upgrade.' });
  await first.clock.advance(22 * minuteMs);
  const third = await rig(t, first.clock, first.store);
  await third.recorder.start();
  await third.pass(1);
  assert.equal(third.incidents().length, 1);
  assert.deepEqual(third.times('api'), [['2026-11-20', 5, 0, 21, 31]]);
  assert.deepEqual(
    third.service.history.windows.map(({ description }) => description),
    ['Upgrade.'],
  );
});

test('only the part of a downtime that a window covered is planned (fault row 100)', async (t) => {
  const first = await rig(t);
  await first.recorder.start();
  await first.pass(2);
  await first.recorder.stop();
  const at = (seconds: number) => (first.clock.now() + seconds * 1_000) as EpochMs;
  await first.store.windows.announce({ from: at(40), to: at(42), description: 'Restart.' });
  const cancelled = await first.store.windows.announce({ from: at(50), to: at(90), description: 'Never.' });
  await first.store.windows.cancel(cancelled.id);
  await first.clock.advance(100_000);
  const second = await rig(t, first.clock, first.store);
  await second.recorder.start();
  await second.pass(2);
  await second.recorder.stop();
  for (const { states } of second.service.history.days)
    assert.deepEqual([states.maintenance, states.outage], [2_000, 98_000]);
  assert.deepEqual(second.incidents(), [['api', 'outage', 2, 4]]);
});

test('a window that began first, or ended last, leaves an incident of the rest alone', async (t) => {
  const first = await rig(t);
  await first.recorder.start();
  await first.pass(2);
  await first.recorder.stop();
  const at = (minutes: number) => (first.clock.now() + minutes * minuteMs) as EpochMs;
  await first.store.windows.announce({ from: at(0), to: at(10), description: 'Upgrade.' });
  await first.store.windows.announce({ from: at(5), to: at(12), description: 'Its second part.' });
  await first.clock.advance(20 * minuteMs);
  const second = await rig(t, first.clock, first.store);
  await second.recorder.start();
  await second.pass(2);
  assert.deepEqual(second.incidents(), [['api', 'outage', 14, 22]]);
  assert.deepEqual(second.times('market-data')[0]!.slice(3), [12, 8]);
});

test('a process that does not run the feed writes nothing and shows what the others wrote', async (t) => {
  const writer = await rig(t);
  await writer.recorder.start();
  const reader = await rig(t, writer.clock, writer.store);
  reader.role.writes = false;
  await reader.recorder.start();
  await writer.pass(3);
  assert.ok(Number(reader.times('api')[0]![1]) >= 1);
  assert.ok(Number(writer.times('api')[0]![1]) <= 3);
  writer.role.writes = false;
  reader.role.writes = true;
  await writer.pass(3);
  assert.deepEqual(
    reader.incidents().filter(([component]) => component === 'api'),
    [],
  );
});

test('an incident whose begin or end could not be saved is saved with the next that can', async (t) => {
  const { store, pass, recorder, incidents } = await rig(t);
  const { statusRecords } = store;
  const { addIncident, endIncident } = statusRecords;
  const refuse = () => {
    const full = async () => Promise.reject(new Error('the disk is full'));
    Object.assign(statusRecords, { addIncident: full, endIncident: full });
  };
  const accept = () => Object.assign(statusRecords, { addIncident, endIncident });
  await recorder.start();
  await pass(10);
  refuse();
  await pass(5, 'fallback');
  accept();
  await pass(1, 'fallback');
  assert.deepEqual(incidents(), [['market-data', 'degraded', 10, undefined]]);
  refuse();
  await pass(5);
  await pass(5, 'fallback');
  await pass(2);
  accept();
  await pass(2);
  assert.deepEqual(incidents(), [
    ['market-data', 'degraded', 21, 26],
    ['market-data', 'degraded', 10, 16],
  ]);
});

test('what is older than ninety days goes', async (t) => {
  const { store, pass, recorder, service } = await rig(t);
  const old = (Date.parse('2026-11-20T00:00:00.000Z') - 90 * 86_400_000) as EpochMs;
  const states = { operational: 1, degraded: 0, maintenance: 0, outage: 0 };
  for (const day of [old, (old + 86_400_000) as EpochMs])
    await store.statusRecords.addTime([{ component: 'api', day, states }]);
  await store.statusRecords.addIncident({ component: 'api', state: 'outage', from: old, to: (old + 1) as EpochMs });
  await recorder.start();
  await pass(2);
  assert.deepEqual(await store.statusRecords.incidents(0 as EpochMs, 10), []);
  assert.deepEqual(
    service.history.days.filter(({ component }) => component === 'api').map(({ day }) => day),
    [old + 86_400_000, old + 90 * 86_400_000],
  );
});
