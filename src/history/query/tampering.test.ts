import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { EpochMs } from '../../ground/clock.ts';
import { answers, newRecord, type RecordFixture, recordTest, requestKey, writerOn } from '../record/record.testing.ts';
import { type ExpectedHead, headFinding } from '../segment/expected-heads.ts';
import { prune } from '../segment/retention.ts';
import { type Segment, type SegmentContent, sealed, segmentKinds } from '../segment/segment.ts';
import { verifyRecord } from './verify.ts';

const minuteMs = 60_000;
/** Long enough that retention can delete it whole on either engine. */
const spanMs = 40 * 86_400_000;
const nobody = () => {};

/** A record of several minutes, each with an answer, of which the ledger is noted, with what the store keeps of it. */
async function kept(t: TestContext) {
  const record = await newRecord(t);
  const { store, journalPath } = record;
  const hold = await store.addHold({ from: 1 as EpochMs, to: 2 as EpochMs, reason: 'complaint' });
  await store.releaseHold(await store.addHold({ from: 1 as EpochMs, to: 2 as EpochMs, reason: 'none' }));
  const { writer, run } = await writerOn(store, journalPath);
  const answered = answers();
  for (let minute = 1; minute <= 6; minute++) {
    await writer.take(answered(minute * minuteMs));
    await writer.tick((minute * minuteMs + 50_000) as EpochMs);
  }
  const middle = await headOf(record);
  await store.addEntry('seal', { day: '1970-01-01', chain: 1, segment: middle.number, head: middle.hash, others: [] });
  await writer.tick((8 * minuteMs) as EpochMs);
  await writer.tick((9 * minuteMs) as EpochMs);
  await writer.stop();
  return { ...record, hold, run, middle, heads: [await headOf(record)] };
}

async function headOf({ store }: Pick<RecordFixture, 'store'>): Promise<ExpectedHead> {
  const { number, hash } = (await store.head(1))!;
  return { chain: 1, number, hash: hash.toString('hex') };
}

type Kept = Awaited<ReturnType<typeof kept>>;

async function findingIn({ store, heads }: Kept) {
  return (await verifyRecord(store, nobody, heads)).finding;
}

async function segmentsOf({ store }: Kept): Promise<Segment[]> {
  const heads = await store.heads({ kinds: segmentKinds, chain: 1 });
  return Promise.all(heads.map(async ({ number }) => (await store.segment(1, number))!));
}

/** Seals everything from a segment on again, as somebody who knows how can. */
async function forge(record: Kept, from: number, change: (content: SegmentContent) => SegmentContent): Promise<void> {
  const segments = await segmentsOf(record);
  await record.outside(`delete from SEGMENT where number >= ${from}`);
  const contents = segments.slice(from - 1).map(change);
  await record.store.append(sealed(contents, 1, segments[from - 2]!));
}

recordTest(
  'a run, its request key, a hold, a release or an entry of the ledger that was changed is named',
  async (t) => {
    const cases: readonly (readonly [sql: string, subject: RegExp, what: string])[] = [
      ['update RUN set request_key = hash from SEGMENT where SEGMENT.number = 1', /^run 1$/, 'changed'],
      ['update RUN set started_ms = 7', /^run 1$/, 'changed'],
      ['delete from RUN', /^run 1$/, 'missing'],
      ['update HOLD set to_ms = 3', /^hold 1$/, 'changed'],
      ["update HOLD set reason = 'another'", /^hold 1$/, 'changed'],
      ['delete from HOLD', /^hold 1$/, 'missing'],
      ["insert into HOLD (from_ms, to_ms, reason) values (1, 2, 'smuggled in')", /^hold 3$/, 'unsealed'],
      ["update LEDGER set text = '{}' where kind = 'run'", /^entry 4 of the ledger \(run\)$/, 'changed'],
      ['delete from LEDGER where number = 2', /^entry 2 of the ledger$/, 'missing'],
      ['delete from LEDGER', /^entry \d of the ledger$/, 'missing'],
    ];
    for (const [sql, subject, what] of cases) {
      const record = await kept(t);
      assert.equal(await findingIn(record), undefined);
      await record.outside(sql);
      const finding = await findingIn(record);
      assert.ok(finding !== undefined && 'subject' in finding, sql);
      assert.match(finding.subject, subject, sql);
      assert.equal(finding.what, what, sql);
    }
  },
);

