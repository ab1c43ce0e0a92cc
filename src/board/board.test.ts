import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochMs } from '../ground/clock.ts';
import { Markets } from '../market/markets.ts';
import {
  after,
  conversionRate,
  dayMs,
  decimal,
  everyEuroMarket,
  hourMs,
  pricingPolicy,
  start,
  symbol,
  upstreamMarket,
  upstreamTicker,
} from '../market/samples.testing.ts';
import { Board, type TickerReading } from './board.ts';
import { contentEncodings, textOf } from './decoded.testing.ts';
import type { Page } from './page.ts';

const markets = [upstreamMarket('ETH'), upstreamMarket('BTC')];

/** BTC and ETH in EUR and CZK; BTCEUR has a ticker, CZK a rate good for 96 hours. */
function published(): { markets: Markets; board: Board } {
  const book = new Markets(pricingPolicy(), everyEuroMarket);
  const board = new Board(book);
  book.catalogueLoaded(markets, start);
  book.tickerReceived(upstreamTicker());
  book.rateRefreshed(conversionRate());
  return { markets: book, board };
}

function pageOf(reading: TickerReading): Page {
  assert.equal(reading.kind, 'page');
  return (reading as { page: Page }).page;
}

function symbolsOf(page: Page | undefined): string[] {
  const { tickers, markets: listed } = JSON.parse(textOf(page!));
  return (tickers ?? listed).map((entry: { symbol: string }) => entry.symbol);
}

const newPrice = upstreamTicker({ receivedAt: after(start, 100), ask: decimal('84300') });

test('a new price is in every body that the next reader gets', () => {
  const { markets, board } = published();
  const before = [board.tickers(start)!, pageOf(board.ticker('BTCEUR', start)), pageOf(board.ticker('BTCCZK', start))];
  markets.tickerReceived(newPrice);
  const single = textOf(pageOf(board.ticker('BTCEUR', start)));
  assert.equal(JSON.parse(single).buyPrice, '84721.5');
  assert.ok(textOf(board.tickers(start)!).includes(single));
  assert.notEqual(textOf(pageOf(board.ticker('BTCCZK', start))), textOf(before[2]!));
  assert.notEqual(board.tickers(start), before[0]);
});

test('the order of the readers does not matter: the list first shows the new price too', () => {
  const { markets, board } = published();
  board.tickers(start);
  markets.tickerReceived(newPrice);
  assert.ok(textOf(board.tickers(start)!).includes('"84721.5"'));
  assert.equal(JSON.parse(textOf(pageOf(board.ticker('btceur', start)))).buyPrice, '84721.5');
});

test('while nothing changes every reader gets the same page', () => {
  const { board } = published();
  const read = (now: typeof start) => [board.markets(now), board.tickers(now), pageOf(board.ticker('BTCEUR', now))];
  const first = read(start);
  for (const byMs of [0, 1, hourMs, 95 * hourMs]) {
    for (const [index, page] of read(after(start, byMs)).entries()) assert.equal(page, first[index]);
  }
});

test('a change that leaves the text the same keeps its page, its codings and its tags', () => {
  const { markets: book, board } = published();
  const first = [board.markets(start), board.tickers(start), pageOf(board.ticker('BTCEUR', start))];
  book.catalogueLoaded(markets, after(start, 1));
  book.applyControls([{ symbol: symbol('BTCEUR'), operatorPaused: false, delistedAt: undefined }]);
  book.rateRefreshed(conversionRate({ refreshedAt: after(start, 1) }));
  book.tickerReceived(upstreamTicker());
  const again = [board.markets(start), board.tickers(start), pageOf(board.ticker('BTCEUR', start))];
  for (const [index, page] of again.entries()) assert.equal(page, first[index]);
});

test('a change of one market leaves the pages of the others alone', () => {
  const { markets, board } = published();
  markets.tickerReceived(upstreamTicker({ symbol: symbol('ETHEUR') }));
  const btc = pageOf(board.ticker('BTCEUR', start));
  const listed = board.markets(start);
  markets.tickerReceived(
    upstreamTicker({ symbol: symbol('ETHEUR'), receivedAt: after(start, 50), ask: decimal('90000') }),
  );
  assert.equal(pageOf(board.ticker('BTCEUR', start)), btc);
  assert.equal(board.markets(start), listed);
});

