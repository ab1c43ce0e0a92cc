import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BTCEUR, MarketRig, threeLive } from './market-rig.testing.ts';
import { after, decimal, start } from './samples.testing.ts';

/** Two sources are elsewhere, each by itself; the first and the second agree. */
function twoDoubted(): MarketRig {
  const rig = new MarketRig({ ids: ['one', 'two', 'three', 'four'] });
  for (const [source, bid] of [
    ['one', '84000'],
    ['two', '84010'],
    ['three', '90000'],
    ['four', '97000'],
  ] as const) {
    rig.list(source);
    rig.tick(source, bid);
  }
  rig.review('live', 'live', 'live', 'live');
  assert.deepEqual(doubted(rig), ['three', 'four']);
  return rig;
}

function doubted({ markets }: MarketRig): string[] {
  return markets.sources.states(BTCEUR).flatMap(({ id, doubt }) => (doubt === undefined ? [] : [id]));
}

function accept(rig: MarketRig, acceptedSource?: string): void {
  const acceptedAt = after(start, rig.nowMs);
  rig.markets.applyHolds([{ symbol: BTCEUR, heldAt: undefined, acceptedAt, acceptedSource }]);
}

test('the operator accepts one of several doubted sources, and the others stay doubted', () => {
  const rig = twoDoubted();
  accept(rig, 'four');
  rig.review();
  assert.deepEqual(doubted(rig), ['three']);
});

test('without a source nothing is accepted while others contradict several', () => {
  const rig = twoDoubted();
  accept(rig);
  rig.review();
  assert.deepEqual(doubted(rig), ['three', 'four']);
});

test('what the guard doubts is accepted of the named source alone', () => {
  const rig = new MarketRig({ ids: ['one', 'two'] });
  for (const source of ['one', 'two']) {
    rig.list(source);
    rig.tick(source, '84000');
  }
  rig.review('live', 'live');
  const wide = { ask: decimal('150000') };
  for (const source of ['one', 'two', 'one']) rig.tick(source, '84000', wide);
  assert.deepEqual(doubted(rig), ['one', 'two']);
  accept(rig, 'two');
  for (const source of ['one', 'two']) rig.tick(source, '84000', wide);
  assert.deepEqual(doubted(rig), ['one']);
});

test('a restart does not repeat an acceptance from before the doubt', () => {
  const rig = threeLive();
  rig.tick('one', '88200');
  const again = new MarketRig();
  again.markets.restore(rig.kept());
  again.markets.applyHolds([{ symbol: BTCEUR, heldAt: undefined, acceptedAt: after(start, -60_000) }], true);
  again.tick('one', '88200');
  again.review('live', 'silent', 'silent');
  assert.deepEqual(doubted(again), ['one']);
});

test('a source that the operator accepts makes the price, however far from the others and from its own last one', () => {
  for (const mode of ['primary', 'median'] as const) {
    const rig = threeLive({ mode });
    rig.nowMs = 1_000;
    const far = { low24h: decimal('84000'), high24h: decimal('84100') };
    rig.tick('one', '84000000', far);
    rig.review();
    assert.deepEqual([doubted(rig), rig.used === 'one'], [['one'], false]);
    accept(rig, 'one');
    rig.nowMs = 2_000;
    rig.tick('one', '84000001', far);
    rig.nowMs = 100_000;
    for (const source of ['two', 'three']) rig.tick(source, '84010');
    rig.review();
    assert.deepEqual(doubted(rig), []);
    if (mode === 'primary') assert.equal(rig.markets.acceptedTicker(BTCEUR)?.bid, '84000001');
  }
});

for (const [ids, served] of [
  [
    ['one', 'two', 'three'],
    ['84010', '84015', '84020'],
  ],
  [
    ['one', 'two'],
    ['84010', '86000'],
  ],
] as const) {
  for (const far of ids.slice(0, 2)) {
    test(`an accepted source never drags the median to a price nobody near quotes (${far} of ${ids.length} is far)`, () => {
      const rig = new MarketRig({ ids, mode: 'median' });
      for (const id of ids) {
        rig.list(id);
        rig.tick(id, id === 'three' ? '84020' : '84010');
      }
      const live = ids.map(() => 'live' as const);
      rig.review(...live);
      rig.nowMs = 1_000;
      rig.tick(far, '86000');
      rig.review(...live);
      assert.deepEqual(doubted(rig), [far]);
      accept(rig, far);
      for (; rig.nowMs < 5_000; rig.nowMs += 1_000) {
        for (const id of ids) rig.tick(id, id === far ? '86000' : id === 'three' ? '84020' : '84010');
        rig.review(...live);
        assert.ok(served.some((bid) => bid === rig.markets.acceptedTicker(BTCEUR)?.bid));
      }
      assert.ok(!doubted(rig).includes(far));
    });
  }
}
