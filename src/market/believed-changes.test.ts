import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Change,
  calm,
  drifting,
  everyMs,
  frozen,
  honest,
  lying,
  PlayedMarket,
  type Quoting,
  type Truth,
} from './believed.testing.ts';

/** A restart, however long it takes, and another process that takes over. */
const changes: readonly (readonly [Change, number])[] = [
  ['restart', 3_000],
  ['restart', 60_000],
  ['another process', 1_000],
];
/** An error may be as wide as the band, and a little more until it is seen. */
const offMax = 0.0235;
/** Until it is seen that a source is still. */
const seenWithinMs = 12_000;
/** Connections are made, and the first price waits for a second source. */
const settledAfterMs = 4_000;

interface Situation {
  readonly sources: readonly Quoting[];
  readonly truth?: Truth;
  readonly mode?: 'primary' | 'median';
  readonly forMs: number;
}

/** Plays a situation through with a change at an instant, and asserts that what is served was true a moment ago. */
function playThrough({ sources, truth = calm, mode = 'primary', forMs }: Situation, change: Change, span: Span) {
  const market = new PlayedMarket(mode, sources.length);
  if (change === 'another process') market.follow();
  market.play(sources, span.atMs);
  market.change(change, span.awayMs);
  market.play(sources, forMs - market.nowMs, () => {
    const { nowMs } = market;
    const sinceMs = nowMs - span.atMs - span.awayMs;
    if (sinceMs < settledAfterMs) return false;
    const when = `${market.used} ${market.bid} at ${nowMs} ms, ${change} at ${span.atMs} ms`;
    assert.ok(market.ageMs <= 5_000, `${when}: ${market.ageMs} ms old`);
    if (sinceMs < seenWithinMs) return false;
    const past = Array.from({ length: seenWithinMs / everyMs }, (_, index) => truth(nowMs - index * everyMs));
    assert.ok(
      past.some((price) => Math.abs(market.bid / price - 1) <= offMax),
      when,
    );
    return false;
  });
  return market;
}

interface Span {
  readonly atMs: number;
  readonly awayMs: number;
}

/** The truth, which goes one way from a minute on. */
function trending(perMinute: number): Truth {
  return (atMs) => calm(atMs) * (1 + (perMinute * Math.max(0, atMs - 60_000)) / 60_000);
}

for (const [change, awayMs] of changes) {
  const when = `with ${change} in the middle, ${awayMs / 1_000} s`;

  test(`of three the honest third makes the price where the second drifts and the first dies, ${when} (fault row 89)`, () => {
    for (const [mode, perMinute, driftAtDeath] of [
      ['primary', 0.005, 0.01],
      ['primary', -0.01, 0.019],
      ['median', 0.01, 0.019],
      ['primary', 0.01, 0.01],
      ['primary', 0.01, 0.03],
    ] as const) {
      const diesAtMs = 60_000 + Math.round((driftAtDeath / Math.abs(perMinute)) * 60) * 1_000;
      const sources = [{ ...honest(), diesAtMs }, drifting(perMinute, 60_000, 10), honest(20)];
      for (const atMs of [diesAtMs - 20_000, diesAtMs + 1_000, diesAtMs + 60_000]) {
        const market = playThrough({ sources, mode, forMs: diesAtMs + 200_000 }, change, { atMs, awayMs });
        assert.deepEqual([market.used, market.stateOf('two')?.exclusion], ['three', 'contradicted']);
      }
    }
  });

  test(`a source that drifts is left and its death is nothing, ${when} (fault row 90)`, () => {
    for (const perMinute of [0.005, -0.01]) {
      const diesAtMs = 60_000 + Math.round((0.05 / Math.abs(perMinute)) * 60) * 1_000;
      const sources = [{ ...drifting(perMinute, 60_000, 10), diesAtMs }, honest(20)];
      const outAtMs = 60_000 + (0.02 / Math.abs(perMinute)) * 60_000;
      for (const atMs of [outAtMs - 30_000, outAtMs - 1_000, outAtMs + 5_000, diesAtMs - 2_000, diesAtMs + 1_000])
        assert.equal(playThrough({ sources, forMs: diesAtMs + 100_000 }, change, { atMs, awayMs }).used, 'two');
    }
  });

  test(`a source that repeats itself is left and its death is nothing, ${when} (fault row 90)`, () => {
    const truth = trending(0.005);
    const diesAtMs = 420_000;
    const sources = [{ ...frozen(60_000, 0, truth), diesAtMs }, honest(10, truth)];
    for (const atMs of [200_000, 299_000, 310_000, 400_000, 421_000]) {
      const market = playThrough({ sources, truth, forMs: 700_000 }, change, { atMs, awayMs });
      assert.deepEqual([market.used, market.ageMs <= 1_000], ['two', true]);
    }
  });

  test(`two of three that say a hundred times the price for less than a level has to hold are never believed, ${when} (fault row 91)`, () => {
    const sources = [honest(), lying(100, 60_000, 10, 69_000), lying(100, 60_500, 20, 69_000)];
    for (const atMs of [59_000, 62_000, 66_000, 68_500])
      assert.equal(playThrough({ sources, forMs: 200_000 }, change, { atMs, awayMs }).used, 'one');
  });

  test(`a contradicted source that comes back to the old price makes none before a minute is over, ${when}`, () => {
    for (const factor of [1.05, 3]) {
      const sources = [lying(factor, 60_000, 0, 120_000), honest(10)];
      const market = playThrough({ sources, forMs: 170_000 }, change, { atMs: 80_000, awayMs });
      assert.equal(market.used, 'two');
      market.play(sources, 60_000);
      assert.equal(market.used, 'one');
    }
  });
}

