import assert from 'node:assert/strict';
import { test } from 'node:test';
import { highlighted, type Language } from './highlight.ts';
import { parsePage } from './parsed-page.testing.ts';

const samples: Readonly<Record<Exclude<Language, 'console'>, readonly [code: string, marked: readonly string[]]>> = {
  json: ['{ "a": "x\\"y", "b": [1.5, -2, null] }', ['p "a"', 's "x\\"y"', 'p "b"', 'n 1.5', 'n -2', 'n null']],
  http: [
    'HTTP/1.1 429 Too Many Requests\nRetry-After: 5\n\n{\n  "a": "b"\n}',
    ['k HTTP/1.1 429 Too Many Requests', 'p Retry-After', 'p "a"', 's "b"'],
  ],
  sh: ['curl -H "X: $KEY" \\\n  \'u\' # why', ['k curl', 'n -H', 's "X: $KEY"', "s 'u'", 'c # why']],
  ts: ["const a = 'b'; // c", ['k const', "s 'b'", 'c // c']],
  python: ['import os  # c\nprint(f"x", 10)', ['k import', 'c # c', 'k print', 's f"x"', 'n 10']],
};

test('code is coloured by what it is, and reads the same to the letter', () => {
  for (const [language, [code, marked]] of Object.entries(samples) as [Language, (typeof samples)['json']][]) {
    const elements = parsePage(`<pre>${highlighted(language, code).text}</pre>`);
    assert.equal(elements[0]!.text, code);
    const found = elements.slice(1).map(({ attributes, text }) => `${attributes.get('class')!.slice(2)} ${text}`);
    assert.deepEqual(found, marked, language);
  }
});
