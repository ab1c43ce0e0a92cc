import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { soon } from '../../../test/support/eventually.ts';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { parseDecimal } from '../../market/decimal.ts';
import type { CurrencyCode } from '../../market/symbol.ts';
import type { UpstreamTicker } from '../../market/upstream.ts';
import { connectorOptions } from '../connector.testing.ts';
import type { LiveEvent } from '../connector.ts';
import { ScriptedExchange } from '../scripted-exchange.testing.ts';
import { asList, asObject, parseLossless } from '../wire.ts';
import { KrakenConnector } from './connector.ts';

const recordings = new URL('../../../exchange-simulator/recordings/', import.meta.url);
const readLines = (file: string) => readFileSync(new URL(file, recordings), 'utf8').trim().split('\n');

test('recorded version-2 frames come through the connector digit for digit', async () => {
  const lines = readLines('ws-v2-ticker-2026-09-24.jsonl').filter((line) => line.startsWith('{"direction":"in"'));
  const frames = lines.map((line) => /^\{"direction":"in","frame":(.*)\}$/.exec(line)?.[1] ?? '');
  const exchange = new ScriptedExchange();
  await exchange.listen();
  const pair = { wsname: 'USDT/USD', base: 'USDT', quote: 'ZUSD', pair_decimals: 5, lot_decimals: 8, ordermin: '5' };
  exchange.rest = (call) =>
    call === 'AssetPairs' ? { body: JSON.stringify({ error: [], result: { USDTZUSD: pair } }) } : undefined;
  const clock = new FakeClock('2026-09-24T03:54:33.000Z');
  const { restUrl, liveUrl } = exchange;
  const connector = new KrakenConnector(connectorOptions({ clock, restUrl, liveUrl, quotes: ['USD' as CurrencyCode] }));
  await connector.loadCatalogue(new AbortController().signal);
  const events: LiveEvent[] = [];
  const connection = connector.openLive((event) => events.push(event));
  await soon('the connection is open', () => events.some((event) => event.type === 'opened'));
  for (const frame of frames) exchange.peer.send(frame);
  await soon('every frame arrived', () => events.filter((event) => event.type === 'frame').length === frames.length);
  connection.terminate();
  await exchange.close();

  assert.deepEqual(
    events.filter((event) => event.type === 'dropped'),
    [],
  );
  assert.deepEqual(
    events.find((event) => event.type === 'system'),
    { type: 'system', status: 'online', isTrading: true },
  );
  const ticker = events.find((event) => event.type === 'ticker');
  assert.equal(ticker?.isSnapshot, true);
  const expected: UpstreamTicker = {
    symbol: 'USDTUSD' as UpstreamTicker['symbol'],
    bid: decimal('0.99980'),
    ask: decimal('0.99981'),
    last: decimal('0.99981'),
    high24h: decimal('1.00000'),
    low24h: decimal('0.99959'),
    volume24h: decimal('270638277.50461281'),
    vwap24h: decimal('0.99983'),
    priceChangePercent24h: decimal('0.01'),
    path: 'live',
    upstreamTime: Date.parse('2026-09-24T03:54:18.054Z') as UpstreamTicker['askedAt'],
    askedAt: clock.now(),
    receivedAt: clock.now(),
  };
  assert.deepEqual(ticker?.tickers, [expected]);
});