test('a burst of updates costs one rebuild: prices are made per change that somebody reads, not per update and not per request', (t) => {
  const { markets, board } = published();
  board.tickers(start);
  const price = t.mock.method(markets.pricer, 'price');
  const readAll = () => {
    for (const name of ['BTCEUR', 'BTCCZK', 'ETHEUR']) board.ticker(name, start);
    board.tickers(start);
    board.markets(start);
  };
  for (let request = 1; request <= 10; request++) readAll();
  assert.equal(price.mock.callCount(), 0);
  for (let step = 1; step <= 10; step++) {
    markets.tickerReceived(upstreamTicker({ receivedAt: after(start, step), ask: decimal(`${84300 + step}`) }));
  }
  assert.equal(price.mock.callCount(), 0);
  for (let request = 1; request <= 10; request++) readAll();
  assert.equal(price.mock.callCount(), 2, 'the market and the one converted from it, once each');
});

test('no ticker is dated ahead of a clock that was set back, and its time then stays until the next ticker (fault row 57)', () => {
  const { markets, board } = published();
  const timeOf = (now: EpochMs) => JSON.parse(textOf(pageOf(board.ticker('BTCEUR', now)))).timestampMs;
  const before = timeOf(start);
  const setBack = after(start, -3_600_000);
  assert.ok(before <= start && before > setBack);
  assert.equal(timeOf(setBack), setBack);
  assert.equal(timeOf(after(setBack, 60_000)), setBack, 'it grows old');
  const next = after(setBack, 61_000);
  markets.tickerReceived(upstreamTicker({ receivedAt: next, upstreamTime: after(next, -40) }));
  assert.equal(timeOf(next), after(next, -40));
});

test('a request that is older than a price, or of a process whose clock is behind, dates it no other way', () => {
  const { markets, board } = published();
  const next = after(start, 500);
  markets.tickerReceived(upstreamTicker({ receivedAt: next, upstreamTime: next }));
  const timeOf = (now: EpochMs) => JSON.parse(textOf(pageOf(board.ticker('BTCEUR', now)))).timestampMs;
  for (const now of [start, next, after(start, -400), after(next, 100), after(start, 1)])
    assert.equal(timeOf(now), next);
});

test('no ticker from before a restart is dated ahead of a clock that was set back meanwhile', () => {
  const before = published().markets;
  const markets = new Markets(pricingPolicy(), everyEuroMarket);
  const board = new Board(markets);
  markets.restore({ records: before.catalogue.records(), ...before.contents() });
  const setBack = after(start, -3_600_000);
  markets.clockSetBack(setBack);
  const { tickers } = JSON.parse(textOf(board.tickers(setBack)!)) as { tickers: { timestampMs: number }[] };
  assert.ok(tickers.length > 0);
  assert.deepEqual(new Set(tickers.map(({ timestampMs }) => timestampMs)), new Set([setBack]));
});

/** Every representation that a board shows over two versions of everything: its tag and what it reads. */
function tagged({ markets, board }: ReturnType<typeof published>): [tag: string, what: string][] {
  const tags: [string, string][] = [];
  for (const step of [1, 2]) {
    const now = after(start, step);
    markets.tickerReceived(upstreamTicker({ receivedAt: now, ask: decimal(`${84300 + step}`) }));
    markets.marketChanged(symbol('ETHEUR'), { status: step === 1 ? 'paused' : 'trading' });
    const readings = ['BTCEUR', 'BTCCZK'].map((name) => pageOf(board.ticker(name, now)));
    for (const page of [board.markets(now)!, board.tickers(now)!, ...readings]) {
      for (const encoding of contentEncodings) tags.push([page.entityTag(encoding), `${encoding} ${textOf(page)}`]);
    }
  }
  return tags;
}

test('an entity tag is of one body in one coding, and the same in every process', () => {
  const tags = tagged(published());
  assert.equal(new Set(tags.map(([tag]) => tag)).size, new Set(tags.map(([, what]) => what)).size);
  for (const [tag] of tags) assert.match(tag, /^"[\x21\x23-\x7e]+"$/);
  assert.deepEqual(tagged(published()), tags);
});

