import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BTCEUR, MarketRig } from './market-rig.testing.ts';
import { after, start } from './samples.testing.ts';
import type { Reach } from './source-choice.ts';

type Mode = 'primary' | 'median';

interface Quoting {
  /** The bid at an instant; `undefined`: it says nothing. */
  readonly bid: (atMs: number) => number | undefined;
  /** Until when its connection lives. */
  readonly diesAtMs?: number;
}

const everyMs = 500;

/** A market at about 84000 that moves a little, each source a little beside it. */
function honest(beside = 0): Quoting {
  return { bid: (atMs) => 84_000 + beside + 20 * Math.sin(atMs / 7_000) };
}

/** Moves away by a share a minute, down where it is negative. */
function drifting(perMinute: number, fromMs: number, beside = 0): Quoting {
  const { bid } = honest(beside);
  return { bid: (atMs) => bid(atMs)! * (1 + perMinute * Math.max(0, (atMs - fromMs) / 60_000)) };
}

function rigOf(mode: Mode, count: number): MarketRig {
  const ids = ['one', 'two', 'three'].slice(0, count);
  const rig = new MarketRig({ ids, mode });
  for (const id of ids) rig.list(id);
  return rig;
}

/** Lets each source quote twice a second, with a review after it. Stops where `until` holds. */
function play(rig: MarketRig, quoting: readonly Quoting[], forMs: number, until: () => boolean = () => false): void {
  const ids = ['one', 'two', 'three'];
  const endsAtMs = rig.nowMs + forMs;
  while (rig.nowMs < endsAtMs && !until()) {
    rig.nowMs += everyMs;
    const reaches = quoting.map(({ bid, diesAtMs = Number.POSITIVE_INFINITY }, index): Reach => {
      if (rig.nowMs >= diesAtMs) return 'silent';
      const price = bid(rig.nowMs);
      if (price !== undefined) rig.tick(ids[index]!, price.toFixed(2), { ...rangeOf(price) });
      return 'live';
    });
    rig.review(...reaches);
  }
}

function rangeOf(price: number) {
  return { low24h: (price * 0.8).toFixed(2) as never, high24h: (price * 1.2).toFixed(2) as never };
}

const stateOf = (rig: MarketRig, id: string) => rig.markets.sources.states(BTCEUR).find((state) => state.id === id);
const bidOf = (rig: MarketRig) => Number(rig.markets.acceptedTicker(BTCEUR)?.bid);
const ageMs = (rig: MarketRig) => after(start, rig.nowMs) - (rig.markets.acceptedTicker(BTCEUR)?.capturedAt ?? 0);

/** Asserts that at every look the price is within a share of the honest one. */
function alwaysNear(rig: MarketRig, share: number) {
  rig.markets.observe({
    tickerChanged: () => {
      const ticker = rig.markets.acceptedTicker(BTCEUR);
      if (ticker === undefined) return;
      const off = Math.abs(Number(ticker.bid) / 84_000 - 1);
      assert.ok(off <= share, `${ticker.source} ${ticker.bid} at ${rig.nowMs} ms`);
    },
  });
}

for (const mode of ['primary', 'median'] as const) {
  test(`${mode}: where the second of three drifts away and the first dies, the third makes the price within 5 s (fault row 89)`, () => {
    const rig = rigOf(mode, 3);
    // It has just left the band, and is hardly further from its own level than the third from its.
    const diesAtMs = 220_000;
    const sources = [{ ...honest(), diesAtMs }, drifting(0.01, 60_000, 10), honest(20)];
    play(rig, sources, diesAtMs - everyMs);
    assert.equal(stateOf(rig, 'two')?.exclusion, 'contradicted');
    play(rig, sources, 5_000);
    assert.deepEqual([rig.used, stateOf(rig, 'three')?.exclusion], ['three', undefined]);
    assert.ok(ageMs(rig) <= 5_000);
    play(rig, sources, 330_000, () => rig.used !== 'three');
    assert.deepEqual([rig.used, stateOf(rig, 'three')?.exclusion], ['three', undefined]);
    assert.equal(stateOf(rig, 'two')?.exclusion, 'contradicted', 'it is no peer of the third');
  });
}

