import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { silentLog } from '../log.ts';
import { MarketBook } from '../market/market-book.ts';
import {
  conversionRate,
  decimal,
  everyEuroMarket,
  pricingPolicy,
  start,
  symbol,
  upstreamMarket,
  upstreamTicker,
} from '../market/samples.testing.ts';
import { historyEveryMs, historyPoints, PriceHistory } from './price-history.ts';

function recorded() {
  const clock = new FakeClock();
  const book = new MarketBook(pricingPolicy(), everyEuroMarket);
  const feed = { age: 0, ageMs: () => feed.age };
  book.catalogueLoaded([upstreamMarket('BTC'), upstreamMarket('ETH')], start);
  const history = new PriceHistory(book, feed, clock, { ...silentLog, error: (_, message) => assert.fail(message) });
  const tick = (bid: string, ask: string) =>
    book.tickerReceived(
      upstreamTicker({ bid: decimal(bid), ask: decimal(ask), receivedAt: clock.now(), upstreamTime: undefined }),
    );
  return { clock, book, feed, history, tick };
}

const btceur = symbol('BTCEUR');

test('a market has a point every five seconds from its first price on, with the prices clients got', async () => {
  const { clock, book, history, tick } = recorded();
  await clock.advance(historyEveryMs);
  assert.deepEqual([history.points(btceur, -1), history.spark(btceur), history.size], [[], [], 0]);
  tick('50000.0', '50000.1');
  await clock.advance(historyEveryMs);
  tick('50100.0', '50100.1');
  await clock.advance(historyEveryMs);
  const points = history.points(btceur, -1);
  assert.deepEqual(
    points.map(({ atMs, bid, ask }) => [atMs - start, bid, ask]),
    [
      [10_000, '50000.0', '50000.1'],
      [15_000, '50100.0', '50100.1'],
    ],
  );
  const verdict = book.price(btceur, clock.now());
  assert.ok(verdict.kind === 'priced');
  assert.deepEqual([points[1]?.buy, points[1]?.sell], [verdict.ticker.buyPrice, verdict.ticker.sellPrice]);
  assert.deepEqual(history.points(btceur, start + 10_000).length, 1);
});

test('an outage of the feed is a gap, although clients still get the last good price', async () => {
  const { clock, book, feed, history, tick } = recorded();
  tick('50000.0', '50000.1');
  await clock.advance(historyEveryMs);
  feed.age = 31_000;
  await clock.advance(2 * historyEveryMs);
  assert.equal(book.price(btceur, clock.now()).kind, 'priced');
  feed.age = 0;
  await clock.advance(historyEveryMs);
  const buy = history.points(btceur, -1)[0]!.buy;
  assert.deepEqual(history.spark(btceur), [buy, null, null, buy]);
  assert.deepEqual(
    history.points(btceur, -1).map(({ atMs }) => atMs - start),
    [5_000, 20_000],
  );
});

test('a converted market has the exchange’s prices at the mid rate, and gaps while there is no rate', async () => {
  const { clock, book, history, tick } = recorded();
  tick('50000.0', '50000.1');
  await clock.advance(historyEveryMs);
  assert.deepEqual(history.points(symbol('BTCCZK'), -1), []);
  book.rateRefreshed(conversionRate({ mid: decimal('25'), refreshedAt: clock.now() }));
  await clock.advance(historyEveryMs);
  const [point] = history.points(symbol('BTCCZK'), -1);
  assert.deepEqual([point?.bid, point?.ask], ['1250000', '1250002.5']);
  assert.ok(Number(point?.sell) < Number(point?.bid) && Number(point?.buy) > Number(point?.ask));
});

test('an hour is kept and no more, and the small line has at most sixty points and ends at the latest price', async () => {
  const { clock, history, tick } = recorded();
  for (let count = 0; count < historyPoints + 10; count++) {
    tick(`${50_000 + count}.0`, `${50_000 + count}.1`);
    await clock.advance(historyEveryMs);
  }
  const points = history.points(btceur, -1);
  assert.equal(points.length, historyPoints);
  assert.equal(points[0]?.bid, '50010.0');
  assert.equal(points.at(-1)?.bid, `${50_000 + historyPoints + 9}.0`);
  const spark = history.spark(btceur);
  assert.ok(spark.length <= 60 && spark.length > 50, `${spark.length}`);
  assert.equal(spark.at(-1), points.at(-1)?.buy);
});

test('a delisted market is forgotten, and a stopped history holds no timer', async () => {
  const { clock, book, history, tick } = recorded();
  tick('50000.0', '50000.1');
  await clock.advance(historyEveryMs);
  assert.equal(history.size, 1);
  book.applyControls([{ symbol: btceur, operatorPaused: false, delistedAt: clock.now() }]);
  await clock.advance(historyEveryMs);
  assert.equal(history.size, 0);
  history.stop();
  assert.equal(clock.pendingTimers, 0);
});
