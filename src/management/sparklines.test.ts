import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { ServiceBoard } from '../board/service-board.ts';
import { Markets } from '../market/markets.ts';
import {
  decimal,
  everyEuroMarket,
  pricingPolicy,
  start,
  symbol,
  upstreamMarket,
  upstreamTicker,
} from '../market/samples.testing.ts';
import { FeedStatus } from '../market/service-status.ts';
import { Sparklines, sparkPointsMax } from './sparklines.ts';

const minuteMs = 60_000;
const btceur = symbol('BTCEUR');

function sampled() {
  const clock = new FakeClock();
  const markets = new Markets(pricingPolicy(), everyEuroMarket);
  const feedStatus = new FeedStatus();
  const feed = { isUp: true };
  const life = clock.every(1_000, () => {
    if (feed.isUp) feedStatus.feedCurrent('live', clock.now(), clock.monotonicMs());
  });
  markets.catalogueLoaded([upstreamMarket('BTC'), upstreamMarket('ETH')], start);
  const sparklines = new Sparklines(markets, new ServiceBoard(feedStatus, clock), clock);
  /** Gives the buy price. */
  const tick = (bid: string, ask: string) => {
    const prices = { bid: decimal(bid), ask: decimal(ask) };
    markets.tickerReceived(upstreamTicker({ ...prices, receivedAt: clock.now(), upstreamTime: undefined }));
    const verdict = markets.pricer.price(btceur, clock.now());
    return verdict.kind === 'priced' ? verdict.ticker.buyPrice : assert.fail();
  };
  return { clock, markets, feed, life, sparklines, tick };
}

test('a market has its buy price of each minute, from its first price on', async () => {
  const { clock, sparklines, tick } = sampled();
  await clock.advance(minuteMs);
  assert.deepEqual(sparklines.of(btceur), []);
  const first = tick('50000.0', '50000.1');
  await clock.advance(minuteMs);
  const second = tick('50100.0', '50100.1');
  await clock.advance(minuteMs);
  assert.deepEqual([sparklines.of(btceur), sparklines.of(symbol('ETHEUR'))], [[first, second], []]);
});

test('an outage of the feed is a gap, although clients still get the last good price', async () => {
  const { clock, markets, feed, sparklines, tick } = sampled();
  const buy = tick('50000.0', '50000.1');
  await clock.advance(minuteMs - 10_000);
  feed.isUp = false;
  await clock.advance(2 * minuteMs + 10_000);
  assert.equal(markets.pricer.price(btceur, clock.now()).kind, 'priced');
  feed.isUp = true;
  await clock.advance(minuteMs);
  assert.deepEqual(sparklines.of(btceur), [buy, null, null, buy]);
});

test('only the last hour is kept', async () => {
  const { clock, sparklines, tick } = sampled();
  const prices: string[] = [];
  for (let count = 0; count < sparkPointsMax + 10; count++) {
    prices.push(tick(`${50_000 + count}.0`, `${50_000 + count}.1`));
    await clock.advance(minuteMs);
  }
  assert.deepEqual(sparklines.of(btceur), prices.slice(-sparkPointsMax));
});

test('a delisted market is forgotten, and no timer is left after a stop', async () => {
  const { clock, markets, life, sparklines, tick } = sampled();
  tick('50000.0', '50000.1');
  await clock.advance(minuteMs);
  markets.applyControls([{ symbol: btceur, operatorPaused: false, delistedAt: clock.now() }]);
  await clock.advance(minuteMs);
  assert.deepEqual(sparklines.of(btceur), []);
  sparklines.stop();
  life.cancel();
  assert.equal(clock.pendingTimers, 0);
});
