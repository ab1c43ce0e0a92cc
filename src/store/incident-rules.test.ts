import assert from 'node:assert/strict';
import { test } from 'node:test';
import { incidentText, partsText } from './incident-rules.ts';

test('a text is kept with its paragraphs, without the spaces around them and without the line ends of other systems', () => {
  assert.equal(incidentText('text', '  One.  \r\nTwo.\r\n\r\n\r\n \nThree.\n'), 'One.\nTwo.\n\nThree.');
  assert.equal(incidentText('title', ' Ceny se opožďují '), 'Ceny se opožďují');
});

test('a text may have any letters and signs, and no control characters', () => {
  assert.equal(incidentText('text', '<b>„Ž“ & 価格 🙂'), '<b>„Ž“ & 価格 🙂');
  for (const sign of ['\u0000', '\u001b', '\u0085', '\t'])
    assert.throws(() => incidentText('text', `a${sign}b`), { reason: 'incident_text' });
});

test('parts are kept once each, in the order of the page', () => {
  assert.equal(partsText(['market-data', 'api', 'market-data']), 'api market-data');
});
