import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import type { MaintenanceWindow } from '../market/maintenance.ts';
import { after } from '../market/samples.testing.ts';
import { FeedStatus } from '../market/service-status.ts';
import { ServiceBoard } from './service-board.ts';

interface Service {
  readonly clock: FakeClock;
  readonly feed: FeedStatus;
  readonly board: ServiceBoard;
}

function service(): Service {
  const clock = new FakeClock();
  const feed = new FeedStatus();
  return { clock, feed, board: new ServiceBoard(feed, clock) };
}

function feedNow({ clock, feed }: Service, path: 'live' | 'fallback' = 'live'): void {
  feed.pathChanged(path);
  feed.feedCurrent(path, clock.now(), clock.monotonicMs());
}

function windowAt({ clock }: Service, fromMs: number, toMs: number): MaintenanceWindow {
  return {
    from: after(clock.now(), fromMs),
    to: after(clock.now(), toMs),
    description: 'Upgrade of the price database.',
  };
}

test('a feed that never delivered is reported with two nulls, and no window with null', () => {
  const { clock, board } = service();
  assert.deepEqual(board.status(clock.now()), {
    status: 'outage',
    api: 'operational',
    components: { ticker: 'outage' },
    maintenance: null,
    lastUpdatedAt: null,
    lastUpdatedAtMs: null,
    serverTime: '2026-11-21T10:00:00.000Z',
    serverTimeMs: 1795255200000,
  });
});

test('every pair of the status is one instant, and their distance is the age of the data', async () => {
  const it = service();
  feedNow(it);
  it.board.setWindows([windowAt(it, 3_600_000, 7_200_001)]);
  await it.clock.advance(400);
  assert.deepEqual(it.board.status(it.clock.now()), {
    status: 'operational',
    api: 'operational',
    components: { ticker: 'operational' },
    maintenance: {
      from: '2026-11-21T11:00:00.000Z',
      fromMs: 1795258800000,
      to: '2026-11-21T12:00:00.001Z',
      toMs: 1795262400001,
      description: 'Upgrade of the price database.',
    },
    lastUpdatedAt: '2026-11-21T10:00:00.000Z',
    lastUpdatedAtMs: 1795255200000,
    serverTime: '2026-11-21T10:00:00.400Z',
    serverTimeMs: 1795255200400,
  });
});

test('the first millisecond of 1970 is an instant and not null', () => {
  const { board, feed } = service();
  const epoch = after(service().clock.now(), -service().clock.now());
  feed.feedCurrent('live', epoch, 0);
  assert.equal(board.status(epoch).lastUpdatedAtMs, 0);
  assert.equal(board.status(epoch).lastUpdatedAt, '1970-01-01T00:00:00.000Z');
});

test('the body goes to degraded with the first millisecond past five seconds without a sign of life, and to outage past five minutes without data, keeping its last update', async () => {
  const it = service();
  feedNow(it);
  await it.clock.advance(5_000);
  assert.equal(it.board.status(it.clock.now()).components.ticker, 'operational');
  await it.clock.advance(1);
  assert.equal(it.board.status(it.clock.now()).components.ticker, 'degraded');
  await it.clock.advance(294_999);
  it.feed.signOfLife(it.clock.monotonicMs(), it.clock.now(), it.clock.monotonicMs());
  assert.equal(it.board.status(it.clock.now()).components.ticker, 'operational');
  await it.clock.advance(1);
  const late = it.board.status(it.clock.now());
  assert.deepEqual([late.status, late.components.ticker, late.lastUpdatedAtMs], ['outage', 'outage', 1795255200000]);
});

test('the fallback shows as degraded', () => {
  const it = service();
  feedNow(it, 'fallback');
  const { status, api, components } = it.board.status(it.clock.now());
  assert.deepEqual([status, api, components.ticker], ['degraded', 'operational', 'degraded']);
});

test('a running window is maintenance, and the ticker keeps its own state', async () => {
  const it = service();
  it.board.setWindows([windowAt(it, 0, 1_000)]);
  const during = it.board.status(it.clock.now());
  assert.deepEqual([during.status, during.api, during.components.ticker], ['maintenance', 'maintenance', 'outage']);
  assert.equal(during.maintenance?.toMs, it.clock.now() + 1_000);
  await it.clock.advance(1_000);
  const afterwards = it.board.status(it.clock.now());
  assert.deepEqual([afterwards.status, afterwards.api, afterwards.maintenance], ['outage', 'operational', null]);
});

test('clients are sent away for the seconds to the end of the running window only, from 1 to 3600', () => {
  const it = service();
  const now = it.clock.now();
  assert.equal(it.board.maintenanceRetryAfterSeconds(now), undefined);
  it.board.setWindows([windowAt(it, 1, 90_000)]);
  assert.equal(it.board.maintenanceRetryAfterSeconds(now), undefined, 'announced is not running');
  assert.equal(it.board.maintenanceRetryAfterSeconds(after(now, 1)), 90);
  assert.equal(it.board.maintenanceRetryAfterSeconds(after(now, 89_999)), 1);
  assert.equal(it.board.maintenanceRetryAfterSeconds(after(now, 90_000)), undefined);
  it.board.setWindows([windowAt(it, 0, 86_400_000)]);
  assert.equal(it.board.maintenanceRetryAfterSeconds(now), 3600);
});

test('setting windows replaces those before: an ended or cancelled one is gone at once', () => {
  const it = service();
  it.board.setWindows([windowAt(it, 0, 1_000)]);
  it.board.setWindows([]);
  assert.equal(it.board.maintenanceRetryAfterSeconds(it.clock.now()), undefined);
  assert.equal(it.board.status(it.clock.now()).maintenance, null);
});

test('a wall clock set back during an outage leaves the outage, with the true age', async () => {
  const it = service();
  feedNow(it);
  await it.clock.advance(400_000);
  it.clock.jump(-390_000);
  const { components, lastUpdatedAtMs, serverTimeMs } = it.board.status(it.clock.now());
  assert.equal(components.ticker, 'outage');
  assert.equal(serverTimeMs - lastUpdatedAtMs!, 400_000);
});

test('windows are listed by their start and then their end, running ones too, until the very instant of their end', () => {
  const it = service();
  const [longer, later, running, over] = [
    windowAt(it, 60_000, 180_000),
    windowAt(it, 90_000, 100_000),
    windowAt(it, -60_000, 1_000),
    windowAt(it, -60_000, 0),
  ];
  const shorter = windowAt(it, 60_000, 120_000);
  it.board.setWindows([later, longer, over, shorter, running]);
  const starts = (atMs: number) =>
    it.board
      .windows(after(it.clock.now(), atMs))
      .map(({ fromMs, toMs }) => [fromMs - it.clock.now(), toMs - it.clock.now()]);
  assert.deepEqual(starts(0), [
    [-60_000, 1_000],
    [60_000, 120_000],
    [60_000, 180_000],
    [90_000, 100_000],
  ]);
  assert.equal(starts(999).length, 4);
  assert.equal(starts(1_000).length, 3);
  assert.deepEqual(it.board.announced, [later, longer, over, shorter, running], 'as they were set');
  it.board.setWindows([]);
  assert.deepEqual([it.board.windows(it.clock.now()), it.board.announced], [[], []]);
});

test('the state of the feed alone is that of the status', () => {
  const it = service();
  assert.equal(it.board.feedStatus(it.clock.now()), 'outage');
  feedNow(it);
  assert.equal(it.board.feedStatus(it.clock.now()), 'operational');
  feedNow(it, 'fallback');
  assert.equal(it.board.feedStatus(it.clock.now()), 'degraded');
});