test('the list of tickers is the bodies of the single tickers, ordered by symbol', () => {
  const { markets, board } = published();
  markets.tickerReceived(upstreamTicker({ symbol: symbol('ETHEUR') }));
  const names = ['BTCCZK', 'BTCEUR', 'ETHCZK', 'ETHEUR'];
  const singles = names.map((name) => textOf(pageOf(board.ticker(name, start))));
  assert.equal(textOf(board.tickers(start)!), `{"tickers":[${singles.join(',')}]}`);
  assert.deepEqual(symbolsOf(board.markets(start)), names);
});

test('a symbol is read in any case and answered with the same page', () => {
  const { board } = published();
  assert.equal(pageOf(board.ticker('btceur', start)), pageOf(board.ticker('BtcEur', start)));
});

test('a malformed symbol, an unknown one and a traded one without a price are distinguished', () => {
  const { markets, board } = published();
  for (const text of ['', 'B', 'BTC/EUR', 'BTC EUR', 'ＢＴＣＥＵＲ', 'BTC\n', 'A'.repeat(33)]) {
    assert.deepEqual(board.ticker(text, start), { kind: 'malformed_symbol' }, JSON.stringify(text));
  }
  for (const text of ['NOPEEUR', 'BTCUSD', 'BTC', 'constructor', 'EURBTC']) {
    assert.deepEqual(board.ticker(text, start), { kind: 'unknown_symbol' }, text);
  }
  assert.deepEqual(board.ticker('ETHEUR', start), { kind: 'unpriced', reason: 'no_ticker' });
  assert.deepEqual(board.ticker('BTCCZK', after(start, 96 * hourMs)), { kind: 'unpriced', reason: 'no_rate' });
  markets.applyControls([{ symbol: symbol('BTCEUR'), operatorPaused: false, delistedAt: start }]);
  assert.deepEqual(board.ticker('BTCEUR', start), { kind: 'unknown_symbol' });
});

test('before any catalogue there are no markets, and without any price no tickers', () => {
  const book = new Markets(pricingPolicy(), everyEuroMarket);
  const board = new Board(book);
  assert.equal(board.markets(start), undefined);
  assert.equal(board.tickers(start), undefined);
  assert.deepEqual(board.ticker('BTCEUR', start), { kind: 'not_loaded' });
  book.catalogueLoaded(markets, start);
  assert.deepEqual(symbolsOf(board.markets(start)), ['BTCCZK', 'BTCEUR', 'ETHCZK', 'ETHEUR']);
  assert.equal(board.tickers(start), undefined);
  book.tickerReceived(upstreamTicker());
  assert.deepEqual(symbolsOf(board.tickers(start)), ['BTCEUR']);
});

test('a board over a book that already has everything shows it', () => {
  const { markets } = published();
  assert.deepEqual(symbolsOf(new Board(markets).tickers(start)), ['BTCCZK', 'BTCEUR']);
});

test('converted tickers leave with the end of the rate and return with the next one, without any other event (fault row 40)', () => {
  const { markets, board } = published();
  const end = after(start, 96 * hourMs);
  assert.deepEqual(symbolsOf(board.tickers(after(end, -1))), ['BTCCZK', 'BTCEUR']);
  const listed = board.markets(after(end, -1));
  assert.deepEqual(symbolsOf(board.tickers(end)), ['BTCEUR']);
  assert.equal(board.markets(end), listed, 'the list of markets does not change');
  markets.rateRefreshed(conversionRate({ refreshedAt: end }));
  assert.deepEqual(symbolsOf(board.tickers(end)), ['BTCCZK', 'BTCEUR']);
});

test('the end of the rate shows in a single ticker too, whichever body was read last', () => {
  const { board } = published();
  const end = after(start, 96 * hourMs);
  assert.equal(board.ticker('BTCCZK', after(end, -1)).kind, 'page');
  pageOf(board.ticker('BTCEUR', end));
  assert.deepEqual(board.ticker('BTCCZK', end), { kind: 'unpriced', reason: 'no_rate' });
});

