import assert from 'node:assert/strict';
import { test } from 'node:test';
import Big from 'big.js';
import fc from 'fast-check';
import type { DecimalString } from './decimal.ts';
import { changePercentOf, vwapOf } from './derived-statistics.ts';
import { check } from './seeded.testing.ts';

const decimal = (text: string) => text as DecimalString;

test('the average price is what was paid over what was bought, and nothing without a trade', () => {
  assert.equal(vwapOf(decimal('17907505.51'), decimal('323.92364868'))?.slice(0, 9), '55283.106');
  assert.equal(vwapOf(decimal('10'), decimal('4')), '2.5');
  assert.equal(vwapOf(decimal('0'), decimal('0.000')), undefined);
  assert.equal(vwapOf(undefined, decimal('1')), undefined);
});

test('the change is in percent of the earlier price', () => {
  assert.equal(changePercentOf(decimal('110'), decimal('100.00')), '10');
  assert.equal(changePercentOf(decimal('55198'), decimal('55460'))?.slice(0, 9), '-0.472412');
  assert.equal(changePercentOf(decimal('1'), decimal('0')), undefined);
});

test('both are what arithmetic on all digits makes them, rounded half to even at twenty places', (t) => {
  const Exact = Big();
  Exact.DP = 20;
  Exact.RM = Big.roundHalfEven;
  const value = fc.stringMatching(/^\d{1,12}(\.\d{1,14})?$/).map(decimal);
  const run = (dividend: DecimalString, divisor: DecimalString) => {
    if (!/[1-9]/.test(divisor)) return;
    assert.equal(vwapOf(dividend, divisor), new Exact(dividend).div(divisor).toFixed());
    const change = new Exact(dividend).minus(divisor).times(100).div(divisor).toFixed();
    assert.equal(changePercentOf(dividend, divisor), change === '-0' ? '0' : change);
  };
  run(decimal('0.00000000000000000001'), decimal('2'));
  run(decimal('0.00000000000000000003'), decimal('2'));
  check(
    t,
    fc.property(fc.tuple(value, value), ([dividend, divisor]) => run(dividend, divisor)),
    { numRuns: 500 },
  );
});
