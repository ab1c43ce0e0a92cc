import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { percentChange } from './decimal.ts';
import {
  buyPrice,
  type Conversion,
  convertedPrecision,
  derivePrices,
  priceFactors,
  rateValidUntil,
  sellPrice,
  statistic,
} from './pricing.ts';
import { compare, markedDown, markedUp, minus, over, rational, rounded, times } from './rational.testing.ts';
import {
  after,
  anyDecimal,
  anyPositiveDecimal,
  conversionRate,
  dayMs,
  decimal,
  hourMs,
  start,
} from './samples.testing.ts';
import { check } from './seeded.testing.ts';

/** Percentages from 0 to below 100, as an operator may write them. */
const anyPercent = anyDecimal(2, 6);

const anyConversion: fc.Arbitrary<Conversion | undefined> = fc.option(
  fc.record({ rate: anyPositiveDecimal(6, 12).map((mid) => conversionRate({ mid })), marginPercent: anyPercent }),
  { nil: undefined },
);

/** A market in which nobody buys for more than anybody sells for. */
const anyQuotes = fc.tuple(anyPositiveDecimal(12, 18), anyPositiveDecimal(12, 18)).map(([one, other]) => {
  return compare(rational(one), rational(other)) <= 0 ? { bid: one, ask: other } : { bid: other, ask: one };
});

const anyTerms = fc.record({
  quotes: anyQuotes,
  fee: anyPercent,
  conversion: anyConversion,
  places: fc.integer({ min: 0, max: 18 }),
});

/** `1` where nothing is converted. */
function midOf(conversion: Conversion | undefined) {
  return rational(conversion?.rate.mid ?? '1');
}

function exactBuy(ask: string, fee: string, conversion: Conversion | undefined) {
  const margin = markedUp(conversion?.marginPercent ?? '0');
  return times(times(times(rational(ask), markedUp(fee)), midOf(conversion)), margin);
}

function exactSell(bid: string, fee: string, conversion: Conversion | undefined) {
  const margin = markedDown(conversion?.marginPercent ?? '0');
  return times(times(times(rational(bid), markedDown(fee)), midOf(conversion)), margin);
}

test('known prices: 84210.1 for half a percent, in EUR and in CZK at 24.315 with one percent of margin', () => {
  const exchange = priceFactors(decimal('0.5'), undefined);
  assert.equal(buyPrice(decimal('84210.1'), exchange, 1), '84631.2');
  assert.equal(sellPrice(decimal('84209.9'), exchange, 1), '83788.8');
  assert.equal(statistic(decimal('84077.31234'), exchange, 1), '84077.3');
  const converted = priceFactors(decimal('0.5'), { rate: conversionRate(), marginPercent: decimal('1') });
  assert.equal(buyPrice(decimal('84210.1'), converted, 0), '2078385');
  assert.equal(sellPrice(decimal('84209.9'), converted, 0), '2016952');
  assert.equal(statistic(decimal('85120.0'), converted, 0), '2069693');
});

test('a price that needs no rounding is not moved', () => {
  const factors = priceFactors(decimal('0'), undefined);
  assert.equal(buyPrice(decimal('100.10'), factors, 2), '100.10');
  assert.equal(sellPrice(decimal('100.10'), factors, 2), '100.10');
});

test('buying rounds up and selling down at the first digit past the last place', () => {
  const factors = priceFactors(decimal('0'), undefined);
  assert.equal(buyPrice(decimal('1.0000000000000000000001'), factors, 2), '1.01');
  assert.equal(sellPrice(decimal('1.9999999999999999999999'), factors, 2), '1.99');
});