test('the recorded answers to a subscription accept one symbol and refuse the other', async () => {
  const exchange = new ScriptedExchange();
  await exchange.listen();
  exchange.judge = () => 'ignore';
  const pair = { quote: 'ZUSD', pair_decimals: 5, lot_decimals: 8, ordermin: '5' };
  const pairs = {
    USDTZUSD: { ...pair, wsname: 'USDT/USD', base: 'USDT' },
    NOPEUSD: { ...pair, wsname: 'NOPE/USD', base: 'NOPE' },
  };
  exchange.rest = (call) =>
    call === 'AssetPairs' ? { body: JSON.stringify({ error: [], result: pairs }) } : undefined;
  const { restUrl, liveUrl } = exchange;
  const connector = new KrakenConnector(connectorOptions({ restUrl, liveUrl, quotes: ['USD' as CurrencyCode] }));
  const { markets } = await connector.loadCatalogue(new AbortController().signal);
  const events: LiveEvent[] = [];
  const connection = connector.openLive((event) => events.push(event));
  await soon('the connection is open', () => events.some((event) => event.type === 'opened'));
  connection.subscribe(markets.map(({ symbol }) => symbol));
  await soon('the request', () => exchange.peer.received.some(({ params }) => channelOf(params) === 'ticker'));
  const recorded = readLines('ws-v2-ticker-2026-09-24.jsonl').map((line) => asObject(parseLossless(line)) ?? {});
  const sent = exchange.peer.received.find(({ params }) => channelOf(params) === 'ticker');
  const asked = recorded.find(({ direction }) => direction === 'out')?.frame;
  assert.deepEqual(Object.keys(asObject(asked) ?? {}), ['method', 'params']);
  assert.equal(sent?.method, asObject(asked)?.method);
  for (const line of readLines('ws-v2-ticker-2026-09-24.jsonl')) {
    const frame = /^\{"direction":"in","frame":(.*"method":"subscribe".*)\}$/.exec(line)?.[1];
    if (frame !== undefined) exchange.peer.send(frame);
  }
  await soon(
    'both answers',
    () => events.filter(({ type }) => type === 'accepted' || type === 'rejected').length === 2,
  );
  connection.terminate();
  await exchange.close();
  assert.deepEqual(
    events.flatMap((event) => (event.type === 'accepted' || event.type === 'rejected' ? [event] : [])),
    [
      { type: 'accepted', symbol: 'USDTUSD' },
      { type: 'rejected', symbol: 'NOPEUSD', reason: 'refused' },
    ],
  );
});

test('recorded values of ten pairs of the recorded catalogue, polled over REST, come out digit for digit', async () => {
  const catalogue = readLines('asset-pairs-2021-04-17.json').join('');
  const listed = Object.entries(asObject(asObject(JSON.parse(catalogue))?.result) ?? {});
  const frames = readLines('ws-v1-ticker-2021-04-17.jsonl').map((line) => asObject(JSON.parse(line))?.frame);
  const recorded = frames.flatMap((frame) => {
    const [, values, channel, name] = asList(frame) ?? [];
    const id = listed.find(([, pair]) => asObject(pair)?.wsname === name)?.[0];
    return channel === 'ticker' && id !== undefined ? [{ id, values: asObject(values) ?? {} }] : [];
  });
  assert.ok(recorded.length >= 10);
  const exchange = new ScriptedExchange();
  await exchange.listen();
  const clock = new FakeClock();
  let current: object = {};
  exchange.rest = (call) => {
    if (call === 'AssetPairs') return { body: catalogue };
    return { body: JSON.stringify({ error: [], result: call === 'Ticker' ? current : {} }) };
  };
  const { restUrl, liveUrl } = exchange;
  const quotes = ['EUR', 'USD', 'BTC', 'ETH', 'CHF'] as CurrencyCode[];
  const connector = new KrakenConnector(connectorOptions({ clock, restUrl, liveUrl, quotes }));
  const never = new AbortController().signal;
  const { markets } = await connector.loadCatalogue(never);
  const symbols = markets.map(({ symbol }) => symbol);
  for (const { id, values } of recorded) {
    current = { [id]: values };
    await clock.advance(1_000);
    const [ticker, ...others] = await connector.pollTickers(symbols, never);
    const wire = (member: string, index: number) => asList(values[member])?.[index];
    assert.deepEqual(
      [ticker?.bid, ticker?.ask, ticker?.last, ticker?.volume24h, ticker?.vwap24h, ticker?.low24h, ticker?.high24h],
      [wire('b', 0), wire('a', 0), wire('c', 0), wire('v', 1), wire('p', 1), wire('l', 1), wire('h', 1)],
    );
    assert.deepEqual(others, []);
  }
  await exchange.close();
});

test('every recorded decimal is read as it is', () => {
  const texts =
    readLines('ws-v1-ticker-2021-04-17.jsonl')
      .join('\n')
      .match(/"-?\d+\.\d+"/g) ?? [];
  assert.ok(texts.length > 100);
  for (const quoted of texts) assert.equal(parseDecimal(quoted.slice(1, -1)), quoted.slice(1, -1));
});

function channelOf(params: unknown): unknown {
  return asObject(params)?.channel;
}

function decimal(text: string) {
  const parsed = parseDecimal(text);
  assert.equal(parsed, text);
  return parsed;
}
