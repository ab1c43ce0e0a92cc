import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Told } from './exchange-model.ts';
import { ToldQuotes } from './told-quotes.ts';

const statistics = { high: '120.0', low: '80.0', volume: '7.12345678' };

/** What an exchange says that tells the truth. */
function honest(bid: string, ask: string, over: Partial<Told> = {}): Told {
  return { bid, ask, truth: { bid, ask }, isMuted: false, ...statistics, ...over };
}

test('a price is explained by a quote of its time at the terms of its time, and by no other', () => {
  const quotes = new ToldQuotes('0.5', '1', '24.315');
  quotes.quoted('kraken', 'BTCEUR', honest('100.0', '101.0'), 0);
  quotes.quoted('kraken', 'BTCEUR', honest('200.0', '201.0'), 60_000);
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
  quotes.quoted('kraken', 'BTCEUR', honest('100.0', '101.0'), 0);
  quotes.rates.rateFrom('24.315', 30_000);
  const converted = { symbol: 'BTCCZK', buyPrice: '2493', sellPrice: '2395' };
  const explains = (servedMs: number) => quotes.explains(converted, 25_000, 1_000, [24_000, 26_000], servedMs);
  assert.deepEqual([explains(29_000), explains(33_000)], [false, true]);
});

test('by how much a quote was off is measured by what was true then', () => {
  const quotes = new ToldQuotes('0.5', '1', '10');
  const truth = { bid: '110.0', ask: '111.0' };
  quotes.quoted('kraken', 'BTCEUR', honest('100.0', '101.0'), 0);
  quotes.quoted('kraken', 'BTCEUR', honest('100.0', '101.0', { truth }), 60_000);
  const [held] = quotes.explanations(
    { symbol: 'BTCEUR', buyPrice: '101.6', sellPrice: '99.5' },
    60_000,
    1,
    [0, 60_000],
  );
  assert.equal(quotes.deviation(held!, 'BTCEUR', 59_000), 0);
  assert.equal(quotes.deviation(held!, 'BTCEUR', 60_000).toFixed(3), '0.100');
});

test('a quote that an exchange keeps from its listeners replaces none for them, however long that lasts', () => {
  const quotes = new ToldQuotes('0.5', '1', '10');
  quotes.quoted('kraken', 'BTCEUR', honest('100.0', '101.0'), 0);
  for (let atMs = 6_000; atMs < 300_000; atMs += 6_000)
    quotes.quoted('kraken', 'BTCEUR', honest(`200.${atMs / 6_000}`, `201.${atMs / 6_000}`, { isMuted: true }), atMs);
  const first = { symbol: 'BTCEUR', buyPrice: '101.6', sellPrice: '99.5' };
  assert.equal(quotes.explains(first, 290_000, 1_000, [0, 300_000]), true);
  quotes.quoted('kraken', 'BTCEUR', honest('300.0', '301.0'), 300_000);
  assert.equal(quotes.explains(first, 290_000, 1_000, [0, 300_000]), true);
  assert.equal(quotes.explains(first, 302_000, 1_000, [0, 310_000]), false);
});

test('statistics are those that the same source had at the time, converted without fee and margin', () => {
  const quotes = new ToldQuotes('0.5', '1', '10');
  quotes.quoted('kraken', 'BTCEUR', honest('100.0', '101.0'), 0);
  quotes.quoted('bitvavo', 'BTCEUR', honest('100.0', '101.0', { high: '140.0' }), 0);
  const served = { symbol: 'BTCEUR', high24h: '120.0', low24h: '80.0', volume24h: '7.1235' };
  const explains = (over: object, source = 'kraken') =>
    quotes.explainsStatistics({ ...served, ...over }, source, 1_000, 1_000, 2_000);
  assert.equal(explains({}), true);
  assert.equal(explains({ symbol: 'BTCCZK', high24h: '1200', low24h: '800' }), true);
  assert.equal(explains({}, 'bitvavo'), false, 'of another source');
  for (const over of [{ high24h: '120.1' }, { low24h: '80.1' }, { volume24h: '7.1234' }])
    assert.equal(explains(over), false, JSON.stringify(over));
});

test('a price of few digits is explained though most of it is rounded', () => {
  const quotes = new ToldQuotes('0.5', '1', '0.05');
  quotes.quoted('kraken', 'BTCEUR', honest('43.00', '43.04'), 0);
  const served = { symbol: 'BTCCZK', buyPrice: '2.2', sellPrice: '2.1' };
  assert.equal(quotes.explains(served, 0, 1_000, [0, 0]), true);
  assert.equal(quotes.explains({ ...served, buyPrice: '2.3' }, 0, 1_000, [0, 0]), false);
});
