import assert from 'node:assert/strict';
import { test } from 'node:test';
import { after, hourMs, start } from './samples.testing.ts';
import { FeedStatus, type ServiceState, serviceStatus, tickerState } from './service-status.ts';

/** A feed that proved current at `start`, when the monotonic clock stood at 0. */
function fedAtStart(path: 'live' | 'fallback' = 'live'): FeedStatus {
  const feed = new FeedStatus();
  feed.pathChanged(path);
  feed.feedCurrent(path, start, 0);
  return feed;
}

/** The status after so much time has passed on both clocks, over a connection that lives. */
function statusAfter(feed: FeedStatus, passedMs: number) {
  feed.signOfLife(passedMs, after(start, passedMs), passedMs);
  return serviceStatus(feed, [], after(start, passedMs), passedMs);
}

test('the ticker is in outage when never fed or more than 300,000 ms behind, else degraded on the fallback, else operational (fault row 39)', () => {
  const table: [number | undefined, ServiceState, ServiceState][] = [
    [undefined, 'outage', 'outage'],
    [0, 'operational', 'degraded'],
    [1, 'operational', 'degraded'],
    [299_999, 'operational', 'degraded'],
    [300_000, 'operational', 'degraded'],
    [300_001, 'outage', 'outage'],
    [86_400_000, 'outage', 'outage'],
  ];
  for (const [ageMs, live, fallback] of table) {
    for (const [path, state] of [
      ['live', live],
      ['fallback', fallback],
    ] as const) {
      const feed = ageMs === undefined ? new FeedStatus() : fedAtStart(path);
      const [now, monotonicMs] = [after(start, ageMs ?? 0), ageMs ?? 0];
      feed.signOfLife(monotonicMs, now, monotonicMs);
      assert.equal(tickerState(feed, now, monotonicMs), state, `${ageMs} ms, ${path}`);
    }
  }
});

test('the state falls to outage with the first millisecond past five minutes (fault row 39)', () => {
  assert.equal(statusAfter(fedAtStart(), 300_000).status, 'operational');
  assert.equal(statusAfter(fedAtStart(), 300_001).status, 'outage');
  assert.equal(statusAfter(fedAtStart('fallback'), 300_000).status, 'degraded');
  assert.equal(statusAfter(fedAtStart('fallback'), 300_001).status, 'outage');
});

test('a feed that never delivered is in outage and has no last update, on whatever path it tries (fault row 39)', () => {
  const feed = new FeedStatus();
  for (const path of ['fallback', 'live'] as const) {
    feed.pathChanged(path);
    assert.deepEqual(serviceStatus(feed, [], start, 0), {
      status: 'outage',
      api: 'operational',
      ticker: 'outage',
      flow: { state: 'silent', since: undefined },
      maintenance: undefined,
      lastUpdatedAt: undefined,
    });
  }
});

test('a change of path alone makes nothing newer', () => {
  const feed = fedAtStart('live');
  feed.pathChanged('fallback');
  assert.deepEqual(
    [statusAfter(feed, 1000).ticker, statusAfter(feed, 1000).lastUpdatedAt, statusAfter(feed, 300_001).ticker],
    ['degraded', start, 'outage'],
  );
  feed.pathChanged('live');
  assert.equal(statusAfter(feed, 1000).ticker, 'operational');
  assert.equal(statusAfter(feed, 300_001).ticker, 'outage');
});

test('the feed recovers with the first proof that it is current', () => {
  const feed = fedAtStart();
  assert.equal(statusAfter(feed, hourMs).ticker, 'outage');
  feed.feedCurrent('live', after(start, hourMs), hourMs);
  assert.equal(statusAfter(feed, hourMs).ticker, 'operational');
  assert.equal(statusAfter(feed, hourMs).lastUpdatedAt, after(start, hourMs));
});

test('a running window is maintenance for the service and its API and hides nothing of the ticker', () => {
  const window = { from: start, to: after(start, 10), description: 'Upgrade.' };
  const feeds: [FeedStatus, ServiceState][] = [
    [fedAtStart(), 'operational'],
    [fedAtStart('fallback'), 'degraded'],
    [new FeedStatus(), 'outage'],
  ];
  for (const [feed, ticker] of feeds) {
    const expected: [number, ServiceState][] = [
      [-1, ticker],
      [0, 'maintenance'],
      [9, 'maintenance'],
      [10, ticker],
      [11, ticker],
    ];
    for (const [atMs, status] of expected) {
      const read = serviceStatus(feed, [window], after(start, atMs), Math.max(0, atMs));
      assert.equal(read.status, status, `${atMs} ms`);
      assert.equal(read.api, status === 'maintenance' ? 'maintenance' : 'operational');
      assert.equal(read.ticker, ticker);
      assert.equal(read.maintenance, atMs < 10 ? window : undefined);
    }
  }
});