test('a source that repeats one frame is left within 10 s once the other has moved away from it, and stays left when it dies (fault row 90)', () => {
  const rig = rigOf('primary', 2);
  const diesAtMs = 400_000;
  const moving: Quoting = { bid: (atMs) => 84_000 * (1 + 0.01 * (Math.max(0, atMs - 60_000) / 60_000)) };
  const frozen: Quoting = { bid: () => 84_000, diesAtMs };
  let leftBandAtMs: number | undefined;
  play(rig, [frozen, moving], diesAtMs, () => {
    if (moving.bid(rig.nowMs)! > 84_000 * 1.0199) leftBandAtMs ??= rig.nowMs;
    return rig.used === 'two';
  });
  assert.equal(rig.used, 'two');
  assert.ok(rig.nowMs - leftBandAtMs! <= 10_000, `${rig.nowMs - leftBandAtMs!} ms`);
  assert.deepEqual([stateOf(rig, 'one')?.exclusion, stateOf(rig, 'two')?.exclusion], ['contradicted', undefined]);
  play(rig, [frozen, moving], 330_000, () => rig.used !== 'two');
  assert.deepEqual([rig.used, ageMs(rig) <= 1_000], ['two', true]);
});

test('a moving source that was doubted at first, because it said too little, takes over once the other is seen to be still', () => {
  const rig = rigOf('primary', 2);
  play(rig, [honest(), honest(10)], 5_000);
  const frozenAt = honest().bid(rig.nowMs)!;
  const frozen: Quoting = { bid: () => frozenAt };
  const jumped: Quoting = { bid: (atMs) => honest(10).bid(atMs)! * 1.05 };
  play(rig, [frozen, jumped], 2_000);
  assert.deepEqual([rig.used, stateOf(rig, 'two')?.exclusion], ['one', 'contradicted'], 'it left its level');
  play(rig, [frozen, jumped], 10_000);
  assert.deepEqual([rig.used, stateOf(rig, 'one')?.exclusion], ['two', 'contradicted'], 'still is not steady');
});

test('one that is quiet, while the other jumps and says little more, is not still: it stayed', () => {
  const rig = rigOf('primary', 2);
  play(rig, [honest(), honest(10)], 5_000);
  const frozenAt = honest().bid(rig.nowMs)!;
  let said = 0;
  const seldom: Quoting = { bid: () => 88_200 + Math.floor(said++ / 8) };
  play(rig, [{ bid: () => frozenAt }, seldom], 60_000);
  assert.deepEqual([rig.used, stateOf(rig, 'two')?.exclusion], ['one', 'contradicted']);
});

test('nor is one still that several contradicted another with: that those are gone does not clear the other', () => {
  const rig = rigOf('primary', 3);
  const frozen: Quoting = { bid: (atMs) => honest().bid(Math.min(atMs, 10_000)) };
  const liar: Quoting = { bid: (atMs) => honest(10).bid(atMs)! * (atMs > 10_000 ? 1.05 : 1) };
  const sources = [frozen, liar, { ...honest(20), diesAtMs: 15_000 }];
  play(rig, sources, 60_000);
  assert.deepEqual([rig.used, stateOf(rig, 'two')?.exclusion], ['one', 'contradicted']);
});

test('one is not still because two others move that are apart themselves', () => {
  const rig = rigOf('primary', 3);
  const frozen: Quoting = { bid: (atMs) => honest().bid(Math.min(atMs, 10_000)) };
  const off = (factor: number): Quoting => ({ bid: (atMs) => honest().bid(atMs)! * (atMs > 10_000 ? factor : 1) });
  play(rig, [frozen, off(1.04), off(0.96)], 60_000);
  assert.deepEqual([rig.used, stateOf(rig, 'one')?.exclusion], ['one', undefined]);
});

test('of two that never agreed none is wrong because it is still', () => {
  const rig = rigOf('primary', 2);
  play(rig, [{ bid: () => 84_000 }, { bid: (atMs) => honest().bid(atMs)! * 1.05 }], 60_000);
  assert.deepEqual([rig.used, stateOf(rig, 'two')?.exclusion], ['one', 'not_comparable']);
});

for (const perMinute of [-0.01, 0.005]) {
  test(`a source in use that drifts by ${perMinute * 100} % a minute is left once it is out of the band, and the other goes on when it dies (fault row 90)`, () => {
    const rig = rigOf('primary', 2);
    const diesAtMs = 900_000;
    const sources = [{ ...drifting(perMinute, 60_000), diesAtMs }, honest(10)];
    alwaysNear(rig, 0.023);
    const isOut = () => Math.abs(drifting(perMinute, 60_000).bid(rig.nowMs)! / 84_000 - 1) > 0.022;
    play(rig, sources, diesAtMs - everyMs, isOut);
    play(rig, sources, 10_000);
    assert.equal(rig.used, 'two');
    play(rig, sources, diesAtMs - everyMs - rig.nowMs);
    assert.deepEqual([stateOf(rig, 'one')?.exclusion, stateOf(rig, 'two')?.exclusion], ['contradicted', undefined]);
    play(rig, sources, 330_000, () => rig.used !== 'two');
    assert.deepEqual([rig.used, ageMs(rig) <= 1_000], ['two', true]);
  });
}

