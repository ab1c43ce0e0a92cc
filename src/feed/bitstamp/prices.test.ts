import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import type { MarketSymbol } from '../../market/symbol.ts';
import { PairDirectory } from '../market-listing.ts';
import { recordedFrames } from '../recordings.testing.ts';
import { readPolled } from '../rest-answers.ts';
import { asList, asObject, parsePlain, UpstreamError } from '../wire.ts';
import { idOf, readPolledTicker, readTopOfBook } from './connector.ts';

const at = { askedAt: new FakeClock().now(), receivedAt: new FakeClock().now() };
const directory = new PairDirectory();
const read = (result: unknown) => readPolled({ result, ...at }, directory, readPolledTicker, idOf);
directory.add([{ symbol: 'BTCUSD' as MarketSymbol, id: 'btcusd', liveName: 'btcusd' }]);

test('the first level of both sides and the microsecond time of every recorded book frame are read digit for digit', () => {
  let read = 0;
  for (const text of recordedFrames('bitstamp-ws-2022-01-05.jsonl')) {
    const frame = asObject(parsePlain(text)) ?? {};
    if (frame.event !== 'data') continue;
    const data = asObject(frame.data) ?? {};
    const first = (side: unknown) => asList(asList(side)?.[0])?.[0];
    const { bid, ask, upstreamTime } = readTopOfBook(data);
    assert.deepEqual([bid, ask], [first(data.bids), first(data.asks)]);
    assert.equal(String(upstreamTime), String(data.microtimestamp).slice(0, -3));
    read++;
  }
  assert.ok(read > 150, `${read} frames`);
});

test('a polled ticker has the given mean price and 24-hour change, not today’s open, and the time of its row', () => {
  const entry = {
    timestamp: '1686068944',
    high: '26252',
    last: '26216',
    bid: '26208',
    vwap: '25681',
    volume: '3563.13819902',
    low: '25350',
    ask: '26211',
    open: '25730',
    open_24: '25895',
    percent_change_24: '1.24',
    pair: 'BTC/USD',
  };
  assert.deepEqual(read([entry, { ...entry, pair: 'X/USD' }, null]), [
    {
      symbol: 'BTCUSD',
      bid: '26208',
      ask: '26211',
      last: '26216',
      high24h: '26252',
      low24h: '25350',
      volume24h: '3563.13819902',
      vwap24h: '25681',
      priceChangePercent24h: '1.24',
      path: 'fallback',
      upstreamTime: 1686068944000,
      ...at,
    },
  ]);
  assert.throws(() => read({}), UpstreamError);
});
