import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asCount, asDecimal, asList, asObject, parseLossless, parsePlain, UpstreamError } from './wire.ts';

test('a number is its source text, with every digit and trailing zero', () => {
  const text = '[1.00000, 270638277.50461281, 9471984923908980762, 1e-7, -0.10, 0]';
  assert.deepEqual(parseLossless(text), ['1.00000', '270638277.50461281', '9471984923908980762', '1e-7', '-0.10', '0']);
});

test('a decimal is read from a text and from a number alike, digit for digit', () => {
  for (const text of ['7', '-0', '0.10', '1e-7', '9471984923908980762', '1234567890123456', '50000.10']) {
    const [quoted, number] = asList(parseLossless(`["${text}", ${text}]`)) ?? [];
    assert.equal(asDecimal(number), asDecimal(quoted), text);
    assert.equal(asDecimal(asList(parseLossless(`[${text}]`))?.[0]), asDecimal(text), text);
  }
  assert.deepEqual([null, true, [], {}].map(asDecimal), [undefined, undefined, undefined, undefined]);
});

test('strings, booleans and null stay what they are', () => {
  assert.deepEqual(parseLossless('{"a":"1.0","b":true,"c":null}'), { a: '1.0', b: true, c: null });
});

test('a time within a text makes no number of the frame a text', () => {
  const frame = '{"at":"2026-11-23T15:30:58.123Z","sequence":12,"price":"1.50"}';
  assert.deepEqual(parseLossless(frame), { at: '2026-11-23T15:30:58.123Z', sequence: 12, price: '1.50' });
  assert.deepEqual(parseLossless('{"at":"15:30:58.123","price" : 1.50}'), { at: '15:30:58.123', price: '1.50' });
});

test('what is not JSON, or is nested beyond reading, is malformed', () => {
  const deep = `${'['.repeat(200_000)}1.5${']'.repeat(200_000)}`;
  for (const text of ['', '{', '<html></html>', '{"a":1}x', deep]) {
    assert.throws(
      () => parseLossless(text),
      (error) => error instanceof UpstreamError && error.kind === 'malformed',
    );
  }
  assert.throws(() => parsePlain('{"a":'), UpstreamError);
});

test('a member called __proto__ changes nothing but its own object', () => {
  const parsed = asObject(parseLossless('{"__proto__":{"polluted":1}}'));
  assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  assert.equal(Object.hasOwn(parsed ?? {}, '__proto__'), true);
});

test('lists and objects are distinguished, and counts are whole and bounded', () => {
  assert.equal(asObject([]), undefined);
  assert.equal(asList({}), undefined);
  assert.deepEqual(
    ['8', 8, '8.0', '-1', 1e21, '19', null].map((value) => asCount(value, 18)),
    [8, 8, undefined, undefined, undefined, undefined, undefined],
  );
});
