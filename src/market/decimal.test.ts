import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isAbove, isPositive, parseDecimal, roundTo, shortest, unitAt } from './decimal.ts';
import { compare, rational, rounded } from './rational.testing.ts';
import { anyDecimal, decimal } from './samples.testing.ts';
import { check } from './seeded.testing.ts';

const canonical = /^-?\d+(\.\d+)?$/;

/** A decimal of either sign. */
const anySigned = fc
  .tuple(anyDecimal(20, 20), fc.boolean())
  .map(([text, negative]) => decimal(negative && /[1-9]/.test(text) ? `-${text}` : text));

test('a number in plain notation is kept as it is, trailing zeros included', () => {
  for (const text of ['0', '1', '0.10', '5.000', '270638277.50461281', '0.00000000000000000001', '9'.repeat(64)]) {
    assert.equal(parseDecimal(text), text);
  }
});

test('an exponent is expanded', () => {
  const known: [string, string][] = [
    ['1e-7', '0.0000001'],
    ['1E-7', '0.0000001'],
    ['1e21', '1000000000000000000000'],
    ['1e+2', '100'],
    ['-2.50e1', '-25'],
    ['1.23456789e4', '12345.6789'],
    ['1.5e0', '1.5'],
    ['1e63', `1${'0'.repeat(63)}`],
    ['0e999', '0'],
    ['-0e5', '0'],
    ['-0.0e-5', '0'],
  ];
  for (const [text, written] of known) assert.equal(parseDecimal(text), written, text);
});

test('zero has no sign', () => {
  assert.equal(parseDecimal('-0'), '0');
  assert.equal(parseDecimal('-0.00'), '0.00');
  assert.equal(parseDecimal('-000.0'), '000.0');
});

test('what is not a finite decimal of at most 64 characters is refused', () => {
  const wrong = [
    'NaN',
    'Infinity',
    '-Infinity',
    'null',
    '',
    ' ',
    '1,5',
    '1.5 ',
    ' 1',
    '1\n',
    '+1',
    '--1',
    '-',
    '.',
    '.5',
    '5.',
    '1.2.3',
    '0x10',
    '0b1',
    '1_000',
    '1 000',
    '1e',
    'e5',
    '1e5.5',
    '1e1000',
    '1e64',
    '1e-63',
    '1n',
    '１',
    '٣',
    '1'.repeat(65),
    `0.${'0'.repeat(63)}`,
    undefined,
    null,
    1,
    1.5,
    Number.NaN,
    10n,
    true,
    {},
    [],
    ['1'],
  ]; // prettier-ignore
  for (const value of wrong) assert.equal(parseDecimal(value), undefined, JSON.stringify(String(value)));
});

test('no plain number loses or gains a digit', (t) => {
  check(
    t,
    fc.property(anySigned, (text) => assert.equal(parseDecimal(text), text)),
    { numRuns: 2_000 },
  );
});

test('an exponent changes the notation and never the value', (t) => {
  const scientific = fc.tuple(anySigned, fc.integer({ min: -20, max: 20 }), fc.constantFrom('e', 'E', 'e+'));
  check(
    t,
    fc.property(scientific, ([text, exponent, letter]) => {
      const mark = exponent < 0 ? letter[0] : letter;
      const read = parseDecimal(`${text}${mark}${exponent}`);
      const value = rational(text);
      const power = 10n ** BigInt(Math.abs(exponent));
      const expected =
        exponent < 0
          ? { ...value, denominator: value.denominator * power }
          : { ...value, numerator: value.numerator * power };
      assert.ok(read !== undefined);
      assert.match(read, canonical);
      assert.ok(!/^-0*(\.0*)?$/.test(read));
      assert.equal(compare(rational(read), expected), 0);
    }),
    { numRuns: 2_000 },
  );
});

test('whatever the text, the answer is a decimal in plain notation or nothing', (t) => {
  const texts = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom(...'0123456789.-+eE,xn') }),
    fc.double().map(String),
  );
  check(
    t,
    fc.property(texts, (text) => {
      const read = parseDecimal(text);
      if (read === undefined) return;
      assert.match(read, canonical);
      assert.ok(read.length <= 64);
      assert.ok(!/^-0*(\.0*)?$/.test(read), 'a zero with a sign');
    }),
    { numRuns: 1_500 },
  );
});

test('a decimal is positive exactly when its value is above zero', (t) => {
  for (const text of ['0', '0.000', '-1', '-0.1']) assert.equal(isPositive(decimal(text)), false, text);
  for (const text of ['1', '0.001', '10', '00.10']) assert.equal(isPositive(decimal(text)), true, text);
  check(
    t,
    fc.property(anySigned, (text) => assert.equal(isPositive(text), compare(rational(text), rational('0')) > 0)),
    { numRuns: 1_000 },
  );
});