test('both prices and the statistics equal the exact ones rounded once, over random markets and terms', (t) => {
  check(
    t,
    fc.property(anyTerms, anyPositiveDecimal(12, 18), ({ quotes, fee, conversion, places }, high) => {
      const factors = priceFactors(fee, conversion);
      const buy = buyPrice(quotes.ask, factors, places);
      const sell = sellPrice(quotes.bid, factors, places);
      assert.equal(buy, rounded(exactBuy(quotes.ask, fee, conversion), places, 'up'));
      assert.equal(sell, rounded(exactSell(quotes.bid, fee, conversion), places, 'down'));
      const exactHigh = times(rational(high), midOf(conversion));
      assert.equal(statistic(high, factors, places), rounded(exactHigh, places, 'half-even'));
    }),
    { numRuns: 3_000 },
  );
});

test('a client never pays less than the exchange price with the fee, never gets more, and never buys below the sell price', (t) => {
  check(
    t,
    fc.property(anyTerms, ({ quotes, fee, conversion, places }) => {
      const factors = priceFactors(fee, conversion);
      const buy = rational(buyPrice(quotes.ask, factors, places));
      const sell = rational(sellPrice(quotes.bid, factors, places));
      const mid = midOf(conversion);
      assert.ok(
        compare(buy, times(times(rational(quotes.ask), markedUp(fee)), mid)) >= 0,
        'buy ≥ ask × (1 + fee) × mid',
      );
      assert.ok(
        compare(sell, times(times(rational(quotes.bid), markedDown(fee)), mid)) <= 0,
        'sell ≤ bid × (1 − fee) × mid',
      );
      assert.ok(compare(sell, buy) <= 0, 'sell ≤ buy');
    }),
    { numRuns: 3_000 },
  );
});

test('every price is a multiple of the smallest step and less than one step from the exact value', (t) => {
  check(
    t,
    fc.property(anyTerms, ({ quotes, fee, conversion, places }) => {
      const factors = priceFactors(fee, conversion);
      const step = { numerator: 1n, denominator: 10n ** BigInt(places) };
      const form = places === 0 ? /^\d+$/ : new RegExp(`^\\d+\\.\\d{${places}}$`);
      const buy = buyPrice(quotes.ask, factors, places);
      const sell = sellPrice(quotes.bid, factors, places);
      for (const price of [buy, sell]) assert.match(price, form);
      assert.ok(compare(minus(rational(buy), exactBuy(quotes.ask, fee, conversion)), step) < 0);
      assert.ok(compare(minus(exactSell(quotes.bid, fee, conversion), rational(sell)), step) < 0);
    }),
    { numRuns: 2_000 },
  );
});

test('known changes in percent: two decimals, half to even, no plus sign, no sign on zero', () => {
  const known: [string, string, string][] = [
    ['100', '100.21', '0.21'],
    ['100', '98.95', '-1.05'],
    ['100', '100', '0.00'],
    ['100', '99.9951', '0.00'],
    ['100', '100.005', '0.00'],
    ['100', '100.015', '0.02'],
    ['100', '99.985', '-0.02'],
    ['3', '1', '-66.67'],
    ['0.00000001', '1', '9999999900.00'],
    // One part in 10^23 past the middle: a quotient cut to twenty decimals would call it a tie.
    ['100', '100.00500000000000000000001', '0.01'],
    ['100', '99.99499999999999999999999', '-0.01'],
  ];
  for (const [from, to, percent] of known) {
    assert.equal(percentChange(decimal(from), decimal(to)), percent, `${from} to ${to}`);
  }
});

test('a change in percent equals the exact quotient rounded once', (t) => {
  const hundred = rational('100');
  const nearTie = fc
    .tuple(fc.integer({ min: -400, max: 400 }), fc.constantFrom('', '0000000000000000000000001'))
    .map(([halves, rest]) => [decimal('100'), decimal(`${100 + halves / 200}`.padEnd(7, '0') + rest)] as const)
    .filter(([, to]) => /^\d+\.\d+$/.test(to));
  const anyPair = fc.tuple(anyPositiveDecimal(12, 18), anyPositiveDecimal(12, 18));
  check(
    t,
    fc.property(fc.oneof(anyPair, nearTie), ([from, to]) => {
      const exact = over(times(minus(rational(to), rational(from)), hundred), rational(from));
      assert.equal(percentChange(from, to), rounded(exact, 2, 'half-even'));
    }),
    { numRuns: 3_000 },
  );
});

