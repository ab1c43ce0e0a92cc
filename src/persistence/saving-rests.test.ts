import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { FakeClock } from '../../test/support/fake-clock.ts';
import { type Clock, sleep } from '../ground/clock.ts';
import { silentLog } from '../ground/log.ts';
import { readState } from '../market/market-state.ts';
import { Markets } from '../market/markets.ts';
import { everyEuroMarket, pricingPolicy, upstreamMarket, upstreamTicker } from '../market/samples.testing.ts';
import { FeedStatus } from '../market/service-status.ts';
import { openFixture } from '../store/store.testing.ts';
import { MarketSnapshots } from './market-snapshots.ts';

/** Something to save every 100 ms, and the instants at which the store is asked to. */
async function saving(t: TestContext, clockFor: (clock: FakeClock) => Clock = (clock) => clock) {
  const { store, outside, clock } = await openFixture(t);
  const markets = new Markets(pricingPolicy(), everyEuroMarket);
  markets.catalogueLoaded([upstreamMarket('BTC')], clock.now());
  const askedMs: number[] = [];
  let refusalMs: number | undefined;
  const snapshots = Object.create(store.snapshots, {
    save: {
      async value(name: string, payload: string) {
        askedMs.push(clock.monotonicMs());
        if (refusalMs === undefined) return store.snapshots.save(name, payload);
        await sleep(clock, refusalMs, new AbortController().signal);
        throw new Error('the database is locked');
      },
    },
  });
  const errors: string[] = [];
  const log = { ...silentLog, error: (_: object, message: string) => void errors.push(message) };
  const parts = { markets: store.markets, snapshots };
  const saved = new MarketSnapshots(parts, markets, new FeedStatus(), clockFor(clock), log);
  saved.start();
  clock.every(100, () => void markets.tickerReceived(upstreamTicker({ receivedAt: clock.now() })));
  const refuseAfter = (ms: number) => {
    refusalMs = ms;
  };
  return { clock, saved, outside, refuseAfter, askedMs, errors };
}

test('what is new is saved every second while the store takes it', async (t) => {
  const { clock, askedMs } = await saving(t);
  await clock.advance(5_050);
  assert.deepEqual(askedMs, [1_000, 2_000, 3_000, 4_000, 5_000]);
});

test('when the feed was last updated is saved each second and at the stop, also while no price changes', async (t) => {
  const { store, clock } = await openFixture(t);
  const feed = new FeedStatus();
  const saved = new MarketSnapshots(store, new Markets(pricingPolicy(), everyEuroMarket), feed, clock, silentLog);
  saved.start();
  const known = async () => readState((await store.snapshots.load('market'))?.payload ?? '')?.lastUpdatedAt;
  const updatedAt = clock.now();
  feed.feedCurrent('live', updatedAt, clock.monotonicMs());
  await clock.advance(1_000);
  assert.equal(await known(), updatedAt);
  const stoppedAt = clock.now();
  feed.feedCurrent('live', stoppedAt, clock.monotonicMs());
  await saved.stop();
  assert.equal(await known(), stoppedAt);
});

test('writing the snapshot takes at most a hundredth of the time, also while the store refuses it', async (t) => {
  // Each look at the clock takes 50 ms, and writing lies between two.
  const slow = (clock: FakeClock): Clock => {
    let looks = 0;
    return {
      now: () => clock.now(),
      monotonicMs: () => clock.monotonicMs() + looks++ * 50,
      after: (delayMs, run) => clock.after(delayMs, run),
      every: (periodMs, run) => clock.every(periodMs, run),
    };
  };
  const { clock, outside, askedMs } = await saving(t, slow);
  await clock.advance(20_000);
  assert.ok(askedMs.length <= 5, `${askedMs}`);
  outside.exec('alter table snapshots rename to hidden');
  askedMs.length = 0;
  await clock.advance(20_000);
  assert.ok(askedMs.length > 0 && askedMs.length <= 5, `${askedMs}`);
});

test('a store that refuses is asked every five seconds, reported once, and has everything within five seconds when it takes it again', async (t) => {
  const { clock, saved, outside, askedMs, errors } = await saving(t);
  outside.exec('alter table snapshots rename to hidden');
  await clock.advance(20_500);
  assert.deepEqual(askedMs, [1_000, 6_000, 11_000, 16_000]);
  assert.match(saved.lastError()?.message ?? '', /snapshots/);
  assert.deepEqual(errors, ['the last known market data could not be saved']);
  outside.exec('alter table hidden rename to snapshots');
  await clock.advance(5_000);
  assert.equal(saved.lastError(), undefined);
  await clock.advance(2_000);
  assert.deepEqual(askedMs.slice(4), [21_000, 22_000, 23_000, 24_000, 25_000, 26_000, 27_000]);
});

test('a store that takes seconds to refuse is not asked again at once for what came meanwhile', async (t) => {
  const { clock, refuseAfter, askedMs } = await saving(t);
  refuseAfter(5_000);
  await clock.advance(31_500);
  assert.deepEqual(askedMs, [1_000, 11_000, 21_000, 31_000], 'five seconds until it refuses, and five of rest');
});