test('a rate that comes while the board is read ends in time too, also one that ends earlier than the rate before', () => {
  const book = new Markets(pricingPolicy(), everyEuroMarket);
  const board = new Board(book);
  book.catalogueLoaded(markets, start);
  book.tickerReceived(upstreamTicker());
  assert.deepEqual(symbolsOf(board.tickers(start)), ['BTCEUR']);
  book.rateRefreshed(conversionRate());
  assert.deepEqual(symbolsOf(board.tickers(start)), ['BTCCZK', 'BTCEUR']);
  book.rateRefreshed(conversionRate({ fixingDate: '2026-11-12' }));
  const end = after(start, Date.parse('2026-11-22T00:00:00.001Z') - start);
  assert.deepEqual(symbolsOf(board.tickers(after(end, -1))), ['BTCCZK', 'BTCEUR']);
  assert.deepEqual(symbolsOf(board.tickers(end)), ['BTCEUR']);
});

test('a delisted market leaves the tickers at once and the list with the end of its 30 days, without any event', () => {
  const { markets, board } = published();
  markets.applyControls([{ symbol: symbol('BTCEUR'), operatorPaused: false, delistedAt: start }]);
  assert.equal(board.tickers(start), undefined);
  const end = after(start, 30 * dayMs);
  const last = JSON.parse(textOf(board.markets(after(end, -1))!)).markets;
  assert.deepEqual(
    last.map(({ symbol: name, status }: { symbol: string; status: string }) => [name, status]),
    [
      ['BTCCZK', 'delisted'],
      ['BTCEUR', 'delisted'],
      ['ETHCZK', 'trading'],
      ['ETHEUR', 'trading'],
    ],
  );
  assert.deepEqual(symbolsOf(board.markets(end)), ['ETHCZK', 'ETHEUR']);
});

test('a paused market is listed as paused and keeps its ticker', () => {
  const { markets, board } = published();
  board.markets(start);
  markets.marketChanged(symbol('BTCEUR'), { status: 'paused' });
  assert.match(textOf(board.markets(start)!), /"symbol":"BTCEUR","base":"BTC","quote":"EUR","status":"paused"/);
  assert.deepEqual(symbolsOf(board.tickers(start)), ['BTCCZK', 'BTCEUR']);
});

test('markets without a price are counted by reason, delisted ones not at all', () => {
  const { markets, board } = published();
  assert.deepEqual([...board.unpriced(start)], [['no_ticker', 2]]);
  assert.deepEqual([...board.unpriced(after(start, 96 * hourMs))].sort(), [
    ['no_rate', 1],
    ['no_ticker', 2],
  ]);
  markets.applyControls([{ symbol: symbol('ETHEUR'), operatorPaused: false, delistedAt: start }]);
  assert.deepEqual([...board.unpriced(start)], []);
});

test('a price is expected of markets that trade and of which nothing is withheld (fault row 95)', () => {
  const { markets, board } = published();
  assert.deepEqual(board.expected(start), { priced: 2, unpriced: 2 });
  markets.marketChanged(symbol('ETHEUR'), { status: 'paused' });
  assert.deepEqual([board.expected(start), [...board.unpriced(start)]], [{ priced: 2, unpriced: 0 }, []]);
  markets.marketChanged(symbol('ETHEUR'), { status: 'trading' });
  markets.applyHolds([{ symbol: symbol('ETHEUR'), heldAt: start, acceptedAt: undefined, acceptedSource: undefined }]);
  assert.deepEqual(board.expected(start), { priced: 2, unpriced: 0 });
});

test('on the instant of a term the list of markets has the new decimals, whatever is read first', () => {
  const { markets, board } = published();
  const from = after(start, 1_000);
  const values = { pricePrecision: 3 };
  markets.applyTerms([{ id: 'trm_1', from, scope: 'market', subject: 'BTCCZK', values }], start);
  const tickSize = (now: EpochMs) => JSON.parse(textOf(board.markets(now)!)).markets[0].tickSize;
  assert.deepEqual([tickSize(after(start, 999)), tickSize(from)], ['1', '0.001']);
  assert.equal(JSON.parse(textOf(pageOf(board.ticker('BTCCZK', from)))).buyPrice, '2078384.489');
});
