import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { EpochMs } from '../../src/ground/clock.ts';
import { RequestNumbers } from '../../src/ground/request-numbers.ts';
import { RecordQuestions } from '../../src/history/query/questions.ts';
import { RecordReader } from '../../src/history/reading/record-reader.ts';
import { openWriter } from '../../src/history/record/open-writer.ts';
import { answers, directoryFor, requestKey } from '../../src/history/record/record.testing.ts';
import { noQuotes } from '../../src/history/segment/rows.ts';
import { openSqliteSegments, openSqliteSegmentsToRead } from '../../src/history/segment/sqlite-segments.ts';
import { documentedQuotes } from './documented-reader.ts';
import { contentOf } from './record-content.ts';
import { unpacked } from './record-file.ts';

const directory = import.meta.dirname;
const formats = readdirSync(directory).flatMap((name) => /^record-(.+)\.zst$/.exec(name)?.[1] ?? []);

test('a golden record of each format is there', () => {
  assert.deepEqual(formats.sort(), ['2', '3', '3-ledger', '4']);
});

for (const format of formats) {
  test(`quotes of a record of format ${format} are read with what the page about it says`, async (t) => {
    const { record } = unpacked(readFileSync(join(directory, `record-${format}.zst`)));
    const path = join(directoryFor(t), 'history.sqlite');
    writeFileSync(path, record);
    using database = new DatabaseSync(path);
    const store = openSqliteSegmentsToRead(path)!;
    t.after(() => store.close());
    const span = { from: 0 as EpochMs, to: 4_000_000_000_000 as EpochMs };
    const batches = await Array.fromAsync(new RecordReader(store).quotes(1, undefined, span));
    const rows = batches.flat().map(({ quote, unpriced, ...row }) => {
      const { statistics, ...made } = quote ?? {};
      return { ...row, state: unpriced === undefined ? 0 : 1 + noQuotes.indexOf(unpriced), ...made, ...statistics };
    });
    const bySymbol = (one: { symbol?: unknown }, other: { symbol?: unknown }) =>
      String(one.symbol).localeCompare(String(other.symbol));
    assert.ok(rows.length > 40);
    // What is absent is left out of JSON.
    const plain = (read: readonly object[]) => JSON.parse(JSON.stringify(read.toSorted(bySymbol)));
    assert.deepEqual(plain(documentedQuotes(database)), plain(rows));
  });

  test(`a record of format ${format} answers every question as it did when it was written`, async (t) => {
    const { record, journal, json } = unpacked(readFileSync(join(directory, `record-${format}.zst`)));
    const path = join(directoryFor(t), 'history.sqlite');
    writeFileSync(path, record);
    writeFileSync(`${path}.minute1`, journal);
    const store = openSqliteSegmentsToRead(path)!;
    t.after(() => store.close());
    const { proofs, ...content } = await contentOf(store);
    const { proofs: proofsThen, ...contentThen } = JSON.parse(json);
    // What is absent is left out of JSON.
    assert.deepEqual(JSON.parse(JSON.stringify(content)), contentThen);
    if (format < '4') assert.deepEqual(new Set(proofs), new Set(['older', 'running']));
    else assert.deepEqual(proofs, proofsThen);
  });

  test(`a record of format ${format} is continued, whole, with answers that can be proved`, async (t) => {
    const { record, journal } = unpacked(readFileSync(join(directory, `record-${format}.zst`)));
    const path = join(directoryFor(t), 'history.sqlite');
    writeFileSync(path, record);
    writeFileSync(`${path}.minute1`, journal);
    const store = openSqliteSegments(path);
    t.after(() => store.close());
    const now = (Date.parse('2026-12-01T02:00:00Z') + 7) as EpochMs;
    const { writer, release } = await openWriter({ store, journalPath: path, requestKey, now, written: () => {} });
    t.after(release);
    await writer.take(answers()(now));
    await writer.stop();
    const questions = new RecordQuestions(store, { now: () => now });
    assert.equal((await questions.verify()).finding, undefined);
    const found = await questions.prove(new RequestNumbers(requestKey).idOf(1));
    assert.equal(typeof found === 'object' && found.answer.route, '/v1/time');
    // What the process before left in its journal can be proved too.
    const past = { from: 0 as EpochMs, to: now };
    const left = (await Array.fromAsync(new RecordReader(store).servings(1, past))).flat().at(-1)!;
    assert.equal(typeof (await questions.prove(left.requestId)), 'object');
  });
}
