import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import type { MarketSymbol } from '../../market/symbol.ts';
import { PairDirectory } from '../market-listing.ts';
import { recordedFrames } from '../recordings.testing.ts';
import { readPolled } from '../rest-answers.ts';
import { asList, asObject, parsePlain, UpstreamError, type WireObject } from '../wire.ts';
import { readTicker } from './connector.ts';

const btc = 'BTCUSDT' as MarketSymbol;
const now = new FakeClock().now();

function recordedEntries(): WireObject[] {
  const frames = recordedFrames('okx-ws-2022-05-13.jsonl').map((text) => asObject(parsePlain(text)) ?? {});
  return frames.flatMap(({ data }) => (asList(data) ?? []).map((entry) => asObject(entry) ?? {}));
}

test('every recorded spot ticker is read digit for digit', () => {
  const entries = recordedEntries().filter((entry) => entry.instId === 'BTC-USDT');
  assert.ok(entries.length > 20);
  for (const entry of entries) {
    const ticker = readTicker(entry);
    const { bid, ask, last, high24h, low24h, volume24h, upstreamTime } = ticker;
    assert.deepEqual(
      [bid, ask, last, high24h, low24h, volume24h, String(upstreamTime)],
      [entry.bidPx, entry.askPx, entry.last, entry.high24h, entry.low24h, entry.vol24h, entry.ts],
    );
  }
});

test('mean price and change follow from the recorded volumes and the price 24 hours ago', () => {
  const { vwap24h, priceChangePercent24h } = readTicker(recordedEntries()[2] ?? {});
  // 525802090.62716611 / 17602.13085371 and (30236 − 29700.4) / 29700.4 × 100
  assert.equal(vwap24h, '29871.50220601517894157023');
  assert.equal(priceChangePercent24h, '1.80334271592301787181');
});

test('an empty text is a missing value, and what cannot be derived without it is missing too', () => {
  const empty = {
    instId: 'BTC-USDT',
    last: '',
    bidPx: '',
    askPx: '1',
    open24h: '',
    vol24h: '0',
    volCcy24h: '',
    ts: '',
  };
  assert.deepEqual(readTicker(empty), {
    bid: undefined,
    ask: '1',
    last: undefined,
    high24h: undefined,
    low24h: undefined,
    volume24h: '0',
    vwap24h: undefined,
    priceChangePercent24h: undefined,
    upstreamTime: undefined,
  });
});

test('polled tickers are those of known instruments', () => {
  const directory = new PairDirectory();
  directory.add([{ symbol: btc, id: 'BTC-USDT', liveName: 'BTC-USDT' }]);
  const at = { askedAt: now, receivedAt: now };
  const read = (result: unknown) => readPolled({ result, ...at }, directory, readTicker, ({ instId }) => instId);
  const [ticker, ...others] = read(recordedEntries());
  assert.deepEqual([ticker?.path, ticker?.symbol], ['fallback', btc]);
  assert.ok(others.every(({ symbol }) => symbol === btc));
  assert.throws(() => read({}), UpstreamError);
});
