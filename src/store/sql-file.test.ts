import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { statementsIn } from './sql-file.ts';

function fileWith(t: TestContext, content: string): URL {
  const folder = mkdtempSync(join(tmpdir(), 'mdapi-sql-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'tables.sql');
  writeFileSync(path, content);
  return pathToFileURL(path);
}

test('a blank line ends a statement, and each word in braces becomes its value', (t) => {
  const file = fileWith(t, 'create table a (\n  id {text}\n)\n\ninsert into a values ({form})\n');
  assert.deepEqual(statementsIn(file, { text: 'blob', form: 4 }), [
    'create table a (\n  id blob\n)',
    'insert into a values (4)',
  ]);
});

test('a word without a value never reaches the database', (t) => {
  assert.throws(() => statementsIn(fileWith(t, 'select {nothing}'), {}), /tables\.sql has the word \{nothing\}/);
});
