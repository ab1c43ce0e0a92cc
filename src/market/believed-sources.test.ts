import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drifting, everyMs, honest, PlayedMarket, type Quoting } from './believed.testing.ts';

/** Asserts that at every look the price is within a share of the honest one. */
function alwaysNear(market: PlayedMarket, share: number) {
  market.observe(({ source, bid }) => {
    const off = Math.abs(Number(bid) / 84_000 - 1);
    assert.ok(off <= share, `${source} ${bid} at ${market.nowMs} ms`);
  });
}

for (const mode of ['primary', 'median'] as const) {
  test(`${mode}: where the second of three drifts away and the first dies, the third makes the price within 5 s (fault row 89)`, () => {
    const market = new PlayedMarket(mode, 3);
    // It has just left the band, and is hardly further from its own level than the third from its.
    const diesAtMs = 220_000;
    const sources = [{ ...honest(), diesAtMs }, drifting(0.01, 60_000, 10), honest(20)];
    market.play(sources, diesAtMs - everyMs);
    assert.equal(market.stateOf('two')?.exclusion, 'contradicted');
    market.play(sources, 5_000);
    assert.deepEqual([market.used, market.stateOf('three')?.exclusion], ['three', undefined]);
    assert.ok(market.ageMs <= 5_000);
    market.play(sources, 330_000, () => market.used !== 'three');
    assert.deepEqual([market.used, market.stateOf('three')?.exclusion], ['three', undefined]);
    assert.equal(market.stateOf('two')?.exclusion, 'contradicted', 'it is no peer of the third');
  });
}

test('a source that repeats one frame is left within 10 s once the other has moved away from it, and stays left when it dies (fault row 90)', () => {
  const market = new PlayedMarket('primary', 2);
  const diesAtMs = 400_000;
  const moving: Quoting = { bid: (atMs) => 84_000 * (1 + 0.01 * (Math.max(0, atMs - 60_000) / 60_000)) };
  const frozen: Quoting = { bid: () => 84_000, diesAtMs };
  let leftBandAtMs: number | undefined;
  market.play([frozen, moving], diesAtMs, () => {
    if (moving.bid(market.nowMs)! > 84_000 * 1.0199) leftBandAtMs ??= market.nowMs;
    return market.used === 'two';
  });
  assert.equal(market.used, 'two');
  assert.ok(market.nowMs - leftBandAtMs! <= 10_000, `${market.nowMs - leftBandAtMs!} ms`);
  assert.deepEqual([market.stateOf('one')?.exclusion, market.stateOf('two')?.exclusion], ['contradicted', undefined]);
  market.play([frozen, moving], 330_000, () => market.used !== 'two');
  assert.deepEqual([market.used, market.ageMs <= 1_000], ['two', true]);
});

test('a moving source that was doubted at first, because it said too little, takes over once the other is seen to be still', () => {
  const market = new PlayedMarket('primary', 2);
  market.play([honest(), honest(10)], 5_000);
  const frozenAt = honest().bid(market.nowMs)!;
  const frozen: Quoting = { bid: () => frozenAt };
  const jumped: Quoting = { bid: (atMs) => honest(10).bid(atMs)! * 1.05 };
  market.play([frozen, jumped], 2_000);
  assert.deepEqual([market.used, market.stateOf('two')?.exclusion], ['one', 'contradicted'], 'it left its level');
  market.play([frozen, jumped], 10_000);
  assert.deepEqual([market.used, market.stateOf('one')?.exclusion], ['two', 'contradicted'], 'still is not steady');
});

test('one that is quiet, while the other jumps and says little more, is not still: it stayed', () => {
  const market = new PlayedMarket('primary', 2);
  market.play([honest(), honest(10)], 5_000);
  const frozenAt = honest().bid(market.nowMs)!;
  let said = 0;
  const seldom: Quoting = { bid: () => 88_200 + Math.floor(said++ / 8) };
  market.play([{ bid: () => frozenAt }, seldom], 60_000);
  assert.deepEqual([market.used, market.stateOf('two')?.exclusion], ['one', 'contradicted']);
});

