import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import type { UpstreamTicker } from '../market/upstream.ts';
import { BinanceLive, binanceSocket } from './binance/connector.ts';
import { BitstampLive, bitstampSocket } from './bitstamp/connector.ts';
import { BitvavoLive, bitvavoSocket } from './bitvavo/connector.ts';
import { CoinbaseLive, coinbaseSocket } from './coinbase/live.ts';
import { RecordingChannel } from './live-channel.testing.ts';
import type { LiveParts, LiveProtocol } from './live-protocol.ts';
import { PairDirectory } from './market-listing.ts';
import { OkxLive, okxSocket } from './okx/connector.ts';

const btc = 'BTCEUR' as MarketSymbol;

const polled = { symbol: btc, last: '5', high24h: '6', low24h: '4', volume24h: '1' } as unknown as UpstreamTicker;

/** Frames that each exchange documents with texts, written with numbers. */
const frames: Readonly<
  Record<string, [(parts: LiveParts, channel: RecordingChannel) => LiveProtocol<unknown>, string[]]>
> = {
  bitvavo: [
    (parts, channel) => new BitvavoLive({ ...parts, traits: bitvavoSocket }, channel),
    [
      '{"event":"ticker24h","data":[{"market":"BTC","timestamp":1786614374241,"bid":50000.10,"ask":50001,"high":6e4,"low":4,"last":5,"volume":1,"volumeQuote":2,"open":3}]}',
    ],
  ],
  okx: [
    (parts, channel) => new OkxLive({ ...parts, traits: okxSocket }, channel, async () => []),
    [
      '{"arg":{"channel":"tickers","instId":"BTC"},"data":[{"instId":"BTC","last":5,"bidPx":50000.10,"askPx":50001,"high24h":6,"low24h":4,"vol24h":1,"volCcy24h":5,"open24h":4,"ts":1786613174873}]}',
    ],
  ],
  binance: [
    (parts, channel) => new BinanceLive({ ...parts, traits: binanceSocket }, channel, new Map()),
    [
      '{"e":"24hrTicker","E":1672515782136,"s":"BTC","P":1,"w":5,"c":5,"h":6,"l":4,"v":1,"b":1,"a":2}',
      '{"u":400900217,"s":"BTC","b":50000.10,"a":50001}',
    ],
  ],
  bitstamp: [
    (parts, channel) => new BitstampLive({ ...parts, traits: bitstampSocket }, channel, async () => [polled]),
    [
      '{"event":"data","channel":"order_book_BTC","data":{"microtimestamp":"1641343691457199","bids":[[50000.10,2]],"asks":[[50001,3]]}}',
    ],
  ],
  coinbase: [
    (parts, channel) => new CoinbaseLive({ ...parts, traits: coinbaseSocket }, channel, async () => undefined),
    [
      '{"type":"ticker","product_id":"BTC","price":5,"open_24h":4,"volume_24h":1,"low_24h":4,"high_24h":6}',
      '{"type":"snapshot","product_id":"BTC","bids":[[50000.10,1]],"asks":[[50001,1]]}',
    ],
  ],
};

for (const [exchange, [open, texts]] of Object.entries(frames)) {
  test(`a number that ${exchange} sends in place of a text is read digit for digit`, async () => {
    const clock = new FakeClock();
    const directory = new PairDirectory();
    directory.add([{ symbol: btc, id: 'BTC', liveName: 'BTC' }]);
    const channel = new RecordingChannel();
    const live = open({ clock, directory, quotes: [], traits: okxSocket }, channel);
    live.subscribe([btc]);
    live.opened();
    await clock.advance(0);
    for (const text of texts) live.received(text);
    const ticker = channel.tickers.at(-1);
    assert.deepEqual([ticker?.bid, ticker?.ask], ['50000.10', '50001']);
    for (const name of ['last', 'high24h', 'low24h', 'volume24h'] as const) assert.match(ticker?.[name] ?? '', /^\d+$/);
    live.stop();
  });
}
