import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ToldQuotes } from './told-quotes.ts';

test('a price is explained by a quote of its time at the terms of its time, and by no other', () => {
  const quotes = new ToldQuotes('0.5', '1', '24.315');
  quotes.quoted('kraken', 'BTCEUR', { bid: '100.0', ask: '101.0' }, 0);
  quotes.quoted('kraken', 'BTCEUR', { bid: '200.0', ask: '201.0' }, 60_000);
  const first = { symbol: 'BTCEUR', buyPrice: '101.6', sellPrice: '99.5' };
  assert.equal(quotes.explains(first, 30_000, 1_000, [30_000, 31_000]), true);
  assert.equal(quotes.explains({ ...first, sellPrice: '99.4' }, 30_000, 1_000, [30_000, 31_000]), false);
  assert.equal(quotes.explains(first, 60_900, 1_000, [30_000, 31_000]), true);
  assert.equal(quotes.explains(first, 61_100, 1_000, [30_000, 31_000]), false, 'it was replaced');
  const converted = { symbol: 'BTCCZK', buyPrice: '2493', sellPrice: '2395' };
  assert.equal(quotes.explains(converted, 30_000, 1_000, [30_000, 31_000]), true);
  quotes.feeFrom('1', 40_000);
  assert.equal(quotes.explains(first, 30_000, 1_000, [39_000, 41_000]), true);
  assert.equal(quotes.explains(first, 30_000, 1_000, [40_500, 41_000]), false, 'the fee is another');
  const dearer = { ...first, buyPrice: '102.1', sellPrice: '99.0' };
  assert.equal(quotes.explains(dearer, 30_000, 1_000, [40_500, 41_000]), true);
});

test('a rate holds by the time of the world, though the clock of whoever serves it is late', () => {
  const quotes = new ToldQuotes('0.5', '1', '10');
  quotes.quoted('kraken', 'BTCEUR', { bid: '100.0', ask: '101.0' }, 0);
  quotes.rateFrom('24.315', 30_000);
  const converted = { symbol: 'BTCCZK', buyPrice: '2493', sellPrice: '2395' };
  const explains = (servedMs: number) => quotes.explains(converted, 25_000, 1_000, [24_000, 26_000], servedMs);
  assert.deepEqual([explains(29_000), explains(33_000)], [false, true]);
});