test('nor is one still that several contradicted another with: that those are gone does not clear the other', () => {
  const market = new PlayedMarket('primary', 3);
  const frozen: Quoting = { bid: (atMs) => honest().bid(Math.min(atMs, 10_000)) };
  const liar: Quoting = { bid: (atMs) => honest(10).bid(atMs)! * (atMs > 10_000 ? 1.05 : 1) };
  const sources = [frozen, liar, { ...honest(20), diesAtMs: 15_000 }];
  market.play(sources, 60_000);
  assert.deepEqual([market.used, market.stateOf('two')?.exclusion], ['one', 'contradicted']);
});

test('one is not still because two others move that are apart themselves', () => {
  const market = new PlayedMarket('primary', 3);
  const frozen: Quoting = { bid: (atMs) => honest().bid(Math.min(atMs, 10_000)) };
  const off = (factor: number): Quoting => ({ bid: (atMs) => honest().bid(atMs)! * (atMs > 10_000 ? factor : 1) });
  market.play([frozen, off(1.04), off(0.96)], 60_000);
  assert.deepEqual([market.used, market.stateOf('one')?.exclusion], ['one', undefined]);
});

test('of two that never agreed none is wrong because it is still', () => {
  const market = new PlayedMarket('primary', 2);
  market.play([{ bid: () => 84_000 }, { bid: (atMs) => honest().bid(atMs)! * 1.05 }], 60_000);
  assert.deepEqual([market.used, market.stateOf('two')?.exclusion], ['one', 'not_comparable']);
});

for (const perMinute of [-0.01, 0.005]) {
  test(`a source in use that drifts by ${perMinute * 100} % a minute is left once it is out of the band, and the other goes on when it dies (fault row 90)`, () => {
    const market = new PlayedMarket('primary', 2);
    const diesAtMs = 900_000;
    const sources = [{ ...drifting(perMinute, 60_000), diesAtMs }, honest(10)];
    alwaysNear(market, 0.023);
    const isOut = () => Math.abs(drifting(perMinute, 60_000).bid(market.nowMs)! / 84_000 - 1) > 0.022;
    market.play(sources, diesAtMs - everyMs, isOut);
    market.play(sources, 10_000);
    assert.equal(market.used, 'two');
    market.play(sources, diesAtMs - everyMs - market.nowMs);
    assert.deepEqual([market.stateOf('one')?.exclusion, market.stateOf('two')?.exclusion], ['contradicted', undefined]);
    market.play(sources, 330_000, () => market.used !== 'two');
    assert.deepEqual([market.used, market.ageMs <= 1_000], ['two', true]);
  });
}

test('a drift of one that never was very near the other is seen once it is out of its own level', () => {
  const market = new PlayedMarket('primary', 2);
  const sources = [drifting(-0.01, 60_000), honest(750)];
  market.play(sources, 330_000, () => market.used === 'two');
  assert.equal(market.used, 'two');
  assert.equal(market.stateOf('one')?.exclusion, 'contradicted');
});

test('where two were very near one another more than an hour ago, that says nothing of which of them moved', () => {
  const market = new PlayedMarket('primary', 2);
  market.play([honest(), honest(10)], 10_000);
  const [apart, wider] = [84_000 * 0.012, 84_000 * 0.0205];
  market.play([honest(), honest(apart)], 30_000);
  market.nowMs += 3_600_000;
  market.play([honest(), honest(apart)], 10_000);
  market.play([honest(), honest(wider)], 10_000);
  assert.deepEqual([market.stateOf('one')?.doubt, market.stateOf('two')?.doubt], [undefined, undefined]);
});

