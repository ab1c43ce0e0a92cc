import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CurrencyCode } from '../../market/symbol.ts';
import { selectMarkets } from '../market-listing.ts';
import { parseLossless, UpstreamError } from '../wire.ts';
import { readTradingPairs } from './connector.ts';

const czk = { quotes: ['CZK' as CurrencyCode], symbols: 'all' } as const;
const read = (json: string) => selectMarkets(readTradingPairs(parseLossless(json)), czk);
const pair = (members: string) =>
  `{"name":"BTC_CZK","firstCurrency":"BTC","secondCurrency":"CZK",${members},"tradesWebSocketChannelId":"trades-BTC_CZK"}`;

test('a pair is a trading market with the digits of its JSON numbers', () => {
  const { markets, names } = read(`[${pair('"priceDecimals":0,"lotDecimals":8,"minAmount":1.0E-4')}]`);
  assert.deepEqual(names, [{ symbol: 'BTCCZK', id: 'BTC_CZK', liveName: 'BTC_CZK' }]);
  assert.deepEqual(markets, [
    {
      symbol: 'BTCCZK',
      base: 'BTC',
      quote: 'CZK',
      status: 'trading',
      pricePrecision: 0,
      amountPrecision: 8,
      tickSize: '1',
      minOrderSize: '0.0001',
      minOrderValue: undefined,
    },
  ]);
});

test('a pair that lacks what a market needs is skipped with the reason', () => {
  const broken: [string, string][] = [
    ['"lotDecimals":8,"minAmount":0.1', 'priceDecimals is missing or out of range'],
    ['"priceDecimals":2,"lotDecimals":19,"minAmount":0.1', 'lotDecimals is missing or out of range'],
    ['"priceDecimals":2,"lotDecimals":8,"minAmount":0', 'minAmount is missing or not a positive decimal'],
  ];
  for (const [members, reason] of broken) {
    assert.deepEqual(read(`[${pair(members)}]`).skipped, [{ name: 'BTC_CZK', symbol: 'BTCCZK', reason }]);
  }
});

test('an answer that is no list is malformed, and an unreadable entry is ignored', () => {
  assert.throws(() => read('{}'), UpstreamError);
  assert.deepEqual(read('[null,"BTC_CZK",{}]'), { markets: [], skipped: [], names: [] });
});
