import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FakeClock, seededRandomness } from '../../test/support/fake-clock.ts';
import { ServiceBoard } from '../board/service-board.ts';
import type { Clock, EpochMs } from '../ground/clock.ts';
import { silentLog } from '../ground/log.ts';
import { FeedStatus } from '../market/service-status.ts';
import { openStore } from '../store/store.ts';
import { StatusRecorder } from './status-recorder.ts';

const minuteMs = 60_000;

/** A store that outlives its processes, each of which has its own clock where it is told so. */
async function cluster(t: TestContext) {
  const clock = new FakeClock('2026-11-20T10:00:00.000Z');
  const store = await openStore({ url: 'sqlite::memory:', clock, randomness: seededRandomness(5) });
  t.after(() => store.close());
  let seed = 10;
  return {
    clock,
    store,
    async process({ leads = true, only = undefined as 'api' | 'feed' | undefined, by = clock as Clock } = {}) {
      const feed = new FeedStatus();
      const service = new ServiceBoard(feed, by);
      const role = { leads };
      const options = { store, service, clock: by, log: silentLog, only, randomness: seededRandomness(seed++) };
      const recorder = new StatusRecorder({ ...options, isWriter: () => role.leads && only !== 'api' });
      const beat = clock.every(1_000, () => feed.feedCurrent('live', by.now(), by.monotonicMs()));
      t.after(() => recorder.stop());
      await recorder.start();
      return {
        role,
        service,
        /** Ends without a word, as one that is killed. */
        async kill() {
          beat.cancel();
          await recorder.stop();
        },
      };
    },
    async shown() {
      const days = await store.statusRecords.days(0 as EpochMs);
      const incidents = await store.statusRecords.incidents(0 as EpochMs, 10);
      return {
        outages: Object.fromEntries(days.map(({ component, states }) => [component, states.outage])),
        incidents: incidents.map(({ component, state, from, to }) => [component, state, to! - from]),
      };
    },
  };
}

const nothing = { outages: { api: 0, 'market-data': 0 }, incidents: [] };

test('three processes that are gone for 111 s are an outage, whichever comes back first (fault row 100)', async (t) => {
  const { clock, process, shown } = await cluster(t);
  const before = [await process(), await process({ leads: false }), await process({ leads: false, only: 'api' })];
  await clock.advance(3 * minuteMs);
  for (const each of before) await each.kill();
  await clock.advance(111_000);
  await process({ leads: false, only: 'api' });
  await clock.advance(5_000);
  await process({ leads: false });
  await clock.advance(20_000);
  await process();
  await clock.advance(2 * minuteMs);
  assert.deepEqual(await shown(), {
    outages: { api: 111_000, 'market-data': 116_000 },
    incidents: [['api', 'outage', 111_000]],
  });
  await clock.advance(10 * minuteMs);
  assert.equal((await shown()).incidents.length, 1, 'it is told once');
});

test('one process of three that is gone is no outage, the one that writes neither (fault row 100)', async (t) => {
  const { clock, process, shown } = await cluster(t);
  const first = await process();
  const second = await process({ leads: false });
  await process({ leads: false });
  await clock.advance(3 * minuteMs);
  await first.kill();
  second.role.leads = true;
  await clock.advance(10 * minuteMs);
  await process({ leads: false });
  await clock.advance(2 * minuteMs);
  assert.deepEqual(await shown(), nothing);
});

test('processes that ran while no store did were not away, also if a new one is there first', async (t) => {
  const { clock, store, process, shown } = await cluster(t);
  await process();
  await clock.advance(3 * minuteMs);
  const { processLives } = store;
  const { sign } = processLives;
  processLives.sign = () => Promise.reject(new Error('no store'));
  await clock.advance(4 * minuteMs - 1_000);
  processLives.sign = sign.bind(processLives);
  await process({ leads: false, only: 'api' });
  await clock.advance(3 * minuteMs);
  assert.deepEqual(await shown(), nothing);
});

test('an API that is away while the feed runs is an outage of the API alone', async (t) => {
  const { clock, process, shown } = await cluster(t);
  const api = await process({ only: 'api' });
  await process({ only: 'feed' });
  await clock.advance(3 * minuteMs);
  await api.kill();
  await clock.advance(5 * minuteMs);
  assert.deepEqual(await shown(), nothing, 'not known before it is over');
  await process({ only: 'api' });
  await clock.advance(2 * minuteMs);
  assert.deepEqual(await shown(), {
    outages: { api: 300_000, 'market-data': 0 },
    incidents: [['api', 'outage', 300_000]],
  });
});

test('a clock that jumps, forward or back, makes no outage and hides none', async (t) => {
  const { clock, process, shown } = await cluster(t);
  const first = await process();
  await clock.advance(3 * minuteMs);
  clock.jump(10 * minuteMs);
  await clock.advance(3 * minuteMs);
  clock.jump(-20 * minuteMs);
  await clock.advance(30 * minuteMs);
  assert.deepEqual(await shown(), nothing);
  await first.kill();
  await clock.advance(2 * minuteMs);
  await process();
  await clock.advance(2 * minuteMs);
  assert.equal((await shown()).outages.api, 120_000);
});

test('signs of processes that are long gone are dropped', async (t) => {
  const { clock, store, process } = await cluster(t);
  await (await process()).kill();
  await process();
  await clock.advance(30 * minuteMs);
  assert.equal((await store.processLives.list()).length, 2);
  await clock.advance(40 * minuteMs);
  assert.equal((await store.processLives.list()).length, 1);
});
