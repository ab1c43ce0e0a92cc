import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import type { MarketSymbol } from '../../market/symbol.ts';
import { RecordingChannel } from '../live-channel.testing.ts';
import { PairDirectory } from '../market-listing.ts';
import { PacedQueue } from '../pace.ts';
import { recordedFrames } from '../recordings.testing.ts';
import { BinanceLive, binanceSocket } from './connector.ts';

const nkn = 'NKNUSDT' as MarketSymbol;
const ids = ['NKNUSDT', 'BLZETH', 'LRCBTC', 'RUNEEUR'];

function opened(updates = new Map<MarketSymbol, number>()) {
  const clock = new FakeClock();
  const directory = new PairDirectory();
  directory.add(ids.map((id) => ({ symbol: id as MarketSymbol, id, liveName: id.toLowerCase() })));
  const channel = new RecordingChannel();
  return {
    clock,
    channel,
    live: new BinanceLive({ clock, directory, quotes: [], traits: binanceSocket }, channel, updates),
  };
}

const ticker = (changes: object = {}) => {
  const event = { e: '24hrTicker', E: 1795255200000, s: 'NKNUSDT', P: '1.50', w: '0.3500', c: '0.3521' };
  const rest = { b: '0.3520', a: '0.3530', h: '0.3600', l: '0.3400', v: '1000.0' };
  return JSON.stringify({ stream: 'nknusdt@ticker', data: { ...event, ...rest, ...changes } });
};
const book = (u: number, b: string, a: string) =>
  `{"stream":"nknusdt@bookTicker","data":{"u":${u},"s":"NKNUSDT","b":"${b}","B":"1","a":"${a}","A":"1"}}`;

test('recorded book changes come out digit for digit as soon as the statistics are known', () => {
  const { channel, live } = opened();
  live.received(ticker());
  const frames = recordedFrames('binance-ws-2021-10-12.jsonl').filter((text) => text.includes('nknusdt@bookTicker'));
  assert.ok(frames.length > 10);
  for (const frame of frames) live.received(frame);
  assert.deepEqual(channel.drops, []);
  const last = frames.at(-1) ?? '';
  const { bid, ask, volume24h, upstreamTime, path } = channel.tickers.at(-1) ?? {};
  assert.ok(last.includes(`"b":"${bid}"`) && last.includes(`"a":"${ask}"`));
  assert.deepEqual([volume24h, upstreamTime, path], ['1000.0', undefined, 'live']);
});

test('until the book changes the best prices are those of the ticker, with its time', () => {
  const { channel, live } = opened();
  live.received(ticker());
  const [first] = channel.tickers;
  assert.deepEqual([first?.bid, first?.ask, first?.upstreamTime], ['0.3520', '0.3530', 1795255200000]);
  assert.deepEqual(
    [first?.last, first?.high24h, first?.low24h, first?.vwap24h, first?.priceChangePercent24h],
    ['0.3521', '0.3600', '0.3400', '0.3500', '1.50'],
  );
});

test('a ticker from before a change of the book does not undo it, and one of a quiet book confirms the price', async () => {
  const { clock, channel, live } = opened();
  live.received(ticker());
  live.received(book(7, '0.3610', '0.3620'));
  live.received(ticker({ E: 1795255200100, b: '0.3520', a: '0.3530' }));
  assert.deepEqual(channel.tickers.at(-1)?.bid, '0.3610');
  await clock.advance(2_000);
  live.received(ticker({ E: 1795255202100, b: '0.3700', a: '0.3710' }));
  assert.deepEqual(channel.tickers.at(-1)?.bid, '0.3700');
});

test('an older update of the book and an older ticker are dropped as late, also from a second connection', () => {
  const updates = new Map<MarketSymbol, number>();
  const { channel, live } = opened(updates);
  const successor = opened(updates);
  live.received(ticker());
  successor.live.received(ticker());
  successor.live.received(book(9, '0.3610', '0.3620'));
  live.received(book(8, '0.3600', '0.3620'));
  live.received(ticker({ E: 1795255199000 }));
  assert.deepEqual(channel.drops, ['late', 'late']);
  assert.equal(channel.tickers.at(-1)?.bid, '0.3520');
});

test('the first frame accepts a symbol, a result of null says nothing, and a silent one is accepted by the deadline', async () => {
  const { clock, channel, live } = opened();
  live.subscribe([nkn, 'RUNEEUR' as MarketSymbol]);
  const params = ['nknusdt@ticker', 'nknusdt@bookTicker', 'runeeur@ticker', 'runeeur@bookTicker'];
  assert.deepEqual(channel.sent, [{ method: 'SUBSCRIBE', params, id: 1 }]);
  live.received('{"result":null,"id":1}');
  assert.deepEqual(channel.answered('accepted'), []);
  live.received(ticker());
  assert.deepEqual(channel.answered('accepted'), [nkn]);
  await clock.advance(10_000);
  assert.deepEqual(channel.answered('accepted'), [nkn, 'RUNEEUR']);
  live.stop();
  assert.equal(clock.pendingTimers, 0);
});

test('a request that is refused is sent again in halves until the bad symbol stands alone', () => {
  const { channel, live } = opened();
  live.subscribe(ids as MarketSymbol[]);
  for (const id of [1, 2, 4]) live.received(`{"code":2,"msg":"Invalid request: unknown","id":${id}}`);
  assert.deepEqual(channel.answered('rejected'), ['NKNUSDT']);
});

test('serverShutdown announces the end, and unknown events, symbols and garbage are dropped by their names', () => {
  const { channel, live } = opened();
  live.received('{"e":"serverShutdown","E":1770123456789}');
  live.received('{"stream":"!serverShutdown","data":{"e":"serverShutdown","E":1770123456789}}');
  assert.equal(channel.announced.length, 2);
  for (const text of ['[]', '{"e":"weather"}', '{"u":1,"s":"NOPE","b":"1","a":"2"}', '{"u":"x","s":"NKNUSDT"}', '{}']) {
    live.received(text);
  }
  assert.deepEqual(channel.drops, ['malformed', 'unknown_kind', 'unknown_symbol', 'malformed', 'unknown_kind']);
});

test('with the pings of two watchdogs no second has more than 5 messages', async () => {
  const clock = new FakeClock();
  const sentAtMs: number[] = [];
  const note = () => void sentAtMs.push(clock.monotonicMs());
  const queue = new PacedQueue(clock, binanceSocket.pace);
  for (let index = 0; index < 40; index++) queue.push({ begin: note });
  clock.every(5_000, note);
  clock.every(20_000, note);
  await clock.advance(60_000);
  for (const fromMs of sentAtMs) {
    const within = sentAtMs.filter((atMs) => atMs >= fromMs && atMs < fromMs + 1_000).length;
    assert.ok(within <= 5, `${within} within a second`);
  }
  assert.equal(sentAtMs.length, 40 + 12 + 3);
});
