import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import type { FeedHealth } from '../feed/health.ts';
import type { Clock } from '../ground/clock.ts';
import { SourceTrends, trendMinutesMax } from './source-trends.ts';

const minuteMs = 60_000;

function sampled() {
  const clock = new FakeClock();
  const health: { connection: FeedHealth['connection']; lastLiveDataAgeMs: number | undefined } = {
    connection: 'open',
    lastLiveDataAgeMs: 400.4,
  };
  const sources = [{ id: 'kraken', health }];
  const trends = new SourceTrends({ sources: () => sources }, clock);
  /** Goes to the last sample of a minute. */
  const endMinute = () => clock.advance(minuteMs - (clock.monotonicMs() % minuteMs) - 1);
  const nextMinute = async () => {
    await clock.advance(1_000);
    await endMinute();
  };
  return { clock, health, sources, trends, endMinute, nextMinute };
}

test('each minute of a source keeps its worst second, and one without a connection is a gap', async () => {
  const { health, trends, clock, endMinute, nextMinute } = sampled();
  await endMinute();
  await clock.advance(2_000);
  health.lastLiveDataAgeMs = 5_000;
  await clock.advance(1_000);
  health.lastLiveDataAgeMs = 300;
  await clock.advance(1_000);
  health.connection = 'waiting';
  health.lastLiveDataAgeMs = 8_000;
  await endMinute();
  health.lastLiveDataAgeMs = 90_000;
  await nextMinute();
  health.connection = 'open';
  health.lastLiveDataAgeMs = 200;
  await nextMinute();
  assert.deepEqual(trends.of('kraken'), [400, 8_000, null, 200]);
});

test('minutes without a sample are gaps', () => {
  let [nowMs, sample] = [0, () => {}];
  const clock: Pick<Clock, 'monotonicMs' | 'every'> = {
    monotonicMs: () => nowMs,
    every(_, run) {
      sample = run;
      return { cancel() {} };
    },
  };
  const health = { connection: 'open', lastLiveDataAgeMs: 400 } as const;
  const trends = new SourceTrends({ sources: () => [{ id: 'kraken', health }] }, clock);
  for (const at of [0, 1_000, 3.5 * minuteMs]) {
    nowMs = at;
    sample();
  }
  assert.deepEqual(trends.of('kraken'), [400, null, null, 400]);
});

test('only the last hour is kept, a source that is gone is forgotten, and no timer is left after a stop', async () => {
  const { clock, sources, trends } = sampled();
  await clock.advance((trendMinutesMax + 10) * minuteMs);
  assert.equal(trends.of('kraken').length, trendMinutesMax);
  sources.pop();
  await clock.advance(1_000);
  assert.deepEqual(trends.of('kraken'), []);
  trends.stop();
  assert.equal(clock.pendingTimers, 0);
});