test('a drift of one that never was very near the other is seen once it is out of its own level', () => {
  const rig = rigOf('primary', 2);
  const sources = [drifting(-0.01, 60_000), honest(750)];
  play(rig, sources, 330_000, () => rig.used === 'two');
  assert.equal(rig.used, 'two');
  assert.equal(stateOf(rig, 'one')?.exclusion, 'contradicted');
});

test('where two were very near one another more than an hour ago, that says nothing of which of them moved', () => {
  const rig = rigOf('primary', 2);
  play(rig, [honest(), honest(10)], 10_000);
  const [apart, wider] = [84_000 * 0.012, 84_000 * 0.0205];
  play(rig, [honest(), honest(apart)], 30_000);
  rig.nowMs += 3_600_000;
  play(rig, [honest(), honest(apart)], 10_000);
  play(rig, [honest(), honest(wider)], 10_000);
  assert.deepEqual([stateOf(rig, 'one')?.doubt, stateOf(rig, 'two')?.doubt], [undefined, undefined]);
});

test('a contradicted source at the edge of the band was followed by nobody, though it agrees for a moment', () => {
  const rig = rigOf('primary', 2);
  play(rig, [honest(), honest(10)], 10_000);
  const at = (share: number): Quoting => ({ bid: (atMs) => honest().bid(atMs)! * share });
  play(rig, [honest(), at(1.021)], 2_000);
  assert.equal(stateOf(rig, 'two')?.exclusion, 'contradicted');
  play(rig, [honest(), at(1.019)], 30_000);
  assert.equal(stateOf(rig, 'two')?.exclusion, 'contradicted');
});

test('a source that comes back with what it said before does not outdo the one that went on alone', () => {
  const rig = rigOf('primary', 2);
  play(rig, [honest(), honest(10)], 10_000);
  const alone = drifting(0.01, 10_000);
  play(rig, [alone, { ...honest(10), diesAtMs: 0 }], 180_000);
  play(rig, [alone, honest(10)], 2_000);
  assert.deepEqual([rig.used, stateOf(rig, 'one')?.exclusion], ['one', undefined]);
});

test('sources that agreed are never not comparable, though neither left its level', () => {
  const rig = rigOf('primary', 2);
  play(rig, [honest(), honest(10)], 10_000);
  // Both leave at once, in opposite directions: nobody can know which is right.
  const apart = [
    { bid: (atMs: number) => honest().bid(atMs)! * 0.987 },
    { bid: (atMs: number) => honest().bid(atMs)! * 1.013 },
  ];
  play(rig, apart, 60_000);
  assert.deepEqual([stateOf(rig, 'one')?.doubt, stateOf(rig, 'two')?.doubt], [undefined, undefined]);
  assert.equal(rig.used, 'one');
  play(rig, [{ ...apart[0]!, diesAtMs: 0 }, apart[1]!], 5_000);
  assert.equal(rig.used, 'two');
});

test('that two agreed is remembered over a restart for a day, and no longer', () => {
  for (const [awayMs, expected] of [
    [60_000, 'contradicted'],
    [3_600_000, undefined],
    [23 * 3_600_000, undefined],
    [25 * 3_600_000, 'not_comparable'],
  ] as const) {
    const before = rigOf('primary', 2);
    play(before, [honest(), honest(10)], 10_000);
    const rig = rigOf('primary', 2);
    rig.markets.restore(JSON.parse(JSON.stringify(keptAsJson(before))));
    rig.nowMs = before.nowMs + awayMs;
    play(rig, [honest(), { bid: (atMs) => honest().bid(atMs)! * 1.05 }], 10_000);
    assert.equal(stateOf(rig, 'two')?.exclusion, expected, `${awayMs} ms`);
  }
});

/** Shaped as a snapshot has it. */
function keptAsJson(rig: MarketRig) {
  const { tickers, references, rates, ...rest } = rig.kept();
  return { tickers: [...tickers], references: [...references], rates: [...rates], ...rest };
}

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
    const rig = rigOf('primary', 3);
    play(rig, pairOfLiars(factor, 10_500), 10_000);
    const sources = pairOfLiars(factor, 10_500);
    play(rig, sources, 1_500);
    for (const id of ['two', 'three']) assert.equal(stateOf(rig, id)?.exclusion, 'contradicted', 'named at once');
    assert.equal(rig.used, 'one');
    play(rig, sources, 8_000, () => rig.used !== 'one');
    assert.equal(rig.used, 'one');
    play(rig, sources, 4_000);
    assert.deepEqual(
      [rig.used, stateOf(rig, 'one')?.exclusion],
      ['two', 'contradicted'],
      'a majority, for long enough',
    );
  });
}

