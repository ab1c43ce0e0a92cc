import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochMs } from '../ground/clock.ts';
import type { ClientTicker } from '../market/client-ticker.ts';
import { Markets } from '../market/markets.ts';
import {
  everyEuroMarket,
  pricingPolicy,
  start,
  symbol,
  upstreamMarket,
  upstreamTicker,
} from '../market/samples.testing.ts';
import { marketFragment, tickerFragment } from './fragments.ts';

function pricedBook(): Markets {
  const markets = new Markets(pricingPolicy(), everyEuroMarket);
  markets.catalogueLoaded([upstreamMarket('BTC')], start);
  markets.tickerReceived(upstreamTicker());
  return markets;
}

function pricedTicker(): ClientTicker {
  const verdict = pricedBook().pricer.price(symbol('BTCEUR'), start);
  assert.ok(verdict.kind === 'priced');
  return verdict.ticker;
}

test('a ticker is written with the contract’s members in the contract’s order', () => {
  assert.equal(
    tickerFragment({ ...pricedTicker(), priceChangePercent1h: pricedTicker().priceChangePercent24h }),
    '{"symbol":"BTCEUR","base":"BTC","quote":"EUR","buyPrice":"84631.2","sellPrice":"83788.8","high24h":"85120.0",' +
      '"low24h":"83004.7","volume24h":"412.70318822","vwap24h":"84077.3","priceChangePercent1h":"-1.05",' +
      '"priceChangePercent24h":"-1.05","timestamp":"2026-11-21T09:59:59.960Z","timestampMs":1795255199960}',
  );
});

test('a missing value of a ticker is left out and never null', () => {
  const bare = {
    ...pricedTicker(),
    vwap24h: undefined,
    priceChangePercent1h: undefined,
    priceChangePercent24h: undefined,
    priceChangePercent7d: undefined,
  };
  const written = JSON.parse(tickerFragment(bare));
  assert.deepEqual(Object.keys(written), [
    'symbol',
    'base',
    'quote',
    'buyPrice',
    'sellPrice',
    'high24h',
    'low24h',
    'volume24h',
    'timestamp',
    'timestampMs',
  ]);
  for (const optional of [
    'vwap24h',
    'priceChangePercent1h',
    'priceChangePercent24h',
    'priceChangePercent7d',
  ] as const) {
    const one = JSON.parse(tickerFragment({ ...bare, [optional]: '1.00' }));
    assert.deepEqual(Object.keys(one).length, 11);
    assert.equal(one[optional], '1.00');
  }
});

test('both forms of the capture time are the same instant, in any year and at any millisecond', () => {
  for (const text of [
    '1970-01-01T00:00:00.000Z',
    '2038-01-19T03:14:08.000Z',
    '2026-11-21T10:00:00.007Z',
    '9999-12-31T23:59:59.999Z',
  ]) {
    const written = JSON.parse(tickerFragment({ ...pricedTicker(), capturedAt: Date.parse(text) as EpochMs }));
    assert.equal(written.timestamp, text);
    assert.equal(written.timestampMs, Date.parse(text));
  }
});

test('a market is written with the contract’s members in the contract’s order, and without a smallest value when it has none', () => {
  const { catalogue } = pricedBook();
  assert.equal(
    marketFragment(catalogue.find(symbol('BTCEUR'))!),
    '{"symbol":"BTCEUR","base":"BTC","quote":"EUR","status":"trading","pricePrecision":1,"amountPrecision":8,' +
      '"tickSize":"0.1","minOrderSize":"0.00005","minOrderValue":"0.5"}',
  );
  assert.equal(
    marketFragment(catalogue.find(symbol('BTCCZK'))!),
    '{"symbol":"BTCCZK","base":"BTC","quote":"CZK","status":"trading","pricePrecision":0,"amountPrecision":8,' +
      '"tickSize":"1","minOrderSize":"0.00005"}',
  );
});