test('of three that freeze one after the other the one that moves makes the price', () => {
  const truth = trending(0.01);
  const sources = [frozen(60_000, 0, truth), frozen(240_000, 10, truth), honest(20, truth)];
  const market = playThrough({ sources, truth, forMs: 600_000 }, 'restart', { atMs: 100_000, awayMs: 3_000 });
  assert.equal(market.used, 'three');
  for (const id of ['one', 'two']) assert.equal(market.stateOf(id)?.exclusion, 'contradicted');
});

test('two of three that freeze together at one price are a majority: where two are still nobody can know who is wrong', () => {
  const truth = trending(0.01);
  const market = new PlayedMarket('primary', 3);
  market.play([frozen(60_000, 0, truth), frozen(60_000, 10, truth), honest(20, truth)], 300_000);
  assert.deepEqual([market.used, market.stateOf('three')?.exclusion], ['one', 'contradicted']);
});

/** Drifts, is contradicted, and is left alone for a while. */
function leftAlone(goneMs: number): PlayedMarket {
  const market = new PlayedMarket('primary', 2);
  const drift = drifting(0.01, 10_000);
  market.play([drift, honest(10)], 240_000);
  assert.deepEqual([market.used, market.stateOf('one')?.exclusion], ['two', 'contradicted']);
  market.play([drift, { ...honest(10), diesAtMs: 0 }], goneMs);
  return market;
}

test('a contradicted source makes no price while the other is away for a moment, and does when it is gone', () => {
  const market = leftAlone(1_500);
  assert.equal(market.used, 'two');
  market.play([drifting(0.01, 10_000), honest(10)], 5_000);
  assert.deepEqual([market.used, market.stateOf('one')?.exclusion], ['two', 'contradicted']);
  assert.equal(leftAlone(3_000).used, 'one');
});

test('one that was contradicted and then alone is contradicted again once the other is back, whatever its own level is by then', () => {
  const market = leftAlone(120_000);
  assert.equal(market.used, 'one');
  market.play([drifting(0.01, 10_000), honest(10)], 1_000);
  assert.deepEqual([market.used, market.stateOf('one')?.exclusion], ['two', 'contradicted']);
});

test('and no longer where it agrees with the one that is back', () => {
  const market = leftAlone(120_000);
  const jumped: Quoting = { bid: (atMs) => honest().bid(atMs)! * 1.05 };
  market.play([honest(), honest(10)], 10_000);
  market.play([honest(), jumped], 5_000);
  assert.deepEqual([market.used, market.stateOf('two')?.exclusion], ['one', 'contradicted']);
});
