import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matters } from '../../web/console/pages/matters.ts';
import type { Overview } from '../../web/generated/management-v1.d.ts';

type Note = Overview['notes'][number];
type Alert = Overview['alerts'][number];

/** As the overview has them: what is said of a source changes from second to second, and so does its text. */
function note(code: string, text: string, level: Note['level'] = 'warning'): Note {
  return { level, text, page: 'feed', markets: [], condition: { code, values: {} } } as unknown as Note;
}

function alert(code: string, summary: string, sinceMs: number, severity = 'warning'): Alert {
  return { name: code, subject: 'x', severity, summary, sinceMs, condition: { code, values: {} } } as unknown as Alert;
}

const shown = (notes: readonly Note[], alerts: readonly Alert[]) =>
  matters({ notes: [...notes], alerts: [...alerts] }).map(({ text, name, sinceMs }) => [text, name, sinceMs]);

test('what is both noted and an alert is said once, as it is now, with its name and since when', () => {
  assert.deepEqual(shown([note('SourceLost', 'lost for 9 s')], [alert('SourceLost', 'lost for 4 s', 7)]), [
    ['lost for 9 s', 'SourceLost', 7],
  ]);
});

test('what is only noted, or only an alert, is not left out', () => {
  assert.deepEqual(shown([note('A', 'noted')], [alert('B', 'told', 3)]), [
    ['noted', null, null],
    ['told', 'B', 3],
  ]);
});

test('since when is left out where it could be that of another', () => {
  const notes = [note('SourceLost', 'kraken'), note('SourceLost', 'bitvavo')];
  assert.deepEqual(shown(notes, [alert('SourceLost', 'bitvavo', 5)]), [
    ['kraken', null, null],
    ['bitvavo', null, null],
  ]);
  assert.deepEqual(shown(notes, [alert('SourceLost', 'kraken', 5), alert('SourceLost', 'bitvavo', 6)]), [
    ['kraken', 'SourceLost', 5],
    ['bitvavo', 'SourceLost', 6],
  ]);
});

test('the most urgent comes first, whichever list it is from', () => {
  const notes = [note('A', 'known', 'info'), note('B', 'soon')];
  assert.deepEqual(
    shown(notes, [alert('C', 'now', 1, 'critical')]).map(([text]) => text),
    ['now', 'soon', 'known'],
  );
});