test('a contradicted source at the edge of the band was followed by nobody, though it agrees for a moment', () => {
  const market = new PlayedMarket('primary', 2);
  market.play([honest(), honest(10)], 10_000);
  const at = (share: number): Quoting => ({ bid: (atMs) => honest().bid(atMs)! * share });
  market.play([honest(), at(1.021)], 2_000);
  assert.equal(market.stateOf('two')?.exclusion, 'contradicted');
  market.play([honest(), at(1.019)], 30_000);
  assert.equal(market.stateOf('two')?.exclusion, 'contradicted');
});

test('a source that comes back with what it said before does not outdo the one that went on alone', () => {
  const market = new PlayedMarket('primary', 2);
  market.play([honest(), honest(10)], 10_000);
  const alone = drifting(0.01, 10_000);
  market.play([alone, { ...honest(10), diesAtMs: 0 }], 180_000);
  market.play([alone, honest(10)], 2_000);
  assert.deepEqual([market.used, market.stateOf('one')?.exclusion], ['one', undefined]);
});

test('sources that agreed are never not comparable, though neither left its level', () => {
  const market = new PlayedMarket('primary', 2);
  market.play([honest(), honest(10)], 10_000);
  // Both leave at once, in opposite directions: nobody can know which is right.
  const apart = [
    { bid: (atMs: number) => honest().bid(atMs)! * 0.987 },
    { bid: (atMs: number) => honest().bid(atMs)! * 1.013 },
  ];
  market.play(apart, 60_000);
  assert.deepEqual([market.stateOf('one')?.doubt, market.stateOf('two')?.doubt], [undefined, undefined]);
  assert.equal(market.used, 'one');
  market.play([{ ...apart[0]!, diesAtMs: 0 }, apart[1]!], 5_000);
  assert.equal(market.used, 'two');
});

test('that two agreed is remembered over a restart for a day, and no longer', () => {
  for (const [awayMs, expected] of [
    [60_000, 'contradicted'],
    [3_600_000, undefined],
    [23 * 3_600_000, undefined],
    [25 * 3_600_000, 'not_comparable'],
  ] as const) {
    const market = new PlayedMarket('primary', 2);
    market.play([honest(), honest(10)], 10_000);
    market.change('restart', awayMs);
    market.play([honest(), { bid: (atMs) => honest().bid(atMs)! * 1.05 }], 10_000);
    assert.equal(market.stateOf('two')?.exclusion, expected, `${awayMs} ms`);
  }
});

/** One in use stays, the two others say a multiple of it, one a moment before the other. */
function pairOfLiars(factor: number, fromMs: number, diesAtMs?: number) {
  const liar = (beside: number, at: number): Quoting => {
    return { bid: (atMs) => honest(beside).bid(atMs)! * (atMs >= at ? factor : 1) };
  };
  const used = diesAtMs === undefined ? honest() : { ...honest(), diesAtMs };
  return [used, liar(10, fromMs), liar(20, fromMs + everyMs)];
}

for (const factor of [100, 0.01, 2.1, 0.45]) {
  test(`two of three that say ${factor} times the price while the one in use stays wait as long as a level has to hold (fault row 91)`, () => {
    const market = new PlayedMarket('primary', 3);
    market.play(pairOfLiars(factor, 10_500), 10_000);
    const sources = pairOfLiars(factor, 10_500);
    market.play(sources, 1_500);
    for (const id of ['two', 'three']) assert.equal(market.stateOf(id)?.exclusion, 'contradicted', 'named at once');
    assert.equal(market.used, 'one');
    market.play(sources, 8_000, () => market.used !== 'one');
    assert.equal(market.used, 'one');
    market.play(sources, 4_000);
    assert.deepEqual(
      [market.used, market.stateOf('one')?.exclusion],
      ['two', 'contradicted'],
      'a majority, for long enough',
    );
  });
}

