import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import type { LiveConnection, LiveListener } from './connector.ts';
import { LiveLink } from './live-link.ts';
import { partsForTest } from './parts.testing.ts';

const connection: LiveConnection = {
  subscribe() {},
  unsubscribe() {},
  ping() {},
  terminate() {},
};

function setUp(fraction: number, openLive: (listener: LiveListener) => LiveConnection) {
  const clock = new FakeClock();
  const tries: number[] = [];
  const connector = {
    openLive(listener: LiveListener) {
      tries.push(clock.monotonicMs());
      return openLive(listener);
    },
  };
  const randomness = { fraction: () => fraction, bytes: () => new Uint8Array() };
  const parts = partsForTest({ connector, clock, randomness });
  const heard: string[] = [];
  const link = new LiveLink(parts, { event: ({ type }) => heard.push(type), ended() {}, subscribed: () => [] });
  return { clock, tries, heard, counters: parts.counters, ended: parts.counters.connectionsEnded, link };
}

const closesAtOnce = (listener: LiveListener) => {
  listener({ type: 'closed', reason: 'closed', detail: '', retryAfterMs: undefined });
  return connection;
};

test('even with back-offs close to zero there are at most ten connects a minute (fault row 43)', async () => {
  const { clock, tries, link } = setUp(0.01, closesAtOnce);
  link.start();
  await clock.advance(179_999);
  assert.ok(tries.length >= 25, `${tries.length} connects in three minutes`);
  for (const [index, atMs] of tries.entries()) {
    const eleventh = tries[index + 10];
    if (eleventh !== undefined) assert.ok(eleventh - atMs >= 60_000, 'an eleventh connect within a minute');
  }
  link.stop();
  assert.equal(clock.pendingTimers, 0);
});

test('the longest back-off is thirty seconds (fault row 43)', async () => {
  const { clock, tries, link } = setUp(0.999, closesAtOnce);
  link.start();
  await clock.advance(300_000);
  const waits = tries.slice(1).map((atMs, index) => Math.round((atMs - (tries[index] ?? 0)) / 100) / 10);
  assert.deepEqual(waits.slice(0, 8), [0.5, 1, 2, 4, 8, 16, 30, 30]);
  link.stop();
});

test('a connector that throws instead of connecting is an end like any other', async () => {
  const { clock, tries, ended, link } = setUp(0.5, () => {
    throw new SyntaxError('not an address');
  });
  link.start();
  await clock.advance(1_000);
  assert.ok(tries.length >= 2);
  assert.deepEqual(Object.keys(ended), ['protocol']);
  link.stop();
});

test('what waited while the process stood still is not taken for what is so now: the connection is made anew', async () => {
  let tell: LiveListener = () => {};
  const { clock, tries, heard, counters, ended, link } = setUp(0.5, (listener) => {
    tell = listener;
    return connection;
  });
  link.start();
  tell({ type: 'opened' });
  await clock.advance(4_000);
  clock.standStill(3_000);
  tell({ type: 'frame' });
  assert.deepEqual([heard, ended], [['opened', 'frame'], {}]);
  clock.standStill(2_000);
  tell({ type: 'frame' });
  tell({ type: 'frame' });
  assert.deepEqual([heard.length, ended, counters.framesDropped], [2, { transport_silent: 1 }, { late: 2 }]);
  await clock.advance(1_000);
  assert.equal(tries.length, 2);
  tell({ type: 'opened' });
  await clock.advance(5_000);
  tell({ type: 'frame' });
  assert.equal(heard.length, 4);
  // Its timers come first.
  clock.standStill(9_000);
  await clock.advance(0);
  tell({ type: 'frame' });
  assert.deepEqual([heard.length, ended], [4, { transport_silent: 2 }]);
  link.stop();
});
