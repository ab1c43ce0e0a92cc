import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochMs } from '../ground/clock.ts';
import type { DecimalString } from '../market/decimal.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import type { UpstreamTicker } from '../market/upstream.ts';
import { defaultTiming } from './parts.ts';
import { SubscriptionStates } from './subscription-states.ts';

const btc = 'BTCEUR' as MarketSymbol;
const ada = 'ADAEUR' as MarketSymbol;
const whole = { isEvidence: true, lacking: 0, delisted: [] };

function ticker(path: 'live' | 'fallback', bid: string, askedAtMs: number): UpstreamTicker {
  const at = askedAtMs as EpochMs;
  return { symbol: btc, bid, ask: '9' as DecimalString, path, askedAt: at, receivedAt: at } as UpstreamTicker;
}

function subscribedBook(): SubscriptionStates {
  const book = new SubscriptionStates(defaultTiming);
  book.catalogueLoaded([btc], whole);
  book.takeUnsubscribed(0);
  book.accepted(btc);
  book.liveArrived(ticker('live', '1.10', 1_000), false, undefined, 1_000);
  return book;
}

test('a poll that shows another price than the last live one casts doubt on it', () => {
  const book = subscribedBook();
  assert.equal(book.polled(ticker('fallback', '1.20', 2_000), 2_000), true);
  assert.deepEqual(book.takeDoubted([btc], 3_000), [btc]);
});

test('live data that came after the poll was asked leaves nothing to doubt', () => {
  const book = subscribedBook();
  assert.equal(book.polled(ticker('fallback', '1.20', 1_000), 2_000), false);
  assert.equal(book.polled(ticker('fallback', '1.20', 999), 2_000), false);
  assert.deepEqual(book.takeDoubted([btc], 3_000), []);
});

test('live data that comes within the grace ends the doubt', () => {
  const book = subscribedBook();
  book.polled(ticker('fallback', '1.20', 2_000), 2_000);
  book.liveArrived(ticker('live', '1.20', 2_100), false, undefined, 2_100);
  assert.deepEqual(book.takeDoubted([btc], 3_000), []);
});

test('prices are compared by value, not by spelling', () => {
  const book = subscribedBook();
  assert.equal(book.polled(ticker('fallback', '1.1000', 2_000), 2_000), false);
});

test('a subscription is renewed once a minute at most, however long the doubt lasts (fault row 44)', () => {
  const book = subscribedBook();
  book.polled(ticker('fallback', '1.20', 2_000), 2_000);
  assert.deepEqual(book.takeDoubted([btc], 3_000), [btc]);
  assert.deepEqual(book.takeDoubted([btc], 62_999), []);
  assert.deepEqual(book.takeDoubted([btc], 63_000), [btc]);
});

test('a frame out of order proves nothing; one refused for its values proves the connection and not the price', () => {
  const book = new SubscriptionStates(defaultTiming);
  book.catalogueLoaded([btc, ada], whole);
  book.takeUnsubscribed(0);
  const ofAda = { ...ticker('live', '1.10', 1_000), symbol: ada };
  assert.equal(book.liveArrived(ofAda, false, undefined, 1_000), true);
  assert.equal(book.liveArrived(ticker('live', '1.10', 1_000), false, 'out_of_order', 1_000), false);
  assert.equal(book.isCovered(1_000), false);
  assert.equal(book.liveArrived(ticker('live', '1.10', 1_000), false, 'crossed', 1_000), false);
  assert.equal(book.isCovered(1_000), true);
  assert.deepEqual(book.toPoll(1_000), [btc]);
  assert.equal(book.liveArrived(ticker('live', '1.10', 1_000), false, 'unknown_market', 1_000), true);
  assert.deepEqual(book.toPoll(1_000), []);
});

test('snapshots alone do not cover the symbols: one update has to follow, on every connection', () => {
  const book = new SubscriptionStates(defaultTiming);
  book.catalogueLoaded([btc], whole);
  book.takeUnsubscribed(0);
  for (let connection = 0; connection < 2; connection++) {
    book.liveArrived(ticker('live', '1.10', 1_000), true, undefined, 1_000);
    assert.equal(book.isCovered(1_000), false);
    book.liveArrived(ticker('live', '1.10', 1_000), false, undefined, 1_000);
    assert.equal(book.isCovered(1_000), true);
    book.connectionEnded();
  }
});

test('silent symbols hold the live path back for ten seconds alone, in a catalogue of any size (fault row 64)', () => {
  for (const [size, silent] of [
    [2, 1],
    [3, 1],
    [3, 2],
    [7, 1],
    [7, 6],
    [700, 71],
    [700, 699],
  ] as const) {
    const book = new SubscriptionStates(defaultTiming);
    const symbols = Array.from({ length: size }, (_, index) => `C${index}EUR` as MarketSymbol);
    book.catalogueLoaded(symbols, whole);
    book.takeUnsubscribed(1_000);
    const arrive = (symbol: MarketSymbol) =>
      book.liveArrived({ ...ticker('live', '1.10', 1_000), symbol }, false, undefined, 1_000);
    assert.equal(book.isCovered(60_000), false, 'nothing came');
    for (const symbol of symbols.slice(silent)) arrive(symbol);
    assert.equal(book.isCovered(10_999), false, `${silent} silent of ${size}`);
    assert.equal(book.isCovered(11_000), true, `${silent} silent of ${size}`);
    assert.equal(book.toPoll(11_000).length >= silent, true, 'those are asked over REST');
    book.connectionEnded();
    book.takeUnsubscribed(60_000);
    for (const symbol of symbols.slice(silent)) arrive(symbol);
    assert.equal(book.isCovered(69_999), false, 'each connection waits anew');
  }
});

