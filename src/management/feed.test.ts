import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FeedCounters, type FeedHealth } from '../feed/health.ts';
import { healthBody } from './feed.ts';

test('an exchange that cannot be reached is not said to be online, nor how far it is behind', () => {
  const said = (connection: FeedHealth['connection']) => {
    const health: FeedHealth = {
      ...new FeedCounters(),
      path: 'live',
      connection,
      sessions: 1,
      bannedUntil: undefined,
      symbolsWanted: 1,
      symbolsSubscribed: 1,
      symbolsRejected: [],
      symbolsQuiet: 0,
      symbolsDoubted: 0,
      lastLiveDataAgeMs: 0,
      systemStatus: 'online',
      upstreamLagMs: 2,
    };
    const { systemStatus, upstreamLagMs } = healthBody(health);
    return [systemStatus, upstreamLagMs];
  };
  assert.deepEqual(said('open'), ['online', 2]);
  for (const connection of ['waiting', 'connecting', 'idle'] as const) assert.deepEqual(said(connection), [null, null]);
});
