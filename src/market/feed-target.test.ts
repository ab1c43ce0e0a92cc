import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import type { EpochMs } from '../clock.ts';
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
  /** What clients are shown after a source said that its prices stood at an instant. */
  const shownAfter = (feed: typeof one, at: EpochMs) => {
    feed.feedCurrent('fallback', at);
    return feedStatus.lastUpdatedAt;
  };
  return { clock, one, other, shownAfter };
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
