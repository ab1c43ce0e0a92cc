import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filesEnding, textOf } from '../repository/files.ts';

test('every row of the fault table is proved by a test that names it, and every row that a test names is in the table', () => {
  const listed = [...textOf('test/faults/rows.md').matchAll(/\((\d+)(?: to (\d+))?\)/g)]
    .flatMap(rowsFrom)
    .toSorted((a, b) => a - b);
  const proved = new Set(filesEnding('.test.ts').flatMap((file) => rowsNamedIn(textOf(file))));
  assert.deepEqual(listed, [...new Set(listed)], 'none is listed twice');
  assert.deepEqual(
    listed.slice(0, 64),
    Array.from({ length: 64 }, (_, index) => index + 1),
  );
  assert.deepEqual(
    [...proved].toSorted((a, b) => a - b),
    listed,
  );
});

/** Row numbers at the end of test names: `(fault row 4)`, `(fault rows 23, 24 and 26)`. */
function rowsNamedIn(text: string): number[] {
  return [...text.matchAll(/\(fault rows? (\d[\d, and]*)/g)].flatMap(([, rows = '']) =>
    [...rows.matchAll(/\d+/g)].map(Number),
  );
}

/** Rows of the table: `(4)`, `(4 to 6)`. */
function rowsFrom([, first = '', last]: readonly (string | undefined)[]): number[] {
  const from = Number(first);
  return Array.from({ length: Number(last ?? first) - from + 1 }, (_, index) => from + index);
}
