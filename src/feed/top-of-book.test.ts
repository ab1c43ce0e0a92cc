import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TopOfBook } from './top-of-book.ts';

const level = (price: string, size = '1.0') => [price, size];

test('the best prices of a snapshot and of its changes come out as the exchange wrote them', () => {
  const book = new TopOfBook();
  book.snapshot([level('9.90'), level('10.10'), level('10.0')], [level('10.30'), level('10.20'), level('11')]);
  assert.deepEqual(book.best, { bid: '10.10', ask: '10.20' });
  assert.ok(book.change('bid', '10.150', '2'));
  assert.ok(book.change('ask', '10.20', '0.00000000'));
  assert.deepEqual(book.best, { bid: '10.150', ask: '10.30' });
  assert.ok(book.change('bid', '10.15', '0'), 'the same level in other words');
  assert.deepEqual(book.best, { bid: '10.10', ask: '10.30' });
});

test('prices compare as decimals, whatever their length', () => {
  const book = new TopOfBook();
  book.snapshot([level('9.9'), level('10'), level('0.99999999')], [level('00100.5'), level('100.50001'), level('99')]);
  assert.deepEqual(book.best, { bid: '10', ask: '99' });
  book.change('ask', '99', '0');
  assert.equal(book.best.ask, '00100.5');
});

test('an empty side has no best price, and a level that cannot be read changes nothing', () => {
  const book = new TopOfBook();
  book.snapshot([level('10')], undefined);
  assert.deepEqual(book.best, { bid: '10', ask: undefined });
  for (const price of [null, '1,5', true, '0', '-1']) assert.equal(book.change('ask', price, '1'), false);
  assert.equal(book.change('bid', '10', null), false);
  assert.deepEqual(book.best, { bid: '10', ask: undefined });
});

test('a bid above the ask is crossed, equal prices are not', () => {
  const book = new TopOfBook();
  book.snapshot([level('10')], [level('10.00')]);
  assert.equal(book.isCrossed, false);
  book.change('bid', '10.01', '1');
  assert.equal(book.isCrossed, true);
});

test('of a deep book the best thousand levels are kept, and it is exhausted once they are gone', () => {
  const book = new TopOfBook();
  const deep = Array.from({ length: 1_500 }, (_, index) => level(String(2_000 - index)));
  book.snapshot(deep, []);
  book.change('bid', '600', '1');
  for (let price = 2_000; price > 1_001; price--) book.change('bid', String(price), '0');
  assert.deepEqual([book.best.bid, book.isExhausted], ['1001', false]);
  book.change('bid', '1001', '0');
  assert.deepEqual([book.best.bid, book.isExhausted], [undefined, true]);
});

test('after any changes the best prices are those of a plain sorted list', () => {
  const change = fc.record({ isBid: fc.boolean(), units: fc.integer({ min: 1, max: 40 }), isGone: fc.boolean() });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
      const book = new TopOfBook();
      book.snapshot([], []);
      const sides = { bid: new Set<number>(), ask: new Set<number>() };
      for (const { isBid, units, isGone } of changes) {
        const side = isBid ? 'bid' : 'ask';
        book.change(side, (units / 4).toFixed(2), isGone ? '0' : '1');
        if (isGone) sides[side].delete(units);
        else sides[side].add(units);
      }
      const text = (units: number) => (Number.isFinite(units) ? (units / 4).toFixed(2) : undefined);
      assert.deepEqual(book.best, { bid: text(Math.max(...sides.bid)), ask: text(Math.min(...sides.ask)) });
    }),
  );
});
