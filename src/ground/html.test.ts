import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { check } from '../market/seeded.testing.ts';
import { named, parsePage } from '../portal/parsed-page.testing.ts';
import { html, joined, trusted } from './html.ts';

test('whatever text is put into a page is shown as it is and is never markup', (t) => {
  const text = fc.string({ unit: 'binary', maxLength: 60 });
  const hostile = fc.constantFrom(
    '<script>alert(1)</script>',
    '"><img onerror=x>',
    "' onload='x",
    '&lt;b&gt;',
    '--></style>',
  );
  check(
    t,
    fc.property(fc.array(fc.oneof(text, hostile), { maxLength: 4 }), (pieces) => {
      const foreign = pieces.join('');
      const { text: page } = html`<p title="${foreign}">${foreign}</p>`;
      assert.match(page, /^[\t\n\x20-\x7e]*$/);
      const [only, ...others] = parsePage(page);
      assert.deepEqual(others, []);
      assert.equal(only!.text, readable(foreign));
      assert.equal(only!.attributes.get('title'), readable(foreign));
    }),
    { numRuns: 200 },
  );
});

/** Gives a text as HTML shows it: control characters and lone surrogates become a replacement character. */
function readable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about.
  return text.toWellFormed().replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '\ufffd');
}

test('a finished piece is put in as it is, however deep in lists, and nothing stands for nothing', () => {
  const piece = html`<b>${'&'}</b>`;
  assert.equal(html`${[piece, [piece, '<']]}${undefined}${7}`.text, '<b>&#38;</b><b>&#38;</b>&#60;7');
  assert.equal(html`${joined([piece, 'x'], ', ')}`.text, '<b>&#38;</b>, x');
  assert.equal(html`${joined([], ', ')}`.text, '');
});

test('only what is declared trusted goes in without escaping', () => {
  assert.equal(html`${trusted('<i>')}${'<i>'}`.text, '<i>&#60;i&#62;');
  assert.equal(named(parsePage(html`<p>${'<i>'}</p>`.text), 'i').length, 0);
});
