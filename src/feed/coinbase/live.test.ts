import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import type { CurrencyCode, MarketSymbol } from '../../market/symbol.ts';
import { RecordingChannel } from '../live-channel.testing.ts';
import { PairDirectory } from '../market-listing.ts';
import type { Statistics } from '../ticker-assembler.ts';
import { CoinbaseLive, coinbaseSocket } from './live.ts';

const crv = 'CRVEUR' as MarketSymbol;
const product_id = 'CRV-EUR';
let clock: FakeClock;
let channel: RecordingChannel;
let live: CoinbaseLive;
let asked: MarketSymbol[];

beforeEach(() => {
  clock = new FakeClock();
  channel = new RecordingChannel();
  asked = [];
  const directory = new PairDirectory();
  directory.add([{ symbol: crv, id: product_id, liveName: product_id }]);
  const loadStatistics = async (symbol: MarketSymbol) => {
    asked.push(symbol);
    return { high24h: '4', low24h: '3', volume24h: '7' } as Statistics;
  };
  const parts = { clock, directory, quotes: ['EUR' as CurrencyCode], traits: coinbaseSocket };
  live = new CoinbaseLive(parts, channel, loadStatistics);
  live.subscribe([crv]);
});

const receive = (frame: object) => live.received(JSON.stringify({ product_id, ...frame }));
const time = () => new Date(clock.now()).toISOString();
const snapshot = (bid = '3.10', ask = '3.20') =>
  receive({ type: 'snapshot', bids: [[bid, '1']], asks: [[ask, '1']], time: '0001-01-01T00:00:00.000000Z' });
const ticker = () =>
  receive({ type: 'ticker', price: '3.15', open_24h: '3.00', high_24h: '3.5', low_24h: '2.9', volume_24h: '12.30' });
const beat = (sequence: number) => receive({ type: 'heartbeat', sequence, time: time() });

test('the first ticker waits for the book and the statistics; the change is from the price of 24 hours ago', () => {
  snapshot();
  assert.equal(channel.tickers.length, 0);
  ticker();
  const [first] = channel.tickers;
  assert.deepEqual(
    [first?.bid, first?.ask, first?.volume24h, first?.priceChangePercent24h],
    ['3.10', '3.20', '12.30', '5'],
  );
  assert.deepEqual([first?.vwap24h, first?.upstreamTime], [undefined, undefined], 'the year 1 is no time');
});

test('heartbeats confirm a price while the book stands still, and not while it moves unseen (fault row 41)', async () => {
  snapshot();
  ticker();
  for (const sequence of [7, 7]) {
    await clock.advance(1_000);
    beat(sequence);
  }
  assert.equal(channel.tickers.length, 3);
  assert.equal(channel.tickers.at(-1)?.upstreamTime, clock.now());
  for (const sequence of [8, 9, 10]) {
    await clock.advance(1_000);
    beat(sequence);
  }
  assert.equal(channel.tickers.length, 3);
  receive({ type: 'l2update', changes: [['buy', '3.05', '2']], time: time() });
  await clock.advance(1_000);
  beat(11);
  assert.equal(channel.tickers.length, 5);
});

test('a crossed book sends no price and is asked for anew, once in ten seconds', async () => {
  snapshot();
  ticker();
  const before = channel.sent.length;
  for (const bid of ['3.30', '3.31']) receive({ type: 'l2update', changes: [['buy', bid, '2']], time: time() });
  assert.deepEqual(channel.drops, ['crossed']);
  assert.deepEqual(
    channel.sent.slice(before).map((message) => (message as { type: string }).type),
    ['unsubscribe', 'subscribe'],
  );
  await clock.advance(1_000);
  beat(7);
  beat(7);
  assert.equal(channel.tickers.length, 1);
  snapshot('3.30', '3.40');
  assert.equal(channel.tickers.at(-1)?.bid, '3.30');
  for (let second = 0; second < 9; second++) {
    receive({ type: 'l2update', changes: [['buy', '3.50', '2']] });
    await clock.advance(1_000);
  }
  assert.equal(channel.sent.length, before + 2);
});

test('a book of before is no book, and no heartbeat confirms its prices', async () => {
  snapshot();
  ticker();
  const old = new Date(clock.now() - 600_000).toISOString();
  receive({ type: 'snapshot', bids: [['3.00', '1']], asks: [['3.05', '1']], time: old });
  assert.deepEqual(channel.drops, ['late']);
  for (const sequence of [7, 8]) {
    await clock.advance(1_000);
    beat(sequence);
  }
  receive({ type: 'l2update', changes: [['sell', '3.19', '2']], time: time() });
  assert.deepEqual(
    channel.tickers.map(({ bid, ask }) => [bid, ask]),
    [
      ['3.10', '3.20'],
      ['3.10', '3.20'],
      ['3.10', '3.19'],
    ],
  );
});

test('statistics that no trade renews are asked for over REST', async () => {
  snapshot();
  ticker();
  await clock.advance(119_000);
  assert.deepEqual(asked, []);
  await clock.advance(21_000);
  assert.deepEqual(asked, [crv]);
  receive({ type: 'l2update', changes: [['buy', '3.11', '2']], time: time() });
  assert.equal(channel.tickers.at(-1)?.volume24h, '7');
  live.stop();
  assert.equal(clock.pendingTimers, 0);
});

test('a product is subscribed once its book and its ticker are, whatever variant of level2 the answer names', () => {
  const answer = (...names: string[]) =>
    live.received(
      JSON.stringify({ type: 'subscriptions', channels: names.map((name) => ({ name, product_ids: [product_id] })) }),
    );
  answer('ticker', 'heartbeat');
  assert.deepEqual(channel.answered('accepted'), []);
  answer('level2_50', 'ticker', 'heartbeat');
  assert.deepEqual(channel.answered('accepted'), [crv]);
});

test('the error of a single product refuses it', () => {
  live.received('{"type":"error","message":"Failed to subscribe","reason":"CRV-EUR is not a valid product"}');
  assert.deepEqual(channel.answered('rejected'), [crv]);
});

test('the status channel tells states, and a delisted product is no longer confirmed', async () => {
  snapshot();
  ticker();
  const product = (id: string, status: string, changes = {}) => ({ id, status, ...changes });
  const products = [
    product(product_id, 'delisted'),
    product('NEW-EUR', 'online', { post_only: true }),
    product('A-USD', 'online'),
  ];
  live.received(JSON.stringify({ type: 'status', products }));
  const [event] = channel.events.flatMap((event) => (event.type === 'instruments' ? [event] : []));
  assert.deepEqual(event?.pairs, [
    { name: product_id, symbol: crv, isOurs: true, status: 'ended' },
    { name: 'NEW-EUR', symbol: undefined, isOurs: true, status: 'paused' },
    { name: 'A-USD', symbol: undefined, isOurs: false, status: 'trading' },
  ]);
  for (const sequence of [7, 7]) {
    await clock.advance(1_000);
    beat(sequence);
  }
  assert.equal(channel.tickers.length, 1);
});
