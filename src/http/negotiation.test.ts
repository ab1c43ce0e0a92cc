import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseEncoding, matchesEntityTag, preferredLanguage, prefersMarkdown, prefersPage } from './negotiation.ts';

test('a coding is chosen by its weight, ours first among equal ones, and identity where there is none', () => {
  const chosen: readonly [accept: string | undefined, coding: string][] = [
    [undefined, 'identity'],
    ['', 'identity'],
    [',', 'identity'],
    ['gzip, br, zstd', 'zstd'],
    ['gzip, br', 'br'],
    ['gzip;q=0.9, br;q=0.8', 'gzip'],
    ['gzip;q=0.5, identity;q=0.5', 'gzip'],
    ['gzip;q=0.5, identity', 'identity'],
    ['*', 'gzip'],
    ['br;q=0', 'identity'],
    ['gzip;level=9;q=0.2, br;q=0.1', 'gzip'],
    ['GZIP;Q=1', 'gzip'],
    // Weights that are none are 0.
    ['gzip;q=1.5', 'identity'],
    ['gzip;q=11', 'identity'],
    ['gzip;q=x1', 'identity'],
    ['gzip;q=0.1234', 'identity'],
    ['gzip;q=1.000', 'gzip'],
    ['gzip;q=0.123', 'gzip'],
    ['gzip;q=0', 'identity'],
  ];
  for (const [accept, coding] of chosen) {
    assert.equal(chooseEncoding(accept), coding, `${accept}`);
    assert.equal(chooseEncoding(accept), coding, `${accept}, again`);
  }
});

test('a page is preferred where HTML or Markdown weighs more than JSON', () => {
  for (const accept of ['text/html', 'text/markdown', 'text/html, */*;q=0.8', 'text/html, application/json;q=0.9'])
    assert.equal(prefersPage(accept), true, `${accept}`);
  const json = [
    '*/*',
    'application/json',
    'text/html, application/json',
    'text/html;q=0.5, application/*',
    'text/html;q=0',
  ];
  for (const accept of [undefined, '', ...json]) assert.equal(prefersPage(accept), false, `${accept}`);
});

test('Markdown is preferred where it is named and weighs as much as HTML', () => {
  for (const accept of ['text/markdown', 'text/markdown, text/html', 'TEXT/Markdown;q=0.4, text/html;q=0.3'])
    assert.equal(prefersMarkdown(accept), true, `${accept}`);
  for (const accept of [undefined, 'text/html', '*/*', 'text/markdown;q=0', 'text/markdown;q=0.5, text/html'])
    assert.equal(prefersMarkdown(accept), false, `${accept}`);
});

test('the language that weighs most is preferred, the first of equal ones as they are sent', () => {
  const preferred = (accept: string | undefined) => preferredLanguage(accept, ['en', 'cs']);
  assert.deepEqual(
    [undefined, 'de', 'cs', 'cs-CZ', 'de, cs;q=0.2', 'en;q=0.8, cs', 'cs, en', 'en, cs', 'cs;q=0', 'c'].map(preferred),
    [undefined, undefined, 'cs', 'cs', 'cs', 'cs', 'cs', 'en', undefined, undefined],
  );
});

test('an entity tag is matched by the weak comparison, in a list, and by an asterisk', () => {
  for (const sent of ['"a"', 'W/"a"', '"b", "a"', '"b",W/"a"', '*', ' * '])
    assert.ok(matchesEntityTag(sent, '"a"'), `${sent}`);
  for (const sent of [undefined, '', 'a', '"A"', '"b"', '"aW/"']) assert.ok(!matchesEntityTag(sent, '"a"'), `${sent}`);
});
