import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { directoryFor } from '../../src/history/record/record.testing.ts';
import { openSqliteSegmentsToRead } from '../../src/history/segment/sqlite-segments.ts';
import { contentOf } from './record-content.ts';
import { unpacked } from './record-file.ts';

const directory = import.meta.dirname;
const formats = readdirSync(directory).flatMap((name) => /^record-(\d+)\.zst$/.exec(name)?.[1] ?? []);

test('a golden record of each format is there', () => {
  assert.deepEqual(formats.sort(), ['2', '3']);
});

for (const format of formats) {
  test(`a record of format ${format} answers every question as it did when it was written`, async (t) => {
    const { record, journal, json } = unpacked(readFileSync(join(directory, `record-${format}.zst`)));
    const path = join(directoryFor(t), 'history.sqlite');
    writeFileSync(path, record);
    writeFileSync(`${path}.minute1`, journal);
    const store = openSqliteSegmentsToRead(path)!;
    t.after(() => store.close());
    // What is absent is left out of JSON.
    assert.deepEqual(JSON.parse(JSON.stringify(await contentOf(store))), JSON.parse(json));
  });
}