test('a wall clock set back never makes stale look fresh', () => {
  for (const backMs of [2_000, 60_000, hourMs, 48 * hourMs]) {
    const feed = fedAtStart();
    const now = after(start, 400_000 - backMs);
    const read = serviceStatus(feed, [], now, 400_000);
    assert.equal(read.ticker, 'outage', `set back by ${backMs} ms`);
    assert.equal(read.lastUpdatedAt, after(now, -400_000), 'its distance from the server time is the true age');
  }
});

test('a wall clock set forward never makes data look younger than it is', () => {
  assert.equal(serviceStatus(fedAtStart(), [], after(start, hourMs), 400_000).ticker, 'outage');
  assert.equal(fedAtStart().ageMs(after(start, hourMs), 1), hourMs);
});

test('a wall clock that was ahead at the last update and then set right does not keep the data fresh', () => {
  const feed = new FeedStatus();
  feed.feedCurrent('live', after(start, hourMs), 0);
  assert.equal(feed.ageMs(after(start, 200_000), 200_000), 200_000);
  assert.equal(serviceStatus(feed, [], after(start, 300_001), 300_001).ticker, 'outage');
});

test('clocks that drift apart by less than a second do not move the last update', () => {
  const feed = fedAtStart();
  for (const driftMs of [-999.5, -3, 0, 3, 999.5]) {
    const read = serviceStatus(feed, [], after(start, 10_000), 10_000 + driftMs);
    assert.equal(read.lastUpdatedAt, start, `${driftMs} ms`);
  }
});

test('a wall clock set back by less than a second right after an update puts no update into the future', () => {
  assert.equal(fedAtStart().ageMs(after(start, -500), 0), 0);
  assert.equal(serviceStatus(fedAtStart(), [], after(start, -500), 0).lastUpdatedAt, after(start, -500));
});

test('an age is a whole number of milliseconds, without the monotonic clock’s fraction', () => {
  assert.equal(fedAtStart().ageMs(start, 300_000.9), 300_000);
  assert.equal(fedAtStart().ageMs(start, 300_001.1), 300_001);
});

test('what was known before a restart keeps its age, and shows as degraded or outage until the feed is back', () => {
  const feed = new FeedStatus();
  feed.restore(after(start, -200_000));
  assert.deepEqual(serviceStatus(feed, [], start, 5), {
    status: 'degraded',
    api: 'operational',
    ticker: 'degraded',
    flow: { state: 'silent', since: after(start, -200_000) },
    maintenance: undefined,
    lastUpdatedAt: after(start, -200_000),
  });
  assert.equal(serviceStatus(feed, [], after(start, 100_000), 100_005).ticker, 'degraded');
  assert.equal(serviceStatus(feed, [], after(start, 100_001), 100_006).ticker, 'outage');
  feed.pathChanged('live');
  feed.feedCurrent('live', after(start, 100_002), 100_007);
  assert.equal(serviceStatus(feed, [], after(start, 100_002), 100_007).ticker, 'operational');
});

test('restored data ages by the monotonic clock too: a wall clock set back after the restart makes nothing fresh', () => {
  const feed = new FeedStatus();
  feed.restore(after(start, -400_000));
  assert.equal(serviceStatus(feed, [], start, 5).ticker, 'outage');
  assert.equal(serviceStatus(feed, [], after(start, -300_000), 6).ticker, 'outage');
  assert.equal(feed.ageMs(after(start, -400_000), 1_005), 401_000);
});

test('a restored instant in the future proves nothing, even once the clock reaches it, and is not taken for none', () => {
  const feed = new FeedStatus();
  feed.restore(after(start, hourMs));
  assert.equal(serviceStatus(feed, [], start, 5).ticker, 'outage');
  assert.equal(serviceStatus(feed, [], start, 5).lastUpdatedAt, after(start, -300_001), 'too old to rely on');
  assert.equal(serviceStatus(feed, [], after(start, hourMs), hourMs + 5).ticker, 'outage');
  feed.pricesCurrent(after(start, hourMs), after(start, hourMs), hourMs + 5);
  assert.equal(serviceStatus(feed, [], after(start, hourMs), hourMs + 5).lastUpdatedAt, after(start, hourMs));
});