test('a derivation ends at the served price and every step before it is exact', (t) => {
  check(
    t,
    fc.property(anyTerms, ({ quotes, fee, conversion, places }) => {
      const factors = priceFactors(fee, conversion);
      const { buy, sell } = derivePrices({ ...quotes, source: 'kraken' }, fee, conversion, places);
      const sides = [
        { steps: buy, from: quotes.ask, turned: markedUp, served: buyPrice(quotes.ask, factors, places) },
        { steps: sell, from: quotes.bid, turned: markedDown, served: sellPrice(quotes.bid, factors, places) },
      ];
      for (const { steps, from, turned, served } of sides) {
        const afterFee = times(rational(from), turned(fee));
        const expected = [rational(from), afterFee];
        if (conversion !== undefined) {
          const converted = times(afterFee, midOf(conversion));
          expected.push(converted, times(converted, turned(conversion.marginPercent)));
        }
        assert.equal(steps.length, expected.length + 1);
        for (const [index, value] of expected.entries()) assert.equal(compare(rational(steps[index]!.value), value), 0);
        assert.equal(steps[0]!.value, from);
        assert.equal(steps.at(-1)!.value, served);
      }
    }),
    { numRuns: 1_000 },
  );
});

test('a derivation names each step with what it was made with', () => {
  const conversion = { rate: conversionRate(), marginPercent: decimal('1') };
  const { buy, sell } = derivePrices(
    { bid: decimal('100'), ask: decimal('101'), source: 'kraken' },
    decimal('0.5'),
    conversion,
    0,
  );
  assert.deepEqual(buy, [
    { made: { code: 'quote', values: { side: 'ask', source: 'kraken' } }, value: '101' },
    { made: { code: 'fee', values: { sign: '+', percent: '0.5' } }, value: '101.505' },
    { made: { code: 'rate', values: { base: 'EUR', quote: 'CZK', mid: '24.315' } }, value: '2468.094075' },
    { made: { code: 'margin', values: { sign: '+', percent: '1' } }, value: '2492.77501575' },
    { made: { code: 'rounding', values: { direction: 'up', places: 0 } }, value: '2493' },
  ]);
  assert.deepEqual(sell, [
    { made: { code: 'quote', values: { side: 'bid', source: 'kraken' } }, value: '100' },
    { made: { code: 'fee', values: { sign: '−', percent: '0.5' } }, value: '99.5' },
    { made: { code: 'rate', values: { base: 'EUR', quote: 'CZK', mid: '24.315' } }, value: '2419.3425' },
    { made: { code: 'margin', values: { sign: '−', percent: '1' } }, value: '2395.149075' },
    { made: { code: 'rounding', values: { direction: 'down', places: 0 } }, value: '2395' },
  ]);
});

test('a rate ends with its validity after the last refresh', () => {
  const rate = conversionRate({ fixingDate: undefined });
  assert.equal(rateValidUntil(rate, 96 * hourMs), after(start, 96 * hourMs));
});

test('a fixing ends once its own day is over 10 days old, however often it was read again', () => {
  const fixedAt = Date.parse('2026-11-20T00:00:00Z');
  const rate = conversionRate({ fixingDate: '2026-11-20', refreshedAt: after(start, 9 * dayMs) });
  assert.equal(rateValidUntil(rate, 96 * hourMs), fixedAt + 10 * dayMs + 1);
  assert.equal(rateValidUntil({ ...rate, refreshedAt: start }, 96 * hourMs), after(start, 96 * hourMs));
});

test('a fixing whose day cannot be read is never valid', () => {
  assert.ok(Number.isNaN(rateValidUntil(conversionRate({ fixingDate: 'yesterday' }), 96 * hourMs)));
});

test('a converted market has one decimal less than its exchange market, and never fewer than none', () => {
  assert.deepEqual([0, 1, 2, 18].map(convertedPrecision), [0, 0, 1, 17]);
});