test('a symbol is served live while subscribed and not doubted for long, though nothing moves, and over polls otherwise', () => {
  const book = new SubscriptionStates(defaultTiming);
  book.catalogueLoaded([btc], whole);
  book.takeUnsubscribed(0);
  assert.equal(book.isLive(btc, 0), false);
  book.liveArrived(ticker('live', '1.10', 1_000), true, undefined, 1_000);
  assert.equal(book.isLive(btc, 3_600_000), true, 'a quiet market');
  book.polled(ticker('fallback', '1.20', 5_000), 5_000);
  assert.equal(book.isLive(btc, 6_999), true, 'a race between a poll and the live connection');
  assert.equal(book.isLive(btc, 7_000), false);
  book.pollTaken(btc, 7_000);
  assert.deepEqual([book.isPolled(btc, 21_999), book.isPolled(btc, 22_000)], [true, false]);
  book.liveArrived(ticker('live', '1.20', 8_000), false, undefined, 8_000);
  assert.equal(book.isLive(btc, 8_000), true);
  book.liveArrived(ticker('live', '1.30', 9_000), false, 'crossed', 9_000);
  assert.deepEqual([book.isLive(btc, 10_999), book.isLive(btc, 11_000)], [true, false], 'refused for two seconds');
  book.rejected(btc, 'refused', 12_000);
  assert.equal(book.isLive(btc, 12_000), false);
});

test('a symbol is heard once a good price came over the connection there is, or a poll confirmed the last', () => {
  const book = subscribedBook();
  assert.deepEqual([book.isHeard(btc), book.isHeard(ada)], [true, false]);
  for (const [next, atMs] of [
    ['live', 5_000],
    ['fallback', 10_000],
  ] as const) {
    book.connectionEnded();
    assert.equal(book.isHeard(btc), false);
    book.takeUnsubscribed(atMs);
    book.liveArrived(ticker('live', '1.30', atMs), true, 'crossed', atMs);
    assert.deepEqual([book.isLive(btc, atMs), book.isHeard(btc)], [true, false]);
    const good = ticker(next, '1.10', atMs + 1);
    if (next === 'live') book.liveArrived(good, false, undefined, atMs + 1);
    else book.polled(good, atMs + 1);
    assert.equal(book.isHeard(btc), true, next);
  }
});

test('a symbol missing from two complete loads is neither polled nor waited for, and a ticker or a listing ends that', () => {
  const book = new SubscriptionStates(defaultTiming);
  book.catalogueLoaded([btc, ada], whole);
  book.catalogueLoaded([ada], whole);
  book.catalogueLoaded([ada], { ...whole, isEvidence: false });
  assert.deepEqual([book.expected, book.toPoll(1_000)], [2, [btc, ada]]);
  book.catalogueLoaded([ada], whole);
  assert.deepEqual([book.expected, book.toPoll(1_000)], [1, [ada]]);
  book.liveArrived(ticker('live', '1.10', 1_000), false, undefined, 1_000);
  assert.deepEqual([book.expected, book.toPoll(60_000)], [2, [btc, ada]]);
  for (let load = 0; load < 2; load++) book.catalogueLoaded([ada], whole);
  book.catalogueLoaded([btc, ada], whole);
  assert.deepEqual([book.expected, book.toPoll(60_000)], [2, [btc, ada]]);
});

test('a delisted symbol is dropped, whether or not the exchange lists it still', () => {
  const book = new SubscriptionStates(defaultTiming);
  book.catalogueLoaded([btc, ada], whole);
  assert.deepEqual(book.catalogueLoaded([btc, ada], { ...whole, delisted: [btc] }), [btc]);
  assert.deepEqual(book.catalogueLoaded([btc, ada], { ...whole, delisted: [btc] }), []);
  assert.deepEqual(book.symbols, [ada]);
});

test('a market is quiet while its subscription stands and nothing ever came over it (fault row 92)', () => {
  const book = new SubscriptionStates(defaultTiming);
  book.catalogueLoaded([btc], whole);
  assert.equal(book.isQuiet(btc), false, 'not subscribed');
  assert.equal(book.isQuiet(ada), false, 'not known');
  book.takeUnsubscribed(0);
  assert.equal(book.isQuiet(btc), true);
  book.polled(ticker('fallback', '1.20', 1_000), 1_000);
  assert.equal(book.isQuiet(btc), true, 'REST alone knows a price');
  book.accepted(btc);
  assert.equal(book.isQuiet(btc), true);
  for (const refusal of ['refused', 'unanswered'] as const) {
    book.rejected(btc, refusal, 2_000);
    assert.equal(book.isQuiet(btc), false, refusal);
  }
  book.connectionEnded();
  assert.equal(book.isQuiet(btc), false, 'not subscribed on the next connection');
  book.takeUnsubscribed(400_000);
  assert.equal(book.isQuiet(btc), true);
  book.liveArrived(ticker('live', '1.10', 1_000), false, 'crossed', 401_000);
  assert.equal(book.isQuiet(btc), false, 'it is not quiet, it sends what cannot be taken');
  assert.equal(subscribedBook().isQuiet(btc), false);
});
