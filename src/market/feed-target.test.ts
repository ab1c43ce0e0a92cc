import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import type { EpochMs } from '../ground/clock.ts';
import { marketSink } from './feed-target.ts';
import { marketsWith, sourceRules } from './market-rig.testing.ts';
import { Markets } from './markets.ts';
import {
  after,
  decimal,
  everyEuroMarket,
  polledTicker,
  pricingPolicy,
  upstreamMarket,
  upstreamTicker,
} from './samples.testing.ts';
import { FeedStatus } from './service-status.ts';

const start = new FakeClock().now();

function feeds() {
  const clock = new FakeClock();
  const feedStatus = new FeedStatus();
  const target = { markets: new Markets(pricingPolicy(), everyEuroMarket), feedStatus };
  target.markets.catalogueLoaded([upstreamMarket('BTC')], start);
  const [one, other] = [marketSink(target, clock), marketSink(target, clock)];
  /** Tells what is known after a source said that its prices stood at an instant. */
  const shownAfter = (feed: typeof one, at: EpochMs) => {
    feed.tickerReceived(polledTicker({ upstreamTime: undefined, askedAt: at, receivedAt: clock.now() }));
    feed.feedCurrent('fallback', at, 1_000);
    return feedStatus.lastUpdatedAt;
  };
  return { clock, feedStatus, one, other, shownAfter };
}

test('an answer that was asked for seconds before another takes no update of the feed back', async () => {
  const { clock, one, other, shownAfter } = feeds();
  await clock.advance(8_000);
  assert.equal(shownAfter(one, after(start, 7_486)), after(start, 7_486));
  assert.equal(shownAfter(other, after(start, 460)), after(start, 7_486));
  assert.equal(shownAfter(other, after(start, 7_900)), after(start, 7_900));
});

test('an update that is dated ahead of the clock, which was set back, is replaced by the next', async () => {
  const { clock, one, shownAfter } = feeds();
  await clock.advance(8_000);
  shownAfter(one, after(start, 8_000));
  clock.jump(-5_000);
  assert.equal(shownAfter(one, after(start, 3_000)), after(start, 3_000));
});

test('a process that takes over shows what the one before it did, whose clock was a little ahead', () => {
  const { clock, feedStatus, shownAfter, one } = feeds();
  const ahead = after(start, 600);
  feedStatus.followed('live', ahead, clock.monotonicMs());
  assert.equal(shownAfter(one, start), ahead);
  assert.equal(feedStatus.shownAt(start, 0), ahead);
  clock.jump(700);
  assert.equal(shownAfter(one, after(start, 700)), after(start, 700));
  assert.equal(feedStatus.shownAt(clock.now(), 0), after(start, 700));
});

test('what a source says that makes no price is no update, and what it says of those that it makes is', async () => {
  const clock = new FakeClock();
  const feedStatus = new FeedStatus();
  const sources = sourceRules({ ids: ['one', 'two'] });
  const markets = marketsWith({ sources });
  const sinks = markets.sources.all.map((source) => marketSink({ markets, feedStatus }, clock, source));
  for (const { id } of markets.sources.all)
    markets.catalogueLoaded([upstreamMarket('BTC'), upstreamMarket('ETH')], start, undefined, id);
  const shownAfter = async (index: 0 | 1, base: string) => {
    await clock.advance(1_000);
    const receivedAt = clock.now();
    const symbol = upstreamMarket(base).symbol;
    const bid = decimal('84000');
    sinks[index]!.tickerReceived(upstreamTicker({ symbol, bid, receivedAt, upstreamTime: receivedAt }));
    sinks[index]!.feedCurrent('live', receivedAt);
    return feedStatus.lastUpdatedAt;
  };
  assert.equal(await shownAfter(0, 'BTC'), after(start, 1_000));
  assert.equal(await shownAfter(1, 'BTC'), after(start, 1_000), 'the first makes that price');
  assert.equal(await shownAfter(1, 'ETH'), after(start, 3_000), 'this one is made of the second');
  assert.equal(await shownAfter(1, 'BTC'), after(start, 3_000), 'it makes a price, but not this one');
  clock.jump(-10 * 60_000);
  assert.equal(await shownAfter(1, 'BTC'), after(start, 3_000), 'nor does it once the clock was set back');
  assert.ok(feedStatus.ageMs(clock.now(), clock.monotonicMs())! >= 2_000, 'nor does it make that one younger');
});
