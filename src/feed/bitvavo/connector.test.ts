import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import type { CurrencyCode, MarketSymbol } from '../../market/symbol.ts';
import { connectorOptions } from '../connector.testing.ts';
import { RecordingChannel } from '../live-channel.testing.ts';
import { PairDirectory, selectMarkets } from '../market-listing.ts';
import { ScriptedExchange } from '../scripted-exchange.testing.ts';
import { BitvavoConnector, BitvavoLive, bitvavoSocket, readMarkets, readTicker } from './connector.ts';

const clock = new FakeClock('2026-08-13T10:00:00.000Z');
const btc = 'BTCEUR' as MarketSymbol;
const market = {
  market: 'BTC-EUR',
  status: 'trading',
  base: 'BTC',
  quote: 'EUR',
  tickSize: '1.00',
  minOrderInBaseAsset: '0.00006100',
  minOrderInQuoteAsset: '5.00',
  quantityDecimals: 8,
};
/** An entry as the documentation of a client shows it. */
const entry = {
  market: 'BTC-EUR',
  timestamp: 1786614374241,
  open: '55460',
  high: '55786',
  low: '54812',
  last: '55198',
  bid: '55198',
  ask: '55199',
  volume: '323.92364868',
  volumeQuote: '17907505.51',
};
const read = (changes: object) =>
  selectMarkets(readMarkets([{ ...market, ...changes }]), { quotes: ['EUR' as CurrencyCode], symbols: 'all' });

test('a market has the tick, the places and the minimums of its listing, in their shortest form', () => {
  assert.deepEqual(read({}).markets, [
    {
      symbol: 'BTCEUR',
      base: 'BTC',
      quote: 'EUR',
      status: 'trading',
      pricePrecision: 0,
      amountPrecision: 8,
      tickSize: '1',
      minOrderSize: '0.000061',
      minOrderValue: '5',
    },
  ]);
  for (const status of ['halted', 'auction', 'auctionMatching', 'cancelOnly', 'new']) {
    assert.equal(read({ status }).markets[0]?.status, 'paused');
  }
});

test('a market that lacks what it needs is skipped with the reason', () => {
  for (const member of ['tickSize', 'quantityDecimals', 'minOrderInBaseAsset']) {
    assert.match(read({ [member]: undefined }).skipped[0]?.reason ?? '', new RegExp(`^${member} is missing`));
  }
});

test('average and change are derived from the volumes and prices of the same 24 hours, and absent where one is missing', () => {
  const ticker = readTicker(entry);
  assert.equal(ticker.vwap24h?.slice(0, 9), '55283.106');
  assert.equal(ticker.priceChangePercent24h?.slice(0, 8), '-0.47241');
  assert.deepEqual([ticker.bid, ticker.volume24h, ticker.upstreamTime], ['55198', '323.92364868', 1786614374241]);
  const empty = readTicker({ ...entry, open: null, bid: null, volumeQuote: null, timestamp: null });
  assert.deepEqual(
    [empty.bid, empty.vwap24h, empty.priceChangePercent24h, empty.upstreamTime],
    [undefined, undefined, undefined, undefined],
  );
});

test('an error about our rate refuses no market: the request is made again; one about a market refuses it', async () => {
  const channel = new RecordingChannel();
  const directory = new PairDirectory();
  directory.add([{ symbol: btc, id: 'BTC-EUR', liveName: 'BTC-EUR' }]);
  const live = new BitvavoLive({ clock, directory, quotes: [], traits: bitvavoSocket }, channel);
  live.subscribe([btc]);
  live.received('{"event":"error","errorCode":110,"error":"Rate limit"}');
  assert.deepEqual([channel.answered('rejected'), channel.sent.length], [[], 1]);
  await clock.advance(5_000);
  assert.equal(channel.sent.length, 2);
  live.received('{"event":"error","errorCode":205,"error":"Invalid parameter: market"}');
  assert.deepEqual(channel.answered('rejected'), [btc]);
  live.stop();
});

test('an address that is shut out waits until its points are counted anew', async () => {
  const exchange = new ScriptedExchange();
  await exchange.listen();
  const headers = { 'bitvavo-ratelimit-resetat': String(clock.now() + 42_000) };
  exchange.rest = () => ({ status: 429, headers, body: '{"errorCode":110}' });
  const { restUrl, liveUrl } = exchange;
  const connector = new BitvavoConnector(connectorOptions({ clock, restUrl, liveUrl }));
  const never = new AbortController().signal;
  await assert.rejects(() => connector.loadCatalogue(never), { kind: 'rate_limited', retryAfterMs: 42_000 });
  await exchange.close();
});