test('nor are they believed sooner where the one in use dies meanwhile', () => {
  const rig = rigOf('primary', 3);
  play(rig, pairOfLiars(100, 10_500, 12_000), 10_000);
  const sources = pairOfLiars(100, 10_500, 12_000);
  play(rig, sources, 9_500, () => bidOf(rig) > 90_000);
  assert.ok(bidOf(rig) < 90_000, `${bidOf(rig)} at ${rig.nowMs} ms`);
  play(rig, sources, 5_000);
  assert.ok(bidOf(rig) > 90_000);
});

test('the next majority beyond the ceiling waits as long as the one before', () => {
  const rig = rigOf('primary', 3);
  const liar = (beside: number): Quoting => {
    const factorAt = (atMs: number) => (atMs < 10_000 ? 1 : atMs < 120_000 ? 3 : 9);
    return { bid: (atMs) => honest(beside).bid(atMs)! * factorAt(atMs - beside * 50) };
  };
  const used: Quoting = { bid: (atMs) => honest().bid(atMs)! * (atMs < 30_000 ? 1 : 3) };
  const sources = [used, liar(10), liar(20)];
  play(rig, sources, 118_000);
  assert.ok(Math.abs(bidOf(rig) / 252_000 - 1) < 0.01, 'all have agreed for long');
  play(rig, sources, 9_000, () => bidOf(rig) > 300_000);
  assert.ok(bidOf(rig) < 300_000, `${bidOf(rig)} at ${rig.nowMs} ms`);
});

test('a clock that is set back does not make the wait endless', () => {
  const rig = rigOf('primary', 3);
  rig.nowMs = 3_600_000;
  const sources = pairOfLiars(100, 3_610_500);
  play(rig, sources, 12_000);
  assert.equal(rig.used, 'one');
  rig.nowMs -= 3_000_000;
  play(rig, pairOfLiars(100, 0), 12_000);
  assert.equal(rig.used, 'two');
});

test('where the one in use moves with another, beyond the ceiling too, nothing waits', () => {
  const rig = rigOf('primary', 3);
  const moved = (beside: number, fromMs: number): Quoting => {
    return { bid: (atMs) => honest(beside).bid(atMs)! * (atMs >= fromMs ? 2.5 : 1) };
  };
  const sources = [moved(0, 10_500), moved(10, 11_500), moved(20, 13_000)];
  play(rig, sources, 11_500);
  assert.ok(bidOf(rig) > 200_000, `${bidOf(rig)}`);
});

test('a majority below the ceiling is believed at once', () => {
  const rig = rigOf('primary', 3);
  play(rig, pairOfLiars(1.8, 10_500), 10_000);
  play(rig, pairOfLiars(1.8, 10_500), 1_500);
  assert.deepEqual([rig.used, stateOf(rig, 'one')?.exclusion], ['two', 'contradicted']);
});

for (const fall of [0.3, 0.7]) {
  for (const lagMs of [0, 1_500, 3_000]) {
    test(`an honest crash of ${fall * 100} % within a minute, with sources ${lagMs} ms behind, is never held for over 5 s (fault row 91)`, () => {
      for (const order of [
        [0, 1, 2],
        [2, 1, 0],
        [1, 0, 2],
      ]) {
        const rig = rigOf('primary', 3);
        const truth = (atMs: number) => {
          const share = Math.min(1, Math.max(0, (atMs - 10_000) / 60_000));
          return honest().bid(atMs)! * (1 - fall * share);
        };
        const sources = order.map((rank): Quoting => ({ bid: (atMs) => truth(atMs - rank * lagMs) }));
        const served: [number, number][] = [];
        play(rig, sources, 90_000, () => {
          served.push([rig.nowMs, bidOf(rig)]);
          // It is never another price than one of the market in the last moments.
          const recent = Array.from({ length: 12 }, (_, index) => truth(rig.nowMs - 1_000 * index));
          const isRecent = recent.some((price) => Math.abs(bidOf(rig) / price - 1) <= 0.025);
          assert.ok(rig.nowMs < 1_000 || isRecent, `${bidOf(rig)} at ${rig.nowMs} ms, order ${order}`);
          assert.ok(rig.nowMs < 3_000 || ageMs(rig) <= 5_000, `${ageMs(rig)} ms old, order ${order}`);
          return false;
        });
      }
    });
  }
}
