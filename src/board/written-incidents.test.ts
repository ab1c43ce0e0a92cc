import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textPieces } from './written-incidents.ts';

const linksIn = (text: string) => textPieces(text).flatMap(({ href }) => href ?? []);

test('whole http and https addresses become links, without the sentence around them', () => {
  assert.deepEqual(textPieces('See https://status.example.com/a?b=1&c, or (http://example.net).'), [
    { text: 'See ' },
    { text: 'https://status.example.com/a?b=1&c', href: 'https://status.example.com/a?b=1&c' },
    { text: ', or (' },
    { text: 'http://example.net', href: 'http://example.net/' },
    { text: ').' },
  ]);
  assert.deepEqual(linksIn('HTTPS://Example.com/A.'), ['https://example.com/A']);
});

test('nothing else becomes a link: no script, no data, no file, no address that names a user', () => {
  for (const text of [
    'javascript:alert(1)',
    'data:text/html,https:',
    'file:///etc/passwd',
    'https://exchange.example@evil.example/',
    'https://user:secret@example.com',
    'https://',
    'http://[',
    'ftp://example.com',
  ])
    assert.deepEqual(linksIn(text), [], text);
  assert.deepEqual(linksIn('https://a.example"onclick=x'), ['https://a.example/']);
  assert.deepEqual(linksIn('https://a.example/<script>'), ['https://a.example/']);
});

test('all pieces together are the text', () => {
  for (const text of ['', 'a', 'https://a.example', 'https://a.example https://b.example!', '\nhttps://a@b c\n'])
    assert.equal(
      textPieces(text)
        .map((piece) => piece.text)
        .join(''),
      text,
    );
});