recordTest('a ledger that was forged and sealed again is not what the chain notes of it', async (t) => {
  const record = await kept(t);
  const { store } = record;
  await record.outside('delete from LEDGER; delete from RUN; delete from HOLD');
  // Enters everything anew.
  await store.addRun({ chain: 1, startedAt: 0 as EpochMs, requestKey: Buffer.alloc(16, 9) });
  const finding = await findingIn(record);
  assert.ok(finding !== undefined && 'subject' in finding);
  assert.match(finding.subject, /^entry \d of the ledger$/);
});

recordTest('a second entry for a run that was changed does not count', async (t) => {
  const record = await kept(t);
  const { text } = (await record.store.ledger()).find(({ kind }) => kind === 'run')!;
  await record.store.addEntry('run' as 'seal', { ...JSON.parse(text), startedAt: 7 });
  await record.outside('update RUN set started_ms = 7');
  const about = { kind: 'run', number: 1 };
  assert.deepEqual(await findingIn(record), { about, subject: 'run 1', what: 'changed' });
});

recordTest(
  'a record that lost all segments or its end, or that was forged and sealed again, is not what the store knows',
  async (t) => {
    const emptied = await kept(t);
    await emptied.outside('delete from SEGMENT; delete from LEDGER; delete from RUN; delete from HOLD');
    const [{ number }] = emptied.heads as [ExpectedHead];
    assert.deepEqual(await findingIn(emptied), { chain: 1, number, what: 'cut_off' });

    const older = await kept(t);
    await older.outside(`delete from SEGMENT where number > ${older.middle.number}`);
    assert.deepEqual(await findingIn({ ...older, heads: older.heads }), { chain: 1, number, what: 'cut_off' });

    const forged = await kept(t);
    await forge(forged, forged.middle.number + 1, (content) => ({
      ...content,
      firstAt: (content.firstAt + 1) as EpochMs,
    }));
    assert.deepEqual(await findingIn(forged), { chain: 1, number, what: 'exchanged' });
    const sealOfDay = await kept(t);
    await forge(sealOfDay, 2, (content) => ({ ...content, lastAt: (content.lastAt + 1) as EpochMs }));
    const { middle } = sealOfDay;
    const what = { chain: 1, number: middle.number, what: 'exchanged', day: '1970-01-01' };
    assert.deepEqual(await findingIn({ ...sealOfDay, heads: [] }), what, 'its own seal says so too');
  },
);

recordTest('an end that retention deleted is still known, and one that a forged deletion covers is not', async (t) => {
  const record = await newRecord(t);
  const { store, journalPath } = record;
  const { writer } = await writerOn(store, journalPath);
  const answered = answers();
  const ends: ExpectedHead[] = [];
  for (const count of [1, 2, 3]) {
    await writer.take(answered(count * spanMs));
    await writer.tick((count * spanMs + 61_000) as EpochMs);
    await writer.tick((count * spanMs + 122_000) as EpochMs);
    ends.push(await headOf(record));
  }
  for (const deletion of await prune(store, (3 * spanMs + 1) as EpochMs))
    await writer.note('deletion', JSON.stringify(deletion), (3 * spanMs + 200_000) as EpochMs);
  await writer.stop();
  const { deleted, finding } = await verifyRecord(store, nobody, ends);
  assert.ok(deleted > 0);
  assert.equal(finding, undefined);
  await record.outside(
    `delete from SEGMENT; insert into DELETION values (1, 5000, 6000, 'ab', 7); update DELETION set last = 9999`,
  );
  const [{ number }] = ends as [ExpectedHead];
  assert.deepEqual(await headFinding(store, ends), { chain: 1, number, what: 'cut_off' });
});

recordTest('a record of a version without a ledger gets one with all that it holds', async (t) => {
  const record = await kept(t);
  const { store } = record;
  await record.outside('delete from LEDGER');
  await record.outside("delete from SEGMENT where kind = 'breaks'");
  await store.addRun({ chain: 1, startedAt: 0 as EpochMs, requestKey });
  assert.deepEqual(
    (await store.ledger()).map(({ kind }) => kind),
    ['run', 'run', 'hold'],
  );
});
