import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { silentLog } from '../log.ts';
import { marketSink } from '../market/feed-target.ts';
import { MarketBook } from '../market/market-book.ts';
import { everyEuroMarket, pricingPolicy, symbol, upstreamMarket, upstreamTicker } from '../market/samples.testing.ts';
import { FeedStatus } from '../market/service-status.ts';
import type { Reach } from '../market/source-choice.ts';
import { SourceWatch } from './source-watch.ts';

const BTCEUR = symbol('BTCEUR');

/** As much of a supervisor as the watch reads. */
interface Played {
  isLive: boolean;
  reach: Reach;
  /** Since when its prices stopped although its connection is alive. */
  stoppedMs?: number | undefined;
  lastMs: number;
}

function watched() {
  const clock = new FakeClock();
  const rules = { ids: ['first', 'second'], lists: new Map(), mode: 'primary', returnAfterMs: 60_000 } as const;
  const book = new MarketBook({ ...pricingPolicy(), converted: new Map() }, everyEuroMarket, undefined, rules);
  const market = { book, feedStatus: new FeedStatus() };
  const played: Record<string, Played> = {
    first: { isLive: true, reach: 'live', lastMs: 0 },
    second: { isLive: true, reach: 'live', lastMs: 0 },
  };
  const supervisors = new Map(
    Object.entries(played).map(([id, state]) => [
      id,
      {
        get isLive() {
          return state.isLive;
        },
        reach: () => state.reach,
        get brokenOff() {
          return state.stoppedMs === undefined ? undefined : { atMs: state.stoppedMs, symbols: [BTCEUR] };
        },
        hasLiveSince: (atMs: number) => state.isLive && state.lastMs >= atMs,
      },
    ]),
  );
  const said: string[] = [];
  const log = { ...silentLog, warn: (_: object, message: string) => void said.push(message) };
  const watch = new SourceWatch({ market, clock, log }, supervisors as never);
  for (const source of book.sources.all) {
    const sink = marketSink(market, clock, source);
    sink.catalogueLoaded([upstreamMarket('BTC')], clock.now());
    sink.tickerReceived(upstreamTicker({ receivedAt: clock.now() }));
  }
  watch.start();
  return {
    clock,
    market,
    first: played.first!,
    second: played.second!,
    said,
    watch,
    used: () => book.sources.used(BTCEUR)?.id,
  };
}

test('a source whose prices stop although its connection is alive gives way once another goes on, and it is said once', async () => {
  const { clock, first, second, said, watch, used } = watched();
  await clock.advance(2_500);
  assert.equal(used(), 'first');
  first.stoppedMs = clock.monotonicMs();
  second.lastMs = first.stoppedMs + 1_999;
  await clock.advance(1_000);
  assert.equal(used(), 'first', 'a price soon after is no proof that the market goes on');
  second.lastMs = first.stoppedMs + 2_000;
  await clock.advance(1_000);
  assert.equal(used(), 'second');
  assert.deepEqual(said, ['no prices come although the connection is alive', 'prices come from another source']);
  watch.stop();
  assert.equal(clock.pendingTimers, 0);
});

test('the feed is live while any source is and no market runs on a standby, and on the fallback otherwise', async () => {
  const { clock, market, first, second, watch } = watched();
  await clock.advance(2_500);
  assert.equal(market.feedStatus.path, 'live');
  first.isLive = false;
  first.reach = 'silent';
  await clock.advance(500);
  assert.equal(market.feedStatus.path, 'fallback', 'on a standby');
  second.isLive = false;
  second.reach = 'silent';
  await clock.advance(500);
  assert.equal(market.feedStatus.path, 'fallback');
  watch.stop();
});
