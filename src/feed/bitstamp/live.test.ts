import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import type { DecimalString } from '../../market/decimal.ts';
import type { MarketSymbol } from '../../market/symbol.ts';
import type { UpstreamTicker } from '../../market/upstream.ts';
import { RecordingChannel } from '../live-channel.testing.ts';
import { PairDirectory } from '../market-listing.ts';
import { recordedFrames } from '../recordings.testing.ts';
import { UpstreamError } from '../wire.ts';
import { BitstampLive, bitstampSocket } from './connector.ts';

const xrp = 'XRPEUR' as MarketSymbol;
const ada = 'ADAEUR' as MarketSymbol;
const decimal = (text: string) => text as DecimalString;

function opened(load: () => Promise<readonly UpstreamTicker[]>) {
  const clock = new FakeClock();
  const directory = new PairDirectory();
  for (const symbol of [xrp, ada])
    directory.add([{ symbol, id: symbol.toLowerCase(), liveName: symbol.toLowerCase() }]);
  const channel = new RecordingChannel();
  return {
    clock,
    channel,
    live: new BitstampLive({ clock, directory, quotes: [], traits: bitstampSocket }, channel, load),
  };
}

function polled(changes: Partial<UpstreamTicker> = {}): UpstreamTicker {
  const now = new FakeClock().now();
  const [bid, ask, last, volume24h] = ['0.7', '0.8', '0.75', '1000'].map(decimal) as [
    DecimalString,
    DecimalString,
    DecimalString,
    DecimalString,
  ];
  const statistics = { last, high24h: ask, low24h: bid, volume24h, vwap24h: last, priceChangePercent24h: last };
  const times = { upstreamTime: undefined, askedAt: now, receivedAt: now };
  return { symbol: xrp, bid, ask, ...statistics, path: 'fallback', ...times, ...changes };
}

const book = (bid: string, ask: string, channel = 'order_book_xrpeur') =>
  `{"data":{"timestamp":"1641343691","microtimestamp":"1641343691457199","bids":[["${bid}","2"],["0.1","1"]],"asks":[["${ask}","3"]]},"channel":"${channel}","event":"data"}`;

test('best prices are those of the book with its time, and the statistics those of the REST ticker', async () => {
  const { clock, channel, live } = opened(async () => [polled()]);
  live.received(book('0.73445', '0.73541'));
  assert.deepEqual(channel.tickers, []);
  live.opened();
  await clock.advance(0);
  const [ticker] = channel.tickers;
  assert.deepEqual(ticker, {
    ...polled(),
    bid: '0.73445',
    ask: '0.73541',
    path: 'live',
    upstreamTime: 1641343691457,
    askedAt: clock.now(),
    receivedAt: clock.now(),
  });
  live.stop();
});

test('statistics are read every 5 seconds, and less and less often while that fails', async () => {
  let polls = 0;
  let isFailing = false;
  const { clock, live } = opened(async () => {
    polls++;
    if (isFailing) throw new UpstreamError('status', 'HTTP status 503');
    return [polled()];
  });
  live.opened();
  await clock.advance(20_000);
  assert.equal(polls, 5);
  isFailing = true;
  await clock.advance(600_000);
  assert.ok(polls < 5 + 16, `${polls} polls`);
  live.stop();
  assert.equal(clock.pendingTimers, 0);
});

test('each market has a message of its own; success, refusal and an error without a channel are told apart', () => {
  const { channel, live } = opened(async () => []);
  live.subscribe([xrp, ada]);
  assert.deepEqual(channel.sent, [
    { event: 'bts:subscribe', data: { channel: 'order_book_xrpeur' } },
    { event: 'bts:subscribe', data: { channel: 'order_book_adaeur' } },
  ]);
  live.received('{"event":"bts:subscription_succeeded","channel":"order_book_xrpeur","data":{}}');
  live.received('{"event":"bts:error","channel":"","data":{"code":null,"message":"Bad subscription string."}}');
  live.received('{"event":"bts:error","channel":"order_book_adaeur","data":{"code":null,"message":"Bad"}}');
  assert.deepEqual(
    [channel.answered('accepted'), channel.answered('rejected'), channel.drops],
    [[xrp], [ada], ['unknown_kind']],
  );
  live.stop();
});

test('a recorded connection of other channels is read without a fault, and its books are not taken for ours', () => {
  const { channel, live } = opened(async () => []);
  for (const frame of recordedFrames('bitstamp-ws-2022-01-05.jsonl')) live.received(frame);
  assert.deepEqual(channel.tickers, []);
  assert.deepEqual(new Set(channel.drops), new Set(['unknown_symbol', 'unknown_kind']));
});

test('heartbeats go out as pings, and request_reconnect announces the end', () => {
  const { channel, live } = opened(async () => []);
  live.ping();
  assert.deepEqual([channel.sent, channel.pings], [[{ event: 'bts:heartbeat' }], 1]);
  live.received('{"event":"bts:heartbeat","channel":"","data":""}');
  live.received('{"event":"bts:request_reconnect","channel":"","data":""}');
  assert.deepEqual([channel.announced.length, channel.drops], [1, []]);
});
