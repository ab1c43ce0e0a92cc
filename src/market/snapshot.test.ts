import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MarketBook } from './market-book.ts';
import {
  after,
  conversionRate,
  decimal,
  everyEuroMarket,
  polledTicker,
  pricingPolicy,
  start,
  symbol,
  upstreamMarket,
  upstreamTicker,
} from './samples.testing.ts';
import { type MarketSnapshot, readSnapshot, writeSnapshot } from './snapshot.ts';

function snapshotOfBook(): MarketSnapshot {
  const book = new MarketBook(pricingPolicy(), everyEuroMarket);
  book.catalogueLoaded([upstreamMarket('BTC'), upstreamMarket('ETH')], start);
  book.tickerReceived(upstreamTicker({ volume24h: decimal('270638277.50461280') }));
  const bare = { last: undefined, vwap24h: undefined };
  book.tickerReceived(polledTicker({ symbol: symbol('ETHEUR'), ...bare }));
  book.referencePricesChanged(symbol('BTCEUR'), {
    price1hAgo: decimal('84000.10'),
    price24hAgo: undefined,
    price7dAgo: decimal('80000'),
    recordedFor: start,
  });
  book.rateRefreshed(conversionRate());
  return { contents: book.contents(), lastUpdatedAt: after(start, 5), listed: book.catalogue.listedBySource() };
}

test('a snapshot is read as it was written, to the last digit and millisecond', () => {
  const snapshot = snapshotOfBook();
  assert.deepEqual(readSnapshot(writeSnapshot(snapshot)), snapshot);
});

test('an empty snapshot is a snapshot', () => {
  const nothing = {
    contents: { tickers: new Map(), references: new Map(), rates: new Map() },
    lastUpdatedAt: undefined,
    listed: [],
  };
  assert.deepEqual(readSnapshot(writeSnapshot(nothing)), nothing);
  const dateless = conversionRate({ fixingDate: undefined });
  const some = { ...nothing, contents: { ...nothing.contents, rates: new Map([[dateless.quote, dateless]]) } };
  assert.deepEqual(readSnapshot(writeSnapshot(some)), some);
});

test('a text that is not a snapshot gives undefined and no error', () => {
  const texts = ['', ' ', 'null', 'true', '1', '"text"', '[]', '{}', '{"format":2}', 'not json', '{"format":2,', '\0'];
  for (const text of texts) assert.equal(readSnapshot(text), undefined, JSON.stringify(text));
});

test('a snapshot of another format is not read', () => {
  const written = JSON.parse(writeSnapshot(snapshotOfBook()));
  for (const format of [1, 3, '1', null, undefined]) {
    assert.equal(readSnapshot(JSON.stringify({ ...written, format })), undefined);
  }
});

test('a snapshot truncated at any place is not read', () => {
  const text = writeSnapshot(snapshotOfBook());
  for (let length = 0; length < text.length; length++) assert.equal(readSnapshot(text.slice(0, length)), undefined);
});

test('a snapshot with one value of a wrong type is not read: no such value reaches a price', () => {
  const wrongs: [path: readonly (string | number)[], value: unknown][] = [
    [['lastUpdatedAt'], 'yesterday'],
    [['lastUpdatedAt'], 1.5],
    [['tickers'], {}],
    [['tickers'], [null]],
    [['tickers'], [1]],
    [['tickers', 0], []],
    [['tickers', 0, 0], 7],
    [['tickers', 0, 1], null],
    [['tickers', 0, 1], []],
    [['tickers', 0, 1, 'bid'], 84209.9],
    [['tickers', 0, 1, 'bid'], undefined],
    [['tickers', 0, 1, 'ask'], 'NaN'],
    [['tickers', 0, 1, 'vwap24h'], null],
    [['tickers', 0, 1, 'high24h'], ''],
    [['tickers', 0, 1, 'capturedAt'], null],
    [['tickers', 0, 1, 'liveReceivedAt'], '1'],
    [['references', 0, 1, 'price1hAgo'], 1],
    [['references'], null],
    [['rates', 0, 1, 'mid'], '1,5'],
    [['rates', 0, 1, 'source'], undefined],
    [['rates', 0, 1, 'refreshedAt'], Number.NaN],
    [['rates', 0, 1, 'fixingDate'], 20261120],
    [['rates'], undefined],
  ];
  for (const [path, value] of wrongs) {
    const written = JSON.parse(writeSnapshot(snapshotOfBook()));
    let holder = written;
    for (const step of path.slice(0, -1)) holder = holder[step];
    holder[path.at(-1)!] = value;
    assert.equal(readSnapshot(JSON.stringify(written)), undefined, `${path.join('.')} ${JSON.stringify(value)}`);
  }
});
