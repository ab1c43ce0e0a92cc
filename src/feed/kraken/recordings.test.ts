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
import { PairDirectory } from '../pair-directory.ts';
import { ScriptedExchange } from '../scripted-exchange.testing.ts';
import { asList, asObject } from '../wire.ts';
import { KrakenConnector } from './connector.ts';
import { readPolledTickers } from './prices.ts';

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
    { type: 'system', status: 'online' },
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

test('recorded values of ten pairs, taken as a REST answer, come out digit for digit', () => {
  const frames = readLines('ws-v1-ticker-2021-04-17.jsonl').map((line) => asObject(JSON.parse(line))?.frame);
  const tickers = frames.flatMap((frame) => {
    const [, values, channel, pair] = asList(frame) ?? [];
    return channel === 'ticker' ? [{ values: asObject(values) ?? {}, pair: String(pair) }] : [];
  });
  assert.ok(tickers.length >= 10);
  const at = { askedAt: new FakeClock().now(), receivedAt: new FakeClock().now() };
  let compared = 0;
  for (const { values, pair } of tickers) {
    const directory = new PairDirectory();
    directory.learn([{ symbol: 'X' as UpstreamTicker['symbol'], id: pair, liveName: pair }]);
    const [ticker] = readPolledTickers({ result: { [pair]: values }, ...at }, directory);
    const wire = (member: string, index: number) => asList(values[member])?.[index];
    assert.deepEqual(
      [ticker?.bid, ticker?.ask, ticker?.last, ticker?.volume24h, ticker?.vwap24h, ticker?.low24h, ticker?.high24h],
      [wire('b', 0), wire('a', 0), wire('c', 0), wire('v', 1), wire('p', 1), wire('l', 1), wire('h', 1)],
    );
    compared++;
  }
  assert.equal(compared, tickers.length);
});

test('every recorded decimal is read as it is', () => {
  const texts =
    readLines('ws-v1-ticker-2021-04-17.jsonl')
      .join('\n')
      .match(/"-?\d+\.\d+"/g) ?? [];
  assert.ok(texts.length > 100);
  for (const quoted of texts) assert.equal(parseDecimal(quoted.slice(1, -1)), quoted.slice(1, -1));
});

function decimal(text: string) {
  const parsed = parseDecimal(text);
  assert.equal(parsed, text);
  return parsed;
}
