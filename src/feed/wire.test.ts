import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { check } from '../market/seeded.testing.ts';
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

test('what is not JSON is malformed, also with a number that a double would change', () => {
  const numbers = ['{"a":1.5}x', '{1.5:2}', '{"a":1.5,1 :2}', '[1.5 2]', '[01.5]', '[1.]', '[.5]', '[+1.5]', '[1.5,-]'];
  const texts = ['"a\\"1.5', '["a,1.5]', '[1.5"]', '1.5.5', '1.5"a"', '["\n,1.5', '["\\\n",1.5]'];
  for (const text of ['', '{', '<html></html>', '{"a":1}x', ...numbers, ...texts]) {
    assert.throws(
      () => parseLossless(text),
      (error) => error instanceof UpstreamError && error.kind === 'malformed',
    );
  }
  assert.throws(() => parsePlain('{"a":'), UpstreamError);
});

test('numbers are read as by a reviver that takes their source, whatever the text', (t) => {
  const bySource = (_name: string, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' ? context?.source : value;
  const byReviver = JSON.parse as (text: string, reviver: typeof bySource) => unknown;
  const outcomeOf = (read: () => unknown) => {
    try {
      return read();
    } catch {
      return 'malformed';
    }
  };
  const pieces = [
    '"',
    '\\\\',
    '{"a":',
    '}',
    '[',
    ']',
    ',',
    ':',
    ' ',
    '-',
    '0',
    '1.50',
    '2e-7',
    '"b,1.5"',
    'null',
    'é',
    '\n',
  ];
  const json = fc.json().map((text) => `[1.50,${text}]`);
  const soup = fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((some) => `[1.50,${some.join('')}]`);
  check(
    t,
    fc.property(fc.oneof(json, soup), (text) => {
      assert.deepEqual(
        outcomeOf(() => parseLossless(text)),
        outcomeOf(() => byReviver(text, bySource)),
      );
    }),
    { numRuns: 5_000 },
  );
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
