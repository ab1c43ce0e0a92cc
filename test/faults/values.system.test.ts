import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KrakenLive, krakenSocket } from '../../src/feed/kraken/live.ts';
import { RecordingChannel } from '../../src/feed/live-channel.testing.ts';
import { PairDirectory } from '../../src/feed/market-listing.ts';
import type { MarketSymbol } from '../../src/market/symbol.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { json, ListenerHarness } from '../support/listener-harness.ts';

/** As they may be in an upstream's JSON. */
const hostile = [
  'null',
  'NaN',
  'Infinity',
  '-Infinity',
  '"NaN"',
  '"Infinity"',
  '"1,5"',
  '""',
  '" 1"',
  '"0x10"',
  '"1_000"',
  'true',
  '[]',
  '{}',
  '[1.5]',
  '-0',
  '0',
  '-1.5',
  '1e99',
  '1e-99',
  `1${'0'.repeat(80)}`,
];
/** Odd to look at, but numbers. */
const odd = ['1e-7', '1e21', '0.00000001', '"1.10"', '1.10e2', '123456789012345678901234567890.123456789'];
const notJson = /^(NaN|-?Infinity)$/;
const required = ['bid', 'ask', 'high', 'low', 'volume'];
const optional = ['vwap', 'change_pct'];

test('whatever the upstream sends for a number, a body holds a plain decimal, or leaves the member or the ticker out (fault row 32)', async (t) => {
  const api = await ListenerHarness.start({ clock: new FakeClock(), limits: { key: 1_000_000 } });
  t.after(() => api.stop());
  const entry = {
    bid: '100.5',
    ask: '100.6',
    last: '100.5',
    high: '101',
    low: '99',
    volume: '3',
    vwap: '100',
    change_pct: '0.5',
  };
  const markets: string[] = [];
  const wanted: { symbol: string; member: string; value: string }[] = [];
  for (const member of [...required, ...optional]) {
    for (const value of [...hostile, ...odd]) {
      const base = `X${wanted.length.toString(36).toUpperCase()}`;
      markets.push(base);
      wanted.push({ symbol: `${base}EUR`, member, value });
    }
  }
  api.list('BTC', ...markets);
  api.tick('BTC', '50000.00', '50010.00');
  for (const { symbol, member, value } of wanted) {
    const values = { symbol: `"${symbol}"`, ...entry, [member]: value };
    const members = Object.entries(values).map(([name, text]) => `"${name}":${text}`);
    deliver(api, symbol, `{"channel":"ticker","type":"update","data":[{${members.join()}}]}`);
  }
  const { tickers } = json<{ tickers: { symbol: string }[] }>(await api.get('/v1/tickers'));
  const served = new Map(tickers.map((ticker) => [ticker.symbol, ticker]));
  assert.ok(served.has('BTCEUR') && served.size > wanted.length / 10);
  for (const { symbol, member, value } of wanted) {
    const response = await api.get(`/v1/ticker?symbol=${symbol}`);
    const about = `${member} = ${value}`;
    assert.equal(response.status, served.has(symbol) ? 200 : 503, about);
    if (response.status === 200)
      assert.doesNotMatch(response.body.toString(), /null|NaN|Infinity|""|\de[+-]?\d|"-0/, about);
    if (optional.includes(member) && !notJson.test(value)) assert.equal(response.status, 200, about);
    if (required.includes(member) && ['null', 'NaN', '"1,5"', '""', '{}'].includes(value)) {
      assert.equal(response.status, 503, about);
    }
  }
});

/** As the feed does: a frame that is no JSON is dropped whole. */
function deliver(api: ListenerHarness, symbol: string, text: string): void {
  const directory = new PairDirectory();
  directory.add([{ symbol: symbol as MarketSymbol, id: symbol, liveName: symbol }]);
  const channel = new RecordingChannel();
  const live = new KrakenLive({ clock: api.clock, directory, quotes: [], traits: krakenSocket }, channel);
  try {
    live.received(text);
  } catch {
    return;
  }
  assert.equal(channel.tickers.length, 1);
  for (const ticker of channel.tickers) api.markets.tickerReceived(ticker);
}

test('both forms of every point in time are one instant with three digits of milliseconds, in any year (fault row 33)', async (t) => {
  const instants = [
    '1970-01-01T00:00:00.000Z',
    '1970-01-01T00:00:00.001Z',
    '1999-12-31T23:59:59.999Z',
    '2000-02-29T12:00:00.010Z',
    '2038-01-19T03:14:07.000Z',
    '2038-01-19T03:14:08.100Z',
    '9999-12-31T23:58:59.999Z',
  ];
  for (const instant of instants) {
    const clock = new FakeClock(instant);
    const api = await ListenerHarness.start({ clock });
    t.after(() => api.stop());
    const now = clock.now();
    const never = json(await api.get('/v1/status'));
    assert.deepEqual([never.lastUpdatedAt, never.lastUpdatedAtMs], [null, null]);
    api.list('BTC');
    api.tick('BTC', '50000.00', '50010.00');
    const from = clock.now();
    api.service.setWindows([{ from, to: (from + 1) as typeof from, description: 'x' }]);
    const { maintenance, ...status } = json(await api.get('/v1/status'));
    assert.deepEqual([status.lastUpdatedAt, status.lastUpdatedAtMs], [instant, now]);
    assert.deepEqual([status.serverTime, status.serverTimeMs], [instant, now]);
    const { from: shown, fromMs } = maintenance as Record<string, unknown>;
    assert.deepEqual([shown, fromMs], [instant, now]);
    api.service.setWindows([]);
    assert.deepEqual(json(await api.get('/v1/time')), { serverTime: instant, serverTimeMs: now });
    const ticker = json(await api.get('/v1/ticker?symbol=BTCEUR'));
    assert.deepEqual([ticker.timestamp, ticker.timestampMs], [instant, now]);
  }
});
