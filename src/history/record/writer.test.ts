import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { EpochMs } from '../../ground/clock.ts';
import { verifyRecord } from '../query/verify.ts';
import { Journal, readJournal } from '../reading/journal.ts';
import { RecordReader } from '../reading/record-reader.ts';
import { prune } from '../segment/retention.ts';
import type { SegmentReader } from '../segment/segment-store.ts';
import { openSqliteSegments, openSqliteSegmentsToRead } from '../segment/sqlite-segments.ts';
import { openWriter } from './open-writer.ts';
import {
  answers,
  directoryFor,
  newRecord,
  type RecordFixture,
  recordTest,
  requestKey,
  writerOn,
} from './record.testing.ts';

/** Long enough that retention can delete it whole on either engine. */
const spanMs = 40 * 86_400_000;
const everything = { from: 0 as EpochMs, to: (10 ** 12) as EpochMs };

async function served(store: SegmentReader): Promise<number[]> {
  const found: number[] = [];
  for await (const some of new RecordReader(store).servings(1, everything)) {
    found.push(...some.map(({ askedAt }) => askedAt));
  }
  return found;
}

recordTest('what a store refuses stays in the journal, and is stored once it takes it again', async (t) => {
  const { store, journalPath } = await newRecord(t);
  const { writer, written } = await writerOn(store, journalPath);
  const answered = answers();
  await writer.take(answered(1_000));
  store.refuses = true;
  await assert.rejects(writer.tick(61_000 as EpochMs), /full/);
  await assert.rejects(
    writer.take(answered(62_000)).then(() => writer.tick(125_000 as EpochMs)),
    /full/,
  );
  assert.equal(written.length, 2, 'the journal has both');
  store.refuses = false;
  await writer.tick(126_000 as EpochMs);
  assert.deepEqual(await served(store), [1_000, 62_000]);
});

recordTest(
  'what a process that was killed left in its journal is stored by the next, and the span until then is a gap',
  async (t) => {
    const { store, journalPath } = await newRecord(t);
    const options = { store, journalPath, requestKey, written: () => {} };
    const first = await openWriter({ ...options, now: 500 as EpochMs });
    const answered = answers();
    for (const at of [1_000, 1_500, 2_000]) await first.writer.take(answered(at));
    first.release();
    // Killed in the middle of a write: half a record follows.
    const journal = `${journalPath}.minute1`;
    writeFileSync(journal, Buffer.concat([readFileSync(journal), Buffer.from([9, 0, 0, 0, 1, 2])]));
    const second = await openWriter({ ...options, now: 9_000 as EpochMs });
    t.after(second.release);
    assert.deepEqual(second.gap, { from: 2_000, to: 9_000, reason: 'killed' });
    assert.deepEqual(await served(store), [1_000, 1_500, 2_000]);
    assert.equal((await verifyRecord(store, () => {})).finding, undefined);
  },
);

recordTest(
  'a process whose last rows the store refused when it stopped leaves them to the next, and no gap',
  async (t) => {
    const { store, journalPath } = await newRecord(t);
    const options = { store, journalPath, requestKey, written: () => {} };
    const first = await openWriter({ ...options, now: 500 as EpochMs });
    await first.writer.take(answers()(1_000));
    await first.writer.note('stop', '', 1_500 as EpochMs);
    store.refuses = true;
    await assert.rejects(first.writer.stop(), /full/);
    first.release();
    store.refuses = false;
    const second = await openWriter({ ...options, now: 9_000 as EpochMs });
    t.after(second.release);
    assert.deepEqual([second.gap, await served(store)], [undefined, [1_000]]);
  },
);

recordTest('a disk that is slow to sync holds up no writing, and its error is that of the next tick', async (t) => {
  const { store, journalPath } = await newRecord(t);
  const { writer, written } = await writerOn(store, journalPath);
  const answered = answers();
  const disk = Promise.withResolvers<void>();
  t.mock.method(Journal.prototype, 'sync', () => disk.promise);
  await writer.take(answered(1_000));
  await writer.tick(1_500 as EpochMs);
  await writer.take(answered(2_000));
  await writer.tick(2_500 as EpochMs);
  assert.equal(written.length, 2, 'both are in the journal while the first sync goes on');
  disk.reject(new Error('the disk fails'));
  await new Promise(setImmediate);
  await assert.rejects(writer.tick(3_500 as EpochMs), /the disk fails/);
});

