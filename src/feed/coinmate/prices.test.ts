import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import type { MarketSymbol } from '../../market/symbol.ts';
import { PairDirectory } from '../market-listing.ts';
import { readPolled } from '../rest-answers.ts';
import { parseLossless, UpstreamError } from '../wire.ts';
import { readTicker } from './connector.ts';

const at = { askedAt: new FakeClock().now(), receivedAt: new FakeClock().now() };
const directory = new PairDirectory();
directory.add([{ symbol: 'BTCEUR' as MarketSymbol, id: 'BTC_EUR', liveName: 'BTC_EUR' }]);
const read = (json: string) => readPolled({ result: parseLossless(json), ...at }, directory, readTicker);
const withTime = (timestamp: string) => read(`{"BTC_EUR":{"timestamp":${timestamp}}}`)[0]?.upstreamTime;

test('JSON numbers keep every digit, and today’s change and open are not taken for those of 24 hours', () => {
  const entry =
    '{"last":3120.52,"high":3334.98,"low":3020.610,"amount":103.28489528000000000001,"bid":3114.86,"ask":3152.58,"change":-5.10,"open":3288.29,"timestamp":1506062222}';
  assert.deepEqual(read(`{"BTC_EUR":${entry},"XYZ_EUR":${entry},"ODD":null}`), [
    {
      symbol: 'BTCEUR',
      bid: '3114.86',
      ask: '3152.58',
      last: '3120.52',
      high24h: '3334.98',
      low24h: '3020.610',
      volume24h: '103.28489528000000000001',
      vwap24h: undefined,
      priceChangePercent24h: undefined,
      path: 'fallback',
      upstreamTime: 1506062222000,
      ...at,
    },
  ]);
});

test('the magnitude of a timestamp decides whether it is seconds or milliseconds', () => {
  assert.equal(withTime('1708074485'), 1708074485000);
  assert.equal(withTime('1708074485123'), 1708074485123);
  for (const none of ['0', 'null', '"x"', '-1', '1.5']) assert.equal(withTime(none), undefined);
});

test('an exponent is written out, and null is a missing value', () => {
  const [ticker] = read('{"BTC_EUR":{"bid":1.2E-7,"ask":null}}');
  assert.deepEqual([ticker?.bid, ticker?.ask], ['0.00000012', undefined]);
});

test('an answer that is no object is malformed', () => {
  assert.throws(() => read('[]'), UpstreamError);
});
