import assert from 'node:assert/strict';
import type { EpochMs } from '../../ground/clock.ts';
import type { SegmentStore } from '../segment/segment-store.ts';
import { daySealer } from './day-seals.ts';
import { answers, newRecord, recordTest, requestKey, writerOn } from './record.testing.ts';

const instant = (text: string) => Date.parse(text) as EpochMs;
const evening = instant('2026-11-21T23:58:00Z');
const lastMoment = instant('2026-11-21T23:59:59.900Z');
const midnight = instant('2026-11-22T00:00:00.500Z');

/** The last instant that the segments of a chain up to this one have. */
async function endOf(store: SegmentStore, chain: number, number: number): Promise<number> {
  const heads = await store.heads({ kinds: ['servings'], chain, beforeNumber: number + 1 });
  return Math.max(...heads.map(({ lastAt }) => lastAt));
}

recordTest('the seal of a day holds its last minute, and each day has one', async (t) => {
  const { store, journalPath } = await newRecord(t);
  const { writer } = await writerOn(store, journalPath);
  const seal = await daySealer(store, 1, evening);
  const answered = answers();
  for (const at of [evening, lastMoment]) {
    await writer.take(answered(at));
    await writer.tick(at as EpochMs);
    assert.equal(await seal(at as EpochMs, writer.figures().head), undefined, 'the day goes on');
  }
  await writer.tick(midnight);
  const { head } = writer.figures();
  const sealed = await seal(midnight, head);
  assert.deepEqual(sealed, {
    day: '2026-11-21',
    chain: 1,
    segment: head.number,
    head: head.hash.toString('hex'),
    others: [],
  });
  assert.equal(await endOf(store, 1, sealed!.segment), lastMoment);
  assert.equal(await seal((midnight + 1_000) as EpochMs, head), undefined, 'it has its seal');
  const again = await daySealer(store, 1, midnight);
  assert.equal(await again(midnight, head), undefined, 'also for the next process');
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