test('a price that was captured a minute before it was served is a minute old, also once the wall clock is set back', () => {
  const feed = new FeedStatus();
  feed.pricesCurrent(after(start, -60_000), start, 100_000);
  assert.equal(feed.ageMs(after(start, -60_000), 100_000), 60_000);
});

test('nothing to restore is a feed that never delivered', () => {
  const feed = new FeedStatus();
  feed.restore(undefined);
  assert.equal(feed.ageMs(start, 0), undefined);
});

test('a feed without a sign of life for more than five seconds is degraded, on whatever path, and stays at its last update (fault rows 41 and 69)', () => {
  for (const path of ['live', 'fallback'] as const) {
    const feed = fedAtStart(path);
    const at = (ms: number) => serviceStatus(feed, [], after(start, ms), ms);
    assert.deepEqual([at(5_000).ticker, at(5_001).ticker], [path === 'live' ? 'operational' : 'degraded', 'degraded']);
    assert.deepEqual([at(300_000).ticker, at(300_001).ticker], ['degraded', 'outage']);
    assert.equal(at(299_000).lastUpdatedAt, start);
  }
});

test('polls that succeed make a degraded feed in which data flows, and their failing a silent one', () => {
  const feed = new FeedStatus();
  feed.updated('fallback', start, 0);
  feed.source('first').current(false, start, 0, 20_000);
  const at = (ms: number) => serviceStatus(feed, [], after(start, ms), ms);
  assert.deepEqual([at(25_000).ticker, at(25_000).flow], ['degraded', { state: 'polled' }]);
  assert.deepEqual([at(25_001).ticker, at(25_001).flow], ['degraded', { state: 'silent', since: start }]);
});

test('a standby that delivers makes a degraded feed in which data flows', () => {
  const feed = new FeedStatus();
  feed.updated('fallback', start, 0);
  feed.source('first').lost();
  feed.source('second').current(true, start, 0);
  const { ticker, flow } = serviceStatus(feed, [], start, 0);
  assert.deepEqual([ticker, flow], ['degraded', { state: 'flowing' }]);
});

test('a feed that is thought of at another time is as alive as it is now, with data as old', () => {
  const quiet = fedAtStart();
  quiet.signOfLife(60_000, after(start, 60_000), 60_000);
  const polled = new FeedStatus();
  polled.updated('fallback', start, 0);
  polled.source('first').current(false, start, 0, 60_000);
  for (const feed of [quiet, polled, fedAtStart(), new FeedStatus()]) {
    const now = after(start, 60_000);
    const at = after(now, hourMs);
    const [shown, moved] = [serviceStatus(feed, [], now, 60_000), feed.movedTo(at, now, 60_000)];
    const { ticker, flow } = serviceStatus(moved, [], at, 60_000);
    assert.deepEqual(
      [ticker, flow.state, moved.ageMs(at, 60_000)],
      [shown.ticker, shown.flow.state, feed.ageMs(now, 60_000)],
    );
  }
});

test('a quiet market on a living connection is operational, with the age of its last update', () => {
  const feed = fedAtStart();
  for (let ms = 1_500; ms < 300_000; ms += 1_500) {
    assert.equal(serviceStatus(feed, [], after(start, ms - 1), ms - 1).ticker, 'operational', `${ms} ms`);
    feed.signOfLife(ms, after(start, ms), ms);
  }
  assert.equal(serviceStatus(feed, [], after(start, 299_000), 299_000).lastUpdatedAt, start);
});

test('no jump of a clock makes a silent feed look alive, and an older sign of life changes nothing', () => {
  const feed = fedAtStart();
  assert.equal(serviceStatus(feed, [], after(start, -60_000), 5_001).ticker, 'degraded', 'wall clock set back');
  assert.equal(serviceStatus(feed, [], after(start, 60_000), 10).ticker, 'degraded', 'a machine that slept');
  feed.signOfLife(-1, after(start, 5_001), 5_001);
  assert.equal(feed.sign(after(start, 5_001), 5_001).silentMs, 5_001);
  feed.signOfLife(5_000, after(start, 5_001), 5_001);
  assert.equal(feed.sign(after(start, 5_001), 5_001).silentMs, 1);
});

test('what another process sent of its feed is no sign that it still lives', () => {
  const feed = new FeedStatus();
  feed.followed('live', start, 0);
  assert.equal(serviceStatus(feed, [], start, 0).ticker, 'degraded');
  feed.signOfLife(0, start, 0);
  assert.equal(serviceStatus(feed, [], start, 0).ticker, 'operational');
});
