import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { check } from '../market/seeded.testing.ts';
import { inlineHtml, markdownHtml } from './markdown.ts';
import { named, parsePage } from './parsed-page.testing.ts';
import { siteFor } from './site.testing.ts';

const site = { ...siteFor('en'), baseUrl: 'https://api.example.com/market' };

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
    '[x](javascript:alert(1)) [y](data:text/html,z) [z](//other.example)',
    '&lt;script&gt; &amp;lt; \\<b>',
    '## <b>heading</b>',
  ]) {
    const elements = parsePage(markdownHtml(site, hostile).text);
    assert.deepEqual(named(elements, 'script', 'img', 'b', 'i', 'x'), [], hostile);
    for (const { attributes } of elements) {
      const href = attributes.get('href');
      if (href !== undefined) assert.match(href, /^https:\/\/example\.com\//, hostile);
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
      for (const render of [markdownHtml, inlineHtml]) {
        const { text } = render(site, pieces.join(''));
        assert.match(text, /^[\t\n\x20-\x7e]*$/);
        parsePage(text);
      }
    }),
    { numRuns: 500 },
  );
});

test('headings get the anchors that code-hosting sites give them, numbered when repeated', () => {
  const text = '# Title\n\n## One & two\n\n## One & two\n\n### `code` here\n';
  const ids = named(parsePage(markdownHtml(site, text).text), 'h2', 'h3').map(({ attributes }) => attributes.get('id'));
  assert.deepEqual(ids, ['one--two', 'one--two-1', 'code-here']);
});

test('a link to a route leads there under the path of the base URL, and one within the page stays', () => {
  const elements = parsePage(inlineHtml(site, '[a](/docs#x) [b](#y) [c](https://other.example/)').text);
  const targets = elements.map(({ attributes }) => attributes.get('href'));
  assert.deepEqual(targets, ['/market/docs#x', '#y', 'https://other.example/']);
});

test('a table is named after its section, and no two tables or blocks of code of a text share a name', () => {
  const table = '| A | B |\n|---|---|\n| `x` | 2 |\n\n';
  const text = `${table}## Limits\n\n${table}${table}\`\`\`json\n1\n\`\`\`\n\n\`\`\`json\n2\n\`\`\`\n`;
  const labels = parsePage(markdownHtml(site, text).text).flatMap(
    ({ attributes }) => attributes.get('aria-label') ?? [],
  );
  assert.deepEqual(labels, ['A, B', 'Limits', 'Limits 2', 'JSON', 'JSON 2']);
});
