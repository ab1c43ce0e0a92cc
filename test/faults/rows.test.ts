import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filesEnding, textOf } from '../repository/files.ts';

test('every row of the fault table is proved by a test that names it, and every row that a test names is in the table', () => {
  const listed = [...textOf('test/faults/rows.md').matchAll(/^(\d+)\. /gm)].map(([, row]) => Number(row));
  const proved = new Set(filesEnding('.test.ts').flatMap((file) => rowsNamedIn(textOf(file))));
  assert.deepEqual(
    listed,
    Array.from(listed, (_, index) => index + 1),
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
