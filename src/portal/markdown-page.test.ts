import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { check } from '../market/seeded.testing.ts';
import { renderMarkdown } from './markdown-page.ts';
import { named, parsePage } from './parsed-page.testing.ts';

const links = { target: (href: string) => `/to/${encodeURIComponent(href)}`, targetOfCode: () => undefined };

function rendered(markdown: string) {
  return renderMarkdown(`# Title\n\n${markdown}`, links);
}

test('HTML in a document is shown as it was written and is never markup', () => {
  for (const hostile of [
    '<script>alert(1)</script>',
    'a <img src=x onerror=alert(1)> b',
    '<div onclick="x">\n\ntext\n\n</div>',
    '| a |\n| --- |\n| <b>x</b> |',
    '`<b>`',
    '```html\n<script>1</script>\n```',
    '[<i>x</i>](<javascript:alert(1)>)',
    '![<x>](y"onload="z)',
    '<https://example.com/"onclick="x>',
    '&lt;script&gt; &amp;lt; \\<b>',
    '## <b>heading</b>',
  ]) {
    const elements = parsePage(rendered(hostile).body.text);
    assert.deepEqual(named(elements, 'script', 'img', 'b', 'i', 'x'), [], hostile);
    for (const { attributes } of elements) {
      const href = attributes.get('href');
      if (href !== undefined) assert.match(href, /^\/to\//, hostile);
      for (const name of attributes.keys()) assert.doesNotMatch(name, /^on/, hostile);
    }
  }
});

test('whatever a document holds, the page of it is well-formed and ASCII', (t) => {
  const piece = fc.constantFrom(
    ...[
      '<',
      '>',
      '"',
      "'",
      '&',
      '`',
      '*',
      '_',
      '[',
      '](',
      ')',
      '|',
      '\n',
      '# ',
      '- ',
      '1. ',
      '> ',
      '```',
      '~',
      '\\',
      '!',
    ],
    ...['a', 'b ', '\u00d7', '<b>', '<!--', '-->', '&lt;', 'https://x.y ', '\t', '    ', '|---|', '<a href="x">', ']('],
  );
  check(
    t,
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const { text } = rendered(pieces.join('')).body;
      assert.match(text, /^[\t\n\x20-\x7e]*$/);
      parsePage(text);
    }),
    { numRuns: 500 },
  );
});

test('headings get the anchors that code-hosting sites give them, numbered when repeated', () => {
  const { headings, title, body } = rendered('## One & two\n\n## One & two\n\n### `code` here\n');
  assert.equal(title, 'Title');
  assert.deepEqual(headings, [
    { id: 'one--two', title: 'One & two' },
    { id: 'one--two-1', title: 'One & two' },
  ]);
  const ids = named(parsePage(body.text), 'h2', 'h3').map(({ attributes }) => attributes.get('id'));
  assert.deepEqual(ids, ['one--two', 'one--two-1', 'code-here']);
});

test('a word of code that has a page becomes a link to it', () => {
  const { body } = renderMarkdown('# T\n\n`KNOWN` and `other`', {
    ...links,
    targetOfCode: (code) => (code === 'KNOWN' ? '/known' : undefined),
  });
  const [link, ...others] = named(parsePage(body.text), 'a');
  assert.deepEqual([link?.attributes.get('href'), link?.text, others], ['/known', 'KNOWN', []]);
});
