import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { EpochMs } from '../clock.ts';
import { readJournal } from './journal.ts';
import { openWriter } from './open-writer.ts';
import { answers, directoryFor, refusingStore, requestKey, writerOn } from './record.testing.ts';
import { RecordReader } from './record-reader.ts';
import { prune } from './retention.ts';
import type { SegmentReader } from './segment-store.ts';
import { verifyRecord } from './verify.ts';

const hourMs = 3_600_000;
const everything = { from: 0 as EpochMs, to: (10 ** 12) as EpochMs };

async function served(store: SegmentReader): Promise<number[]> {
  const found: number[] = [];
  for await (const some of new RecordReader(store).servings(1, everything)) {
    found.push(...some.map(({ serving }) => serving.askedAt));
  }
  return found;
}

test('what a store refuses stays in the journal, and is stored once it takes it again', async (t) => {
  const path = join(directoryFor(t), 'history.sqlite');
  const store = refusingStore(path);
  t.after(() => store.close());
  const { writer, written } = await writerOn(store, path);
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

test('what a process that was killed left in its journal is stored by the next, and the span until then is a gap', async (t) => {
  const path = join(directoryFor(t), 'history.sqlite');
  const store = refusingStore(path);
  t.after(() => store.close());
  const options = { store, journalPath: path, requestKey, written: () => {} };
  const first = await openWriter({ ...options, now: 500 as EpochMs });
  const answered = answers();
  for (const at of [1_000, 1_500, 2_000]) await first.writer.take(answered(at));
  first.release();
  // Killed in the middle of a write: half a record follows.
  const journal = `${path}.minute1`;
  writeFileSync(journal, Buffer.concat([readFileSync(journal), Buffer.from([9, 0, 0, 0, 1, 2])]));
  const second = await openWriter({ ...options, now: 9_000 as EpochMs });
  t.after(second.release);
  assert.deepEqual(second.gap, { from: 2_000, to: 9_000, reason: 'killed' });
  assert.deepEqual(await served(store), [1_000, 1_500, 2_000]);
  assert.equal((await verifyRecord(store, () => {})).finding, undefined);
});

test('the record is readable by its owner alone', async (t) => {
  const path = join(directoryFor(t), 'history.sqlite');
  const store = refusingStore(path);
  t.after(() => store.close());
  const { release } = await openWriter({
    store,
    journalPath: path,
    requestKey,
    now: 500 as EpochMs,
    written: () => {},
  });
  t.after(release);
  for (const file of [path, `${path}.minute1`]) assert.equal(statSync(file).mode & 0o777, 0o600, file);
});

test('a process that is stopped in order leaves no journal and no gap', async (t) => {
  const path = join(directoryFor(t), 'history.sqlite');
  const store = refusingStore(path);
  t.after(() => store.close());
  const options = { store, journalPath: path, requestKey, written: () => {} };
  const first = await openWriter({ ...options, now: 500 as EpochMs });
  await first.writer.take(answers()(1_000));
  await first.writer.stop();
  first.release();
  assert.equal(readJournal(`${path}.minute1`, 0), undefined);
  const second = await openWriter({ ...options, now: 9_000 as EpochMs });
  t.after(second.release);
  assert.equal(second.gap, undefined);
});

test('two processes that share a store have a chain each', async (t) => {
  const path = join(directoryFor(t), 'history.sqlite');
  const store = refusingStore(path);
  t.after(() => store.close());
  const options = { store, journalPath: path, requestKey, now: 500 as EpochMs, written: () => {} };
  const [one, other] = [await openWriter(options), await openWriter(options)];
  t.after(one.release);
  t.after(other.release);
  assert.deepEqual([one.chain, other.chain], [1, 2]);
});

/** Three hours with an answer each. */
async function threeHours(path: string) {
  const store = refusingStore(path);
  const { writer } = await writerOn(store, path);
  const answered = answers();
  for (const hour of [1, 2, 3]) {
    await writer.take(answered(hour * hourMs));
    await writer.tick((hour * hourMs + 61_000) as EpochMs);
  }
  return { store, writer };
}

test('verification names the first segment that was changed, is missing or was exchanged', async (t) => {
  const changes: [string, string][] = [
    ['changed', "update segment set data = x'00' where number = 4"],
    ['missing', 'delete from segment where number = 4'],
    [
      'changed',
      'update segment set number = -1 where number = 4; update segment set number = 4 where number = 5; update segment set number = 5 where number = -1',
    ],
  ];
  for (const [what, sql] of changes) {
    const path = join(directoryFor(t), 'history.sqlite');
    const { store } = await threeHours(path);
    const database = new DatabaseSync(path);
    database.exec(sql);
    database.close();
    assert.deepEqual((await verifyRecord(store, () => {})).finding, { chain: 1, number: 4, what });
    await store.close();
  }
});

test('retention deletes whole hours that no hold touches, and the chain can still be verified', async (t) => {
  const path = join(directoryFor(t), 'history.sqlite');
  const { store, writer } = await threeHours(path);
  t.after(() => store.close());
  const hold = await store.addHold({ from: hourMs as EpochMs, to: (hourMs + 1) as EpochMs, reason: 'complaint' });
  assert.deepEqual(await prune(store, (2 * hourMs + 1) as EpochMs), [], 'held');
  await store.releaseHold(hold);
  const deletions = await prune(store, (3 * hourMs + 1) as EpochMs);
  assert.ok(deletions.length > 0);
  assert.equal(
    (await verifyRecord(store, () => {})).finding?.what,
    'deletion_unsealed',
    'nobody said so in the record',
  );
  for (const deletion of deletions) await writer.note('deletion', JSON.stringify(deletion), (4 * hourMs) as EpochMs);
  await writer.tick((4 * hourMs + 61_000) as EpochMs);
  const { finding, deleted } = await verifyRecord(store, () => {});
  assert.equal(finding, undefined);
  assert.ok(deleted > 0);
  assert.ok(!(await served(store)).includes(hourMs));
});
