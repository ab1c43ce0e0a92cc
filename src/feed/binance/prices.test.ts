import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import type { MarketSymbol } from '../../market/symbol.ts';
import { PairDirectory } from '../market-listing.ts';
import { recordedFrames } from '../recordings.testing.ts';
import { readPolled } from '../rest-answers.ts';
import { asObject, parsePlain, UpstreamError } from '../wire.ts';
import { readBestPrices, readPolledTicker, readStatistics } from './connector.ts';

const at = { askedAt: new FakeClock().now(), receivedAt: new FakeClock().now() };
const directory = new PairDirectory();
const read = (result: unknown) => readPolled({ result, ...at }, directory, readPolledTicker, ({ symbol }) => symbol);
directory.add([{ symbol: 'BNBBTC' as MarketSymbol, id: 'BNBBTC', liveName: 'BNBBTC' }]);

test('the best prices of every recorded bookTicker frame are read digit for digit', () => {
  const frames = recordedFrames('binance-ws-2021-10-12.jsonl').filter((text) => text.includes('@bookTicker'));
  assert.equal(frames.length, 84);
  for (const text of frames) {
    const { bid, ask } = readBestPrices(asObject(asObject(parsePlain(text))?.data) ?? {});
    assert.ok(text.includes(`"b":"${bid}"`) && text.includes(`"a":"${ask}"`), text);
  }
});

test('a 24hrTicker event has the statistics of the rolling day, the change as it is given', () => {
  const event =
    '{"e":"24hrTicker","E":1672515782136,"s":"BNBBTC","p":"0.0015","P":"250.00","w":"0.0018","x":"0.0009","c":"0.0025","Q":"10","b":"0.0024","B":"10","a":"0.0026","A":"100","o":"0.0010","h":"0.0025","l":"0.0010","v":"10000","q":"18","O":0,"C":86400000,"F":0,"L":18150,"n":18151}';
  assert.deepEqual(readStatistics(asObject(parsePlain(event)) ?? {}), {
    bid: undefined,
    ask: undefined,
    last: '0.0025',
    high24h: '0.0025',
    low24h: '0.0010',
    volume24h: '10000',
    vwap24h: '0.0018',
    priceChangePercent24h: '250.00',
  });
});

test('a polled ticker keeps every digit and carries no time; unknown symbols are left out', () => {
  const entry = {
    symbol: 'BNBBTC',
    priceChangePercent: '-95.960',
    weightedAvgPrice: '0.29628482',
    lastPrice: '4.00000200',
    bidPrice: '4.00000000',
    askPrice: '4.00000200',
    highPrice: '100.00000000',
    lowPrice: '0.10000000',
    volume: '8913.30000000',
    closeTime: 1499869899040,
  };
  assert.deepEqual(read([entry, { ...entry, symbol: 'NOPE' }, null]), [
    {
      symbol: 'BNBBTC',
      bid: '4.00000000',
      ask: '4.00000200',
      last: '4.00000200',
      high24h: '100.00000000',
      low24h: '0.10000000',
      volume24h: '8913.30000000',
      vwap24h: '0.29628482',
      priceChangePercent24h: '-95.960',
      path: 'fallback',
      upstreamTime: undefined,
      ...at,
    },
  ]);
  assert.throws(() => read({}), UpstreamError);
});