test('nor are they believed sooner where the one in use dies meanwhile', () => {
  const market = new PlayedMarket('primary', 3);
  market.play(pairOfLiars(100, 10_500, 12_000), 10_000);
  const sources = pairOfLiars(100, 10_500, 12_000);
  market.play(sources, 9_500, () => market.bid > 90_000);
  assert.ok(market.bid < 90_000, `${market.bid} at ${market.nowMs} ms`);
  market.play(sources, 5_000);
  assert.ok(market.bid > 90_000);
});

test('the next majority beyond the ceiling waits as long as the one before', () => {
  const market = new PlayedMarket('primary', 3);
  const liar = (beside: number): Quoting => {
    const factorAt = (atMs: number) => (atMs < 10_000 ? 1 : atMs < 120_000 ? 3 : 9);
    return { bid: (atMs) => honest(beside).bid(atMs)! * factorAt(atMs - beside * 50) };
  };
  const used: Quoting = { bid: (atMs) => honest().bid(atMs)! * (atMs < 30_000 ? 1 : 3) };
  const sources = [used, liar(10), liar(20)];
  market.play(sources, 118_000);
  assert.ok(Math.abs(market.bid / 252_000 - 1) < 0.01, 'all have agreed for long');
  market.play(sources, 9_000, () => market.bid > 300_000);
  assert.ok(market.bid < 300_000, `${market.bid} at ${market.nowMs} ms`);
});

test('a clock that is set back does not make the wait endless', () => {
  const market = new PlayedMarket('primary', 3);
  market.nowMs = 3_600_000;
  const sources = pairOfLiars(100, 3_610_500);
  market.play(sources, 12_000);
  assert.equal(market.used, 'one');
  market.nowMs -= 3_000_000;
  market.play(pairOfLiars(100, 0), 12_000);
  assert.equal(market.used, 'two');
});

test('where the one in use moves with another, beyond the ceiling too, nothing waits', () => {
  const market = new PlayedMarket('primary', 3);
  const moved = (beside: number, fromMs: number): Quoting => {
    return { bid: (atMs) => honest(beside).bid(atMs)! * (atMs >= fromMs ? 2.5 : 1) };
  };
  const sources = [moved(0, 10_500), moved(10, 11_500), moved(20, 13_000)];
  market.play(sources, 11_500);
  assert.ok(market.bid > 200_000, `${market.bid}`);
});

test('a majority below the ceiling is believed at once', () => {
  const market = new PlayedMarket('primary', 3);
  market.play(pairOfLiars(1.8, 10_500), 10_000);
  market.play(pairOfLiars(1.8, 10_500), 1_500);
  assert.deepEqual([market.used, market.stateOf('one')?.exclusion], ['two', 'contradicted']);
});

for (const fall of [0.3, 0.7]) {
  for (const lagMs of [0, 1_500, 3_000]) {
    test(`an honest crash of ${fall * 100} % within a minute, with sources ${lagMs} ms behind, is never held for over 5 s (fault row 91)`, () => {
      for (const order of [
        [0, 1, 2],
        [2, 1, 0],
        [1, 0, 2],
      ]) {
        const market = new PlayedMarket('primary', 3);
        const truth = (atMs: number) => {
          const share = Math.min(1, Math.max(0, (atMs - 10_000) / 60_000));
          return honest().bid(atMs)! * (1 - fall * share);
        };
        const sources = order.map((rank): Quoting => ({ bid: (atMs) => truth(atMs - rank * lagMs) }));
        const served: [number, number][] = [];
        market.play(sources, 90_000, () => {
          served.push([market.nowMs, market.bid]);
          // It is never another price than one of the market in the last moments.
          const recent = Array.from({ length: 12 }, (_, index) => truth(market.nowMs - 1_000 * index));
          const isRecent = recent.some((price) => Math.abs(market.bid / price - 1) <= 0.025);
          assert.ok(market.nowMs < 1_000 || isRecent, `${market.bid} at ${market.nowMs} ms, order ${order}`);
          assert.ok(market.nowMs < 3_000 || market.ageMs <= 5_000, `${market.ageMs} ms old, order ${order}`);
          return false;
        });
      }
    });
  }
}
