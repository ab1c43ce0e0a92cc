import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import type { EpochMs } from '../ground/clock.ts';
import { marketSink } from './feed-target.ts';
import { Markets } from './markets.ts';
import { after, everyEuroMarket, pricingPolicy } from './samples.testing.ts';
import { FeedStatus } from './service-status.ts';

const start = new FakeClock().now();

function feeds() {
  const clock = new FakeClock();
  const feedStatus = new FeedStatus();
  const target = { markets: new Markets(pricingPolicy(), everyEuroMarket), feedStatus };
  const [one, other] = [marketSink(target, clock), marketSink(target, clock)];
  /** Tells what is known after a source said that its prices stood at an instant. */
  const shownAfter = (feed: typeof one, at: EpochMs) => {
    feed.feedCurrent('fallback', at);
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
