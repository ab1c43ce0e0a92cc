import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { seededRandomness } from '../../test/support/fake-clock.ts';
import { check } from '../market/seeded.testing.ts';
import { contentEncodings, decoded } from './decoded.testing.ts';
import { compress } from './encoding.ts';
import { Page, VersionedPage } from './page.ts';

const strongTag = /^"[\x21\x23-\x7e]+"$/;

/** Texts around the lengths at which the way of writing or compressing changes. */
const lengths = [0, 1, 2, 100, 1023, 1024, 1025, 4095, 4096, 4097, 200_000];

function textOfLength(length: number): string {
  return '{"symbol":"BTCEUR","buyPrice":"84631.2"}'.repeat(Math.ceil(length / 40)).slice(0, length);
}

test('every coding gives back the text, at every length', () => {
  for (const length of lengths) {
    const text = textOfLength(length);
    for (const encoding of contentEncodings) {
      assert.equal(decoded(new Page(text).as(encoding)), text, `${encoding}, ${length} characters`);
    }
  }
});

test('every coding gives back any ASCII text', (t) => {
  const ascii = fc.string({
    unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
    maxLength: 3_000,
  });
  check(
    t,
    fc.property(ascii, (text) => {
      for (const encoding of contentEncodings) assert.equal(decoded(new Page(text).as(encoding)), text);
    }),
    { numRuns: 150 },
  );
});

test('a representation has its own length in bytes and its coding', () => {
  for (const length of lengths) {
    const page = new Page(textOfLength(length));
    for (const encoding of contentEncodings) {
      const { body, byteLength, encoding: actual } = page.as(encoding);
      assert.equal(byteLength, Buffer.byteLength(body, 'latin1'));
      assert.equal(actual, encoding);
    }
    assert.equal(page.as('identity').byteLength, length);
  }
});

test('a coding is made once, in whatever order the codings are requested', () => {
  for (const length of [100, 200_000]) {
    const page = new Page(textOfLength(length));
    const first = [...contentEncodings].reverse().map((encoding) => page.as(encoding));
    const second = [...contentEncodings].reverse().map((encoding) => page.as(encoding));
    for (const [index, representation] of first.entries()) assert.equal(second[index], representation);
  }
});

test('entity tags are strong, differ per coding, and are known without the body', () => {
  const page = new Page('{}');
  const tags = contentEncodings.map((encoding) => page.entityTag(encoding));
  assert.equal(new Set(tags).size, contentEncodings.length);
  for (const [index, encoding] of contentEncodings.entries()) {
    assert.match(tags[index]!, strongTag);
    assert.equal(page.as(encoding).entityTag, tags[index]);
  }
});

test('the page of an unchanged text is the same page; another text has other tags, and an older one has its own again', () => {
  const pages = new VersionedPage();
  const first = pages.with('a');
  assert.equal(pages.with('a'), first);
  const second = pages.with('b');
  const third = pages.with('a');
  const [a, b, again] = [first, second, third].map((page) => page.entityTag('identity'));
  assert.notEqual(a, b);
  assert.equal(again, a);
});

test('an empty text is a page too, and stays the same one', () => {
  const pages = new VersionedPage();
  assert.equal(pages.with(''), pages.with(''));
});

test('our lists get at least three times smaller in every coding', () => {
  const list = Buffer.from(`{"tickers":[${Array.from({ length: 500 }, () => textOfLength(40)).join(',')}]}`);
  for (const encoding of ['gzip', 'br', 'zstd'] as const) {
    assert.ok(compress(list, encoding).length * 3 < list.length, encoding);
  }
});

test('a body of up to 4096 bytes is text, which is written with its head in one piece, and a longer one is bytes', () => {
  const kind = (length: number) => typeof new Page(textOfLength(length)).as('identity').body;
  assert.deepEqual([kind(4_096), kind(4_097)], ['string', 'object']);
  const noise = (length: number) => {
    const { fraction } = seededRandomness(3);
    return Array.from({ length }, () => String.fromCharCode(0x20 + Math.floor(fraction() * 95))).join('');
  };
  for (const encoding of ['gzip', 'br', 'zstd'] as const) {
    assert.equal(typeof new Page(textOfLength(200_000)).as(encoding).body, 'string', `${encoding} of what repeats`);
    assert.equal(typeof new Page(noise(20_000)).as(encoding).body, 'object', `${encoding} of noise`);
  }
});

test('a tag is 132 bits of the text’s digest, and of its coding', () => {
  const page = new Page('{}');
  assert.match(page.entityTag('identity'), /^"[0-9A-Za-z_-]{22}"$/);
  assert.match(page.entityTag('gzip'), /^"[0-9A-Za-z_-]{22}-g"$/);
});
