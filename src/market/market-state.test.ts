import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MarketState, readState, writeState } from './market-state.ts';
import { Markets } from './markets.ts';
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

function stateOfBook(): MarketState {
  const markets = new Markets(pricingPolicy(), everyEuroMarket);
  markets.catalogueLoaded([upstreamMarket('BTC'), upstreamMarket('ETH')], start);
  markets.tickerReceived(upstreamTicker({ volume24h: decimal('270638277.50461280') }));
  const bare = { last: undefined, vwap24h: undefined };
  markets.tickerReceived(polledTicker({ symbol: symbol('ETHEUR'), ...bare }));
  markets.referencePricesChanged(symbol('BTCEUR'), {
    price1hAgo: decimal('84000.10'),
    price24hAgo: undefined,
    price7dAgo: decimal('80000'),
    recordedFor: start,
  });
  markets.rateRefreshed(conversionRate({ mid: decimal('24.500'), fixingDate: undefined }));
  return { ...markets.contents(), lastUpdatedAt: after(start, 5), listed: markets.catalogue.listedBySource() };
}

/** Lists for maps, without what is `undefined`. */
function plain({ tickers, references, rates, ...others }: MarketState): unknown {
  const entries = { tickers: [...tickers], references: [...references], rates: [...rates] };
  return JSON.parse(JSON.stringify({ held: [], beliefs: [], ...others, ...entries }));
}

test('a state is read as it was written, to the last digit and millisecond', () => {
  const state = stateOfBook();
  const { format: _format, ...read } = readState(writeState(state)) as MarketState & { format: number };
  assert.deepEqual(plain(read), plain(state));
  assert.match(JSON.stringify(read), /"volume24h":"270638277\.50461280".*"price1hAgo":"84000\.10".*"mid":"24\.500"/);
});

test('an empty state is a state', () => {
  const nothing = { tickers: new Map(), references: new Map(), rates: new Map() };
  assert.deepEqual([...readState(writeState(nothing))!.tickers], []);
});

test('what was saved by the release before is read', () => {
  const saved = JSON.parse(writeState(stateOfBook()));
  delete saved.held;
  delete saved.peerMemories;
  delete saved.beliefs;
  assert.equal([...readState(JSON.stringify({ ...saved, format: 2 }))!.tickers].length, 2);
});

test('a text that is not a state gives undefined and no error', () => {
  const texts = ['', ' ', 'null', 'true', '1', '"text"', '[]', '{}', '{"format":2}', 'not json', '{"format":2,', '\0'];
  const events = '{"format":2,"events":[]}';
  for (const text of [...texts, events]) assert.equal(readState(text), undefined, JSON.stringify(text));
});

test('a state of another format is not read', () => {
  const written = JSON.parse(writeState(stateOfBook()));
  for (const format of [1, 3, 6, '2', null, undefined]) {
    assert.equal(readState(JSON.stringify({ ...written, format })), undefined);
  }
});

test('a state truncated at any place is not read', () => {
  const text = writeState(stateOfBook());
  for (let length = 0; length < text.length; length++) assert.equal(readState(text.slice(0, length)), undefined);
});

test('a state with one value of a wrong type is not read: no such value reaches a price', () => {
  const wrongs: [path: readonly (string | number)[], value: unknown][] = [
    [['lastUpdatedAt'], 'yesterday'],
    [['lastUpdatedAt'], 1.5],
    [['tickers'], {}],
    [['tickers'], [null]],
    [['tickers', 0], []],
    [['tickers', 0, 0], 7],
    [['tickers', 0, 1], null],
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
    const written = JSON.parse(writeState(stateOfBook()));
    let holder = written;
    for (const step of path.slice(0, -1)) holder = holder[step];
    holder[path.at(-1)!] = value;
    assert.equal(readState(JSON.stringify(written)), undefined, `${path.join('.')} ${JSON.stringify(value)}`);
  }
});