test('rounding gives exactly the requested places, in plain notation, without a sign on zero', () => {
  const known: [string, number, 'up' | 'down' | 'half-even', string][] = [
    ['1', 3, 'up', '1.000'],
    ['1.0001', 3, 'up', '1.001'],
    ['1.0009', 3, 'down', '1.000'],
    ['0.999', 0, 'down', '0'],
    ['0.001', 0, 'up', '1'],
    ['999.95', 1, 'half-even', '1000.0'],
    ['0.5', 0, 'half-even', '0'],
    ['1.5', 0, 'half-even', '2'],
    ['2.5', 0, 'half-even', '2'],
    ['2.5000000000000000000000000001', 0, 'half-even', '3'],
    ['-2.5', 0, 'half-even', '-2'],
    ['-0.004', 2, 'half-even', '0.00'],
    ['-0.005', 2, 'half-even', '0.00'],
    ['-0.015', 2, 'half-even', '-0.02'],
    ['0.00000000000000000000000000000001', 18, 'up', '0.000000000000000001'],
    ['1000000000000000000000', 2, 'down', '1000000000000000000000.00'],
    ['0', 18, 'half-even', '0.000000000000000000'],
  ];
  for (const [value, places, rounding, text] of known) {
    assert.equal(roundTo(decimal(value), places, rounding), text, `${value} to ${places} ${rounding}`);
  }
});

test('rounding agrees with exact fractions for every value, number of places and direction', (t) => {
  const places = fc.integer({ min: 0, max: 18 });
  const halves = fc.tuple(anyDecimal(20, 17), fc.constantFrom('5', '50', '500001')).map(([text, end]) => {
    return decimal(text.includes('.') ? `${text}${end}` : `${text}.${end}`);
  });
  check(
    t,
    fc.property(fc.oneof(anyDecimal(25, 25), halves), places, (text, count) => {
      for (const rounding of ['up', 'down', 'half-even'] as const) {
        assert.equal(roundTo(text, count, rounding), rounded(rational(text), count, rounding));
      }
    }),
    { numRuns: 3_000 },
  );
  check(
    t,
    fc.property(anySigned, places, (text, count) => {
      assert.equal(roundTo(text, count, 'half-even'), rounded(rational(text), count, 'half-even'));
    }),
    { numRuns: 2_000 },
  );
});

test('the shortest form keeps the value and has no trailing zero after the point', (t) => {
  for (const [text, short] of [
    ['0.10', '0.1'],
    ['5.000', '5'],
    ['100', '100'],
    ['0.00005000', '0.00005'],
    ['0.0', '0'],
  ]) {
    assert.equal(shortest(decimal(text!)), short);
  }
  check(
    t,
    fc.property(anyDecimal(20, 20), (text) => {
      const short = shortest(text);
      assert.equal(compare(rational(short), rational(text)), 0);
      assert.ok(!short.includes('.') || !short.endsWith('0'));
    }),
    { numRuns: 1_000 },
  );
});

test('the unit of a number of places is one in its last place', () => {
  assert.equal(unitAt(0), '1');
  assert.equal(unitAt(1), '0.1');
  for (let places = 0; places <= 18; places++) {
    assert.equal(compare(rational(unitAt(places)), { numerator: 1n, denominator: 10n ** BigInt(places) }), 0);
  }
});

test('of two that are not negative the greater one is above, whatever zeros are written', (t) => {
  for (const [one, other] of [
    ['2', '1.9'],
    ['10', '9'],
    ['10.1', '9.22'],
    ['84000.1', '84000.0'],
    ['0.0000011', '0.000001'],
    ['1.0', '0.999'],
  ] as const) {
    assert.ok(isAbove(decimal(one), decimal(other)), `${one} > ${other}`);
    assert.ok(!isAbove(decimal(other), decimal(one)), `${other} > ${one}`);
  }
  for (const [one, other] of [
    ['1.10', '1.1'],
    ['007', '7'],
    ['1', '1.0'],
    ['5.5', '5.5'],
  ] as const)
    assert.ok(!isAbove(decimal(one), decimal(other)) && !isAbove(decimal(other), decimal(one)), `${one} = ${other}`);
  check(
    t,
    fc.property(anyDecimal(6, 4), anyDecimal(6, 4), (one, other) => {
      assert.equal(isAbove(one, other), compare(rational(one), rational(other)) > 0);
    }),
    { numRuns: 2_000 },
  );
});