recordTest('the record is readable by its owner alone', async (t) => {
  const { store, journalPath, location } = await newRecord(t);
  const { release } = await openWriter({
    store,
    journalPath,
    requestKey,
    now: 500 as EpochMs,
    written: () => {},
  });
  t.after(release);
  const files = [...(location.kind === 'sqlite' ? [location.path] : []), `${journalPath}.minute1`];
  for (const file of files) assert.equal(statSync(file).mode & 0o777, 0o600, file);
});

recordTest('a process that is stopped in order leaves no journal and no gap', async (t) => {
  const { store, journalPath } = await newRecord(t);
  const options = { store, journalPath, requestKey, written: () => {} };
  const first = await openWriter({ ...options, now: 500 as EpochMs });
  await first.writer.take(answers()(1_000));
  await first.writer.stop();
  first.release();
  assert.equal(readJournal(`${journalPath}.minute1`, 0), undefined);
  const second = await openWriter({ ...options, now: 9_000 as EpochMs });
  t.after(second.release);
  assert.equal(second.gap, undefined);
});

recordTest('two processes that share a store have a chain each', async (t) => {
  const { store, journalPath } = await newRecord(t);
  const options = { store, journalPath, requestKey, now: 500 as EpochMs, written: () => {} };
  const [one, other] = [await openWriter(options), await openWriter(options)];
  t.after(one.release);
  t.after(other.release);
  assert.deepEqual([one.chain, other.chain], [1, 2]);
});

test('a file whose tables are of another version is left as it is, with a word on what to do', (t) => {
  const path = join(directoryFor(t), 'history.sqlite');
  const database = new DatabaseSync(path);
  database.exec('create table segment (number integer)');
  database.close();
  for (const open of [openSqliteSegments, openSqliteSegmentsToRead]) {
    assert.throws(() => open(path), /history\.sqlite was made by an older version of this program \(form 1/);
  }
});

test('a file that is no record is left as it is, with a word on what to do', (t) => {
  const path = join(directoryFor(t), 'history.sqlite');
  using database = new DatabaseSync(path);
  database.exec('create table account (id integer)');
  writeFileSync(`${path}.text`, 'no database at all'.repeat(100));
  for (const open of [openSqliteSegments, openSqliteSegmentsToRead]) {
    assert.throws(() => open(path), /history\.sqlite belongs to another program\. Set history\.url to another file/);
    assert.throws(() => open(`${path}.text`), /history\.sqlite\.text is not an SQLite database/);
  }
});

/** Three spans with an answer each. */
async function threeSpans({ store, journalPath }: RecordFixture) {
  const { writer } = await writerOn(store, journalPath);
  const answered = answers();
  for (const count of [1, 2, 3]) {
    await writer.take(answered(count * spanMs));
    await writer.tick((count * spanMs + 61_000) as EpochMs);
  }
  return writer;
}

recordTest('verification names the first segment that was changed, is missing or was exchanged', async (t) => {
  const exchange = [
    [4, -1],
    [5, 4],
    [-1, 5],
  ].map(([from, to]) => `update SEGMENT set number = ${to} where number = ${from}`);
  const changes: [string, (record: RecordFixture) => Promise<void>][] = [
    ['changed', (record) => record.changeData(4)],
    ['missing', (record) => record.outside('delete from SEGMENT where number = 4')],
    ['changed', (record) => record.outside(exchange.join(';'))],
  ];
  for (const [what, change] of changes) {
    const record = await newRecord(t);
    const { store } = record;
    await threeSpans(record);
    await change(record);
    assert.deepEqual((await verifyRecord(store, () => {})).finding, { chain: 1, number: 4, what });
  }
});

recordTest('retention deletes what is past and no hold touches, and the chain can still be verified', async (t) => {
  const record = await newRecord(t);
  const { store } = record;
  const writer = await threeSpans(record);
  const hold = await store.addHold({ from: spanMs as EpochMs, to: (spanMs + 1) as EpochMs, reason: 'complaint' });
  assert.deepEqual(await prune(store, (2 * spanMs + 1) as EpochMs), [], 'held');
  await store.releaseHold(hold);
  const deletions = await prune(store, (3 * spanMs + 1) as EpochMs);
  assert.ok(deletions.length > 0);
  assert.equal(
    (await verifyRecord(store, () => {})).finding?.what,
    'deletion_unsealed',
    'nobody said so in the record',
  );
  for (const deletion of deletions) await writer.note('deletion', JSON.stringify(deletion), (4 * spanMs) as EpochMs);
  await writer.tick((4 * spanMs + 61_000) as EpochMs);
  const { finding, deleted } = await verifyRecord(store, () => {});
  assert.equal(finding, undefined);
  assert.ok(deleted > 0);
  assert.ok(!(await served(store)).includes(spanMs));
});
