import assert from 'node:assert/strict';
import { FakeClock, seededRandomness } from '../../../test/support/fake-clock.ts';
import { isoInstant } from '../../contract/instant.ts';
import type { EpochMs } from '../../ground/clock.ts';
import { silentLog } from '../../ground/log.ts';
import { segmentKinds } from '../segment/segment.ts';
import type { DaySeal, RecordLocation, SegmentStore } from '../segment/segment-store.ts';
import { daySealer } from './day-seals.ts';
import { answers, newRecord, recordTest, requestKey, writerOn } from './record.testing.ts';
import { RecordingThread } from './recording-thread.ts';

const instant = (text: string) => Date.parse(text) as EpochMs;
const evening = instant('2026-11-21T23:58:00Z');
const lastMoment = instant('2026-11-21T23:59:59.900Z');
const midnight = instant('2026-11-22T00:00:00.500Z');

/** The last instant that the segments of a chain up to this one have. */
async function endOf(store: SegmentStore, chain: number, number: number): Promise<number> {
  const heads = await store.heads({ kinds: ['servings'], chain, beforeNumber: number + 1 });
  return Math.max(...heads.map(({ lastAt }) => lastAt));
}

/** A recording thread that begins at an instant, told what the serving thread tells it. */
async function threadFrom(startedAt: EpochMs, location: RecordLocation) {
  const seals: DaySeal[] = [];
  const thread = new RecordingThread({
    location,
    keepForMs: 86_400_000,
    requestKey,
    clock: new FakeClock(isoInstant(startedAt)),
    randomness: seededRandomness(1),
    log: silentLog,
    heard: (message) => {
      if (message.kind === 'sealed') seals.push(message.seal);
    },
    ended: () => assert.fail('the thread ended by itself'),
  });
  await thread.start();
  const tick = (now: EpochMs) => thread.post({ kind: 'tick', now, until: now });
  return { thread, tick, seals };
}

recordTest('the seal of a day holds its last minute, and each day has one', async (t) => {
  const { location, store } = await newRecord(t);
  const { thread, tick, seals } = await threadFrom(evening, location);
  const answered = answers();
  for (const at of [evening, lastMoment]) {
    thread.post({ kind: 'piece', piece: answered(at) });
    tick(at);
  }
  tick(midnight);
  tick((midnight + 1_000) as EpochMs);
  await thread.stop();
  const [seal, ...more] = seals;
  assert.deepEqual(more, [], 'it has its seal');
  const head = await store.heads({
    kinds: segmentKinds,
    chain: 1,
    beforeNumber: seal!.segment + 1,
    backwards: true,
    limit: 1,
  });
  const sealed = { segment: head[0]!.number, head: head[0]!.hash.toString('hex') };
  assert.deepEqual(seal, { day: '2026-11-21', chain: 1, ...sealed, others: [] });
  assert.equal(await endOf(store, 1, seal!.segment), lastMoment);
  const next = await threadFrom(midnight, location);
  next.tick(midnight);
  await next.thread.stop();
  assert.deepEqual(next.seals, [], 'also for the next process');
});

recordTest(
  'a day over whose end no process ran is sealed by the next, and a seal that the store refuses comes later',
  async (t) => {
    const { store, journalPath } = await newRecord(t);
    const { writer } = await writerOn(store, journalPath);
    await writer.take(answers()(evening));
    await writer.stop();
    const head = (await store.head(1))!;
    const seal = await daySealer(store, 1, midnight);
    t.mock.method(store, 'addEntry', async () => assert.fail('full'), { times: 1 });
    await assert.rejects(seal(midnight, head), /full/);
    assert.equal((await seal(midnight, head))?.day, '2026-11-21');
  },
);

recordTest(
  'the ledger has each run, hold, release, deletion and seal in order, each sealed with those before',
  async (t) => {
    const { store } = await newRecord(t);
    const run = await store.addRun({ chain: 1, startedAt: evening, requestKey });
    const hold = await store.addHold({ from: evening, to: midnight, reason: 'complaint' });
    assert.equal(await store.releaseHold(hold + 1), false, 'nothing is entered of one that is not there');
    await store.releaseHold(hold);
    await store.addEntry('seal', { day: '2026-11-21', chain: 1, segment: 7, head: 'ab', others: [] });
    const entries = await store.ledger();
    assert.deepEqual(
      entries.map(({ number, kind }) => [number, kind]),
      [
        [1, 'run'],
        [2, 'hold'],
        [3, 'release'],
        [4, 'seal'],
      ],
    );
    assert.deepEqual([JSON.parse(entries[0]!.text).run, JSON.parse(entries[1]!.text).reason], [run, 'complaint']);
    assert.ok(!entries[0]!.text.includes(Buffer.from(requestKey).toString('hex')), 'the key itself is not shown');
    assert.deepEqual(
      (await store.ledger(3)).map(({ number }) => number),
      [4],
    );
  },
);
