import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import type { CurrencyCode, MarketSymbol } from '../../market/symbol.ts';
import { RecordingChannel } from '../live-channel.testing.ts';
import { PairDirectory } from '../market-listing.ts';
import { PacedQueue } from '../pace.ts';
import { recordedFrames } from '../recordings.testing.ts';
import { OkxLive, okxSocket } from './connector.ts';

const btc = 'BTCUSDT' as MarketSymbol;

function opened() {
  const clock = new FakeClock();
  const directory = new PairDirectory();
  directory.add([{ symbol: btc, id: 'BTC-USDT', liveName: 'BTC-USDT' }]);
  const channel = new RecordingChannel();
  const quotes = ['USDT' as CurrencyCode];
  const status = Promise.withResolvers<unknown>();
  const live = new OkxLive({ clock, directory, quotes, traits: okxSocket }, channel, () => status.promise);
  return { clock, channel, live, status };
}

test('a recorded connection gives its spot tickers, the first as a snapshot, and drops what was not asked for by name', () => {
  const { channel, live } = opened();
  live.subscribe([btc]);
  const frames = recordedFrames('okx-ws-2022-05-13.jsonl');
  for (const frame of frames) live.received(frame);
  const spot = frames.filter((text) => text.includes('"instType":"SPOT"'));
  assert.equal(channel.tickers.length, spot.length);
  for (const [index, { bid, ask, last, volume24h }] of channel.tickers.entries()) {
    for (const digits of [`"bidPx":"${bid}"`, `"askPx":"${ask}"`, `"last":"${last}"`, `"vol24h":"${volume24h}"`]) {
      assert.ok(spot[index]?.includes(digits), digits);
    }
  }
  const snapshots = channel.events.filter((event) => event.type === 'ticker' && event.isSnapshot);
  assert.equal(snapshots.length, 1);
  assert.deepEqual(channel.answered('accepted'), [btc]);
  assert.ok(channel.drops.every((reason) => reason === 'unknown_symbol'));
});

test('a frame of a kind that no reader is for is dropped, also one named as a member of every object', () => {
  const { channel, live } = opened();
  for (const kind of ['"of tomorrow"', '"constructor"', '"toString"', '"__proto__"', '5', 'null'])
    live.received(`{"event":${kind}}`);
  assert.deepEqual(channel.drops, new Array(6).fill('unknown_kind'));
});

test('a refusal is of the instrument it names, and one that names none is dropped', () => {
  const { channel, live } = opened();
  live.subscribe([btc]);
  assert.deepEqual(channel.sent, [{ op: 'subscribe', args: [{ channel: 'tickers', instId: 'BTC-USDT' }] }]);
  live.received('{"event":"error","code":"60012","msg":"Invalid request"}');
  live.received(`{"event":"error","code":"60018","msg":"channel:tickers,instId:BTC-USDT doesn't exist","connId":"x"}`);
  assert.deepEqual([channel.answered('rejected'), channel.drops], [[btc], ['unknown_kind']]);
});

test('ping and pong are bare texts, and the upgrade notice announces the end', () => {
  const { channel, live } = opened();
  live.ping();
  assert.deepEqual(channel.sent, ['ping']);
  live.received('pong');
  live.received('{"event":"notice","code":"64000","msg":"Something else"}');
  live.received('{"event":"notice","code":"64008","msg":"The connection will soon be closed","connId":"x"}');
  assert.deepEqual([channel.announced.length, channel.drops], [1, []]);
});

test('states of instruments and maintenance of our services are passed on', () => {
  const { channel, live } = opened();
  live.opened();
  const args = [{ channel: 'instruments', instType: 'SPOT' }, { channel: 'status' }];
  assert.deepEqual(channel.sent, [{ op: 'subscribe', args }]);
  const entry = { instType: 'SPOT', quoteCcy: 'USDT' };
  const data = [
    { ...entry, instId: 'BTC-USDT', state: 'suspend' },
    { ...entry, instId: 'NEW-USDT', state: 'live' },
  ];
  live.received(JSON.stringify({ arg: args[0], data }));
  for (const [serviceType, state] of [
    ['11', 'ongoing'],
    ['1', 'ongoing'],
    ['1', 'completed'],
  ]) {
    live.received(JSON.stringify({ arg: args[1], data: [{ serviceType, state }] }));
  }
  assert.deepEqual(channel.events, [
    {
      type: 'instruments',
      pairs: [
        { name: 'BTC-USDT', symbol: btc, isOurs: true, status: 'ended' },
        { name: 'NEW-USDT', symbol: undefined, isOurs: true, status: 'trading' },
      ],
    },
    { type: 'system', status: 'maintenance', isTrading: false },
    { type: 'system', status: 'maintenance completed', isTrading: true },
  ]);
});

/** The states of the system that an OKX connection reports. */
function systemStates({ events }: RecordingChannel) {
  return events.flatMap((event) => (event.type === 'system' ? [[event.status, event.isTrading]] : []));
}

function push(live: OkxLive, title: string, state: string, more: object = {}): void {
  const data = [{ title, state, serviceType: '5', env: '1', ...more }];
  live.received(JSON.stringify({ arg: { channel: 'status' }, data }));
}

test('of two maintenances the exchange is back when both have ended, and one of paper trading is none', () => {
  const { channel, live } = opened();
  push(live, 'paper', 'ongoing', { env: '2' });
  push(live, 'trading', 'ongoing');
  push(live, 'WebSocket', 'scheduled', { serviceType: '0' });
  push(live, 'WebSocket', 'ongoing', { serviceType: '0' });
  push(live, 'trading', 'completed');
  push(live, 'WebSocket', 'pre_open', { serviceType: '0' });
  push(live, 'WebSocket', 'completed', { serviceType: '0' });
  assert.deepEqual(systemStates(channel), [
    ['maintenance', false],
    ['maintenance', false],
    ['maintenance', false],
    ['maintenance', false],
    ['maintenance pre_open', false],
    ['maintenance completed', true],
  ]);
});

test('a maintenance that is on when the connection opens is asked for, and what was pushed meanwhile is newer', async () => {
  const { channel, live, status } = opened();
  live.opened();
  push(live, 'ended meanwhile', 'completed');
  status.resolve([
    { title: 'ended meanwhile', state: 'ongoing', serviceType: '5' },
    { title: 'planned', state: 'scheduled', serviceType: '5' },
  ]);
  await status.promise;
  await Promise.resolve();
  assert.deepEqual(systemStates(channel), [
    ['maintenance completed', true],
    ['maintenance scheduled', true],
  ]);
  const second = opened();
  second.live.opened();
  second.status.resolve([{ title: 'on', state: 'ongoing', serviceType: '5' }]);
  await second.status.promise;
  await Promise.resolve();
  assert.deepEqual(systemStates(second.channel), [['maintenance', false]]);
});

test('no hour has more than 480 operations, however many are wanted', async () => {
  const clock = new FakeClock();
  const sentAtMs: number[] = [];
  const queue = new PacedQueue(clock, okxSocket.pace);
  for (let index = 0; index < 900; index++) queue.push({ begin: () => void sentAtMs.push(clock.monotonicMs()) });
  await clock.advance(7_200_000);
  for (const fromMs of sentAtMs) {
    assert.ok(sentAtMs.filter((atMs) => atMs >= fromMs && atMs < fromMs + 3_600_000).length <= 480);
  }
});
