import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BTCEUR, MarketRig, threeLive } from './market-rig.testing.ts';
import { after, decimal, start, symbol, upstreamMarket } from './samples.testing.ts';
import type { SourceRules } from './source-lists.ts';

const ETHEUR = symbol('ETHEUR');
const rulesOf = (ids: readonly string[], changes: Partial<SourceRules> = {}): SourceRules => ({
  ids,
  lists: new Map(),
  mode: 'primary',
  returnAfterMs: 60_000,
  ...changes,
});

function replace(rig: MarketRig, ids: readonly string[], renewed: readonly string[] = []): void {
  rig.markets.replaceSources(rulesOf(ids), new Set(renewed));
}

function pause(rig: MarketRig, paused: readonly string[], ids: readonly string[] = ['one', 'two', 'three']): void {
  rig.markets.replaceSources(rulesOf(ids, { paused: new Set(paused) }), new Set());
}

const priceOf = (rig: MarketRig) => rig.markets.acceptedTicker(BTCEUR);

describe('sources that are replaced while the service runs', () => {
  it('a price stays, with its time, while its source is gone and no other delivers', () => {
    const rig = threeLive();
    const before = priceOf(rig);
    replace(rig, ['two', 'three']);
    rig.review('silent', 'silent', 'silent');
    assert.deepEqual(priceOf(rig), before);
  });

  it('another source takes over from one that is removed, and the time does not go back', () => {
    const rig = threeLive();
    rig.nowMs = 5_000;
    rig.tick('one', '84001');
    const before = priceOf(rig)!.capturedAt;
    replace(rig, ['two', 'three']);
    rig.review('silent', 'live', 'live');
    assert.equal(rig.used, 'two');
    assert.ok(priceOf(rig)!.capturedAt >= before);
    assert.deepEqual(
      rig.markets.sources.states(BTCEUR).map(({ id }) => id),
      ['two', 'three'],
    );
  });

  it('none takes over from one that is removed at a level that is not the market’s', () => {
    const rig = new MarketRig({ ids: ['one', 'two'] });
    for (const source of ['one', 'two']) rig.list(source);
    rig.tick('one', '84000');
    rig.review('live', 'silent');
    rig.nowMs = 2_500;
    rig.review('live', 'silent');
    replace(rig, ['two']);
    rig.review('silent', 'silent');
    rig.nowMs = 3_000;
    rig.tick('two', '42000');
    rig.review('silent', 'live');
    assert.equal(rig.used, 'one');
    rig.nowMs = 20_000;
    rig.tick('two', '84010');
    rig.review('silent', 'live');
    assert.equal(rig.used, 'two');
  });

  it('nor after a restart with it removed', () => {
    const before = threeLive();
    const rig = new MarketRig({ ids: ['three'] });
    rig.markets.restore(before.kept());
    rig.nowMs = 100_000;
    for (const at of [100_000, 110_000]) {
      rig.nowMs = at;
      rig.tick('three', '100000');
      rig.review('silent', 'silent', 'live');
      assert.deepEqual(priceOf(rig), priceOf(before));
    }
    const states = rig.markets.sources.states(BTCEUR).map(({ id, exclusion, isUsed }) => [id, exclusion, isUsed]);
    assert.deepEqual(states, [
      ['three', 'off_level', false],
      ['one', 'paused', true],
    ]);
    rig.nowMs = 130_000;
    rig.tick('three', '84100');
    rig.review('silent', 'silent', 'live');
    assert.deepEqual([rig.used, rig.markets.sources.listOf(BTCEUR).length], ['three', 1]);
  });

  it('one that the others contradicted is not believed because a restart removed them', () => {
    const before = threeLive();
    before.nowMs = 1_000;
    before.tick('three', '248000');
    before.review('live', 'live', 'live');
    assert.equal(before.tick('three', '248001'), 'held');
    const rig = new MarketRig({ ids: ['three'] });
    rig.markets.restore(before.kept());
    for (const at of [100_000, 500_000]) {
      rig.nowMs = at;
      assert.equal(rig.tick('three', '84010'), 'held', 'two of them said that it was wrong');
      rig.review('silent', 'silent', 'live');
      assert.equal(rig.used, 'one');
    }
    rig.markets.sources.accept(BTCEUR);
    rig.nowMs = 501_000;
    rig.tick('three', '84010');
    rig.review('silent', 'silent', 'live');
    assert.equal(rig.used, 'three');
  });

  it('a process that has other sources than the one it follows goes on from the price of that', () => {
    const leader = threeLive();
    const rig = new MarketRig({ ids: ['three'] });
    rig.markets.restore(leader.kept());
    assert.equal(rig.markets.sources.used(BTCEUR)?.id, 'one');
    leader.nowMs = 1_000;
    leader.review('silent', 'silent', 'live');
    leader.tick('three', '84021');
    rig.markets.restore(leader.kept());
    assert.deepEqual([rig.used, rig.markets.sources.listOf(BTCEUR).length], ['three', 1]);
  });

  it('a median of sources that are gone is no source', () => {
    const before = threeLive({ mode: 'median' });
    assert.match(before.used ?? '', /^median/);
    const rig = new MarketRig({ ids: ['two', 'three'], mode: 'median' });
    rig.markets.restore(before.kept());
    assert.deepEqual(
      rig.markets.sources.listOf(BTCEUR).map(({ id }) => id),
      ['two', 'three'],
    );
  });

  it('but what they made together is the level at which the only one that is left takes over', () => {
    const before = threeLive({ mode: 'median' });
    const rig = new MarketRig({ ids: ['three'], mode: 'median' });
    rig.markets.restore(before.kept());
    for (const [at, bid, used] of [
      [100_000, '100000', before.used],
      [120_000, '84100', 'three'],
    ] as const) {
      rig.nowMs = at;
      rig.tick('three', bid);
      rig.review('silent', 'silent', 'live');
      assert.equal(rig.used, used);
    }
  });

  it('one that is added before others has to prove itself before it makes the price', () => {
    const rig = new MarketRig({ ids: ['two'] });
    rig.list('two');
    rig.tick('two', '84010');
    rig.review('silent', 'live');
    replace(rig, ['one', 'two']);
    rig.list('one');
    for (const atMs of [1_000, 30_000, 60_000]) {
      rig.nowMs = atMs;
      rig.tick('one', '84000');
      rig.tick('two', '84010');
      rig.review('live', 'live');
      assert.equal(rig.used, 'two');
    }
    rig.nowMs = 61_000;
    rig.review('live', 'live');
    assert.equal(rig.used, 'one');
  });

  it('another order holds at once, of sources that were never lost', () => {
    const rig = threeLive();
    replace(rig, ['three', 'one', 'two']);
    rig.review('live', 'live', 'live');
    assert.equal(rig.used, 'three');
  });

  it('a doubt goes with its source into another order, and is not forgotten', () => {
    const rig = threeLive();
    rig.nowMs = 1_000;
    rig.tick('one', '94000');
    rig.review('live', 'live', 'live');
    assert.equal(rig.used, 'two');
    replace(rig, ['three', 'two', 'one']);
    const doubted = () => rig.markets.peerDoubts().flatMap(([, of]) => of.map(([id]) => id));
    assert.deepEqual(doubted(), ['one']);
    rig.review('live', 'live', 'live');
    assert.deepEqual(doubted(), ['one']);
    assert.equal(rig.tick('one', '94001'), 'held');
  });

  it('a source that was lost a moment ago has no shorter way back by another order of the others', () => {
    const rig = threeLive();
    rig.nowMs = 1_000;
    rig.review('silent', 'live', 'live');
    rig.nowMs = 2_000;
    rig.review('live', 'live', 'live');
    assert.equal(rig.used, 'two');
    replace(rig, ['one', 'three', 'two']);
    rig.review('live', 'live', 'live');
    assert.notEqual(rig.used, 'one');
  });

  it('a source that is another now under the same id never sets the time of a price back', () => {
    const rig = new MarketRig({ ids: ['one'] });
    rig.list('one');
    rig.nowMs = 10_000;
    rig.tick('one', '84000');
    rig.review('live');
    const before = priceOf(rig)!.capturedAt;
    replace(rig, ['one'], ['one']);
    rig.review('live');
    assert.equal(priceOf(rig)!.capturedAt, before);
    rig.tick('one', '84005', { upstreamTime: after(start, 1_000) });
    rig.review('live');
    assert.equal(priceOf(rig)!.bid, decimal('84005'));
    assert.ok(priceOf(rig)!.capturedAt >= before);
  });

  it('a paused source is kept out by that name, whatever it is and says, and another takes over', () => {
    const rig = threeLive();
    const states = () => rig.markets.sources.states(BTCEUR).map(({ id, reach, exclusion }) => [id, reach, exclusion]);
    pause(rig, ['one']);
    assert.equal(rig.review('live', 'live', 'live').isDegraded, false, 'it is no standby that serves');
    assert.equal(rig.used, 'two');
    assert.deepEqual(states(), [
      ['one', 'silent', 'paused'],
      ['two', 'live', undefined],
      ['three', 'live', undefined],
    ]);
  });

  it('until the next review each is shown as it was, and a new one as not there yet', () => {
    const rig = threeLive();
    replace(rig, ['two', 'four', 'one', 'three']);
    assert.deepEqual(
      rig.markets.sources.states(BTCEUR).map(({ id, reach, isUsed }) => [id, reach, isUsed]),
      [
        ['two', 'live', false],
        ['four', 'silent', false],
        ['one', 'live', true],
        ['three', 'live', false],
      ],
    );
  });

  it('a resumed source has to prove itself, and keeps what it said', () => {
    const rig = threeLive();
    pause(rig, ['one']);
    rig.review('silent', 'live', 'live');
    pause(rig, []);
    for (const [atMs, expected] of [
      [1_000, 'two'],
      [60_000, 'two'],
      [61_000, 'one'],
    ] as const) {
      rig.nowMs = atMs;
      for (const source of ['one', 'two', 'three']) rig.tick(source, '84000');
      rig.review('live', 'live', 'live');
      assert.equal(rig.used, expected);
    }
  });

  for (const [how, abandon] of [
    ['removed', (rig: MarketRig) => replace(rig, ['two'])],
    ['paused', (rig: MarketRig) => pause(rig, ['one'], ['one', 'two'])],
  ] as const)
    it(`the price of a ${how} source that no other makes is held, and served for five minutes with its time`, () => {
      const rig = new MarketRig({ ids: ['one', 'two'] });
      rig.list('one');
      rig.tick('one', '84000');
      for (const atMs of [0, 2_500]) {
        rig.nowMs = atMs;
        rig.review('live', 'silent');
      }
      rig.markets.holdAbandoned(after(start, 3_000));
      assert.equal(rig.markets.doubts().size, 0, 'while the source is there nothing is held');
      abandon(rig);
      rig.review('silent', 'silent');
      rig.markets.holdAbandoned(after(start, 4_000));
      assert.equal(rig.markets.doubts().get(BTCEUR)?.reason, 'withdrawn');
      assert.equal(rig.markets.unpricedFrom(BTCEUR), after(start, 304_000));
      rig.markets.holdAbandoned(after(start, 60_000));
      assert.equal(rig.markets.unpricedFrom(BTCEUR), after(start, 304_000), 'once');
      rig.list('two');
      rig.nowMs = 5_000;
      rig.tick('two', '84010');
      rig.review('silent', 'live');
      assert.deepEqual([rig.used, rig.markets.doubts().size], ['two', 0]);
    });

  it('a market that one source alone makes has its price again with the first tick after its pause', () => {
    const rig = new MarketRig({ ids: ['one', 'two'] });
    rig.list('one');
    rig.tick('one', '84000');
    for (const atMs of [0, 2_500]) {
      rig.nowMs = atMs;
      rig.review('live', 'silent');
    }
    pause(rig, ['one'], ['one', 'two']);
    rig.review('silent', 'silent');
    rig.markets.holdAbandoned(after(start, 3_000));
    rig.nowMs = 600_000;
    pause(rig, [], ['one', 'two']);
    rig.review('live', 'silent');
    assert.equal(rig.markets.doubts().size, 1, 'it has said nothing yet');
    rig.tick('one', '70000');
    rig.review('live', 'silent');
    assert.deepEqual([rig.markets.doubts().size, priceOf(rig)?.bid], [0, decimal('70000')]);
  });

  it('a price that another source makes at once is never held', () => {
    const rig = threeLive();
    replace(rig, ['two', 'three']);
    rig.review('silent', 'live', 'live');
    rig.markets.holdAbandoned(after(start, 0));
    assert.equal(rig.markets.doubts().size, 0);
  });

  it('a doubt ends with its source, and that is reported once', () => {
    const rig = threeLive();
    const told: unknown[] = [];
    rig.markets.observe({
      sourceDoubted: (...[market, source, now, was]) => told.push([market, source, now, was?.reason]),
    });
    rig.nowMs = 1_000;
    rig.tick('three', '94000');
    rig.review('live', 'live', 'live');
    assert.equal(told.splice(0).length, 1);
    replace(rig, ['two', 'one', 'three']);
    assert.deepEqual(told, [], 'it is there in any order');
    replace(rig, ['one', 'two']);
    assert.deepEqual(told.splice(0), [[BTCEUR, 'three', undefined, 'contradicted']]);
    assert.deepEqual(rig.markets.peerDoubts(), []);
    replace(rig, ['two', 'one']);
    assert.deepEqual(told, []);
  });

  it('a source that is gone is forgotten once another has taken over from it, and comes back as a new one', () => {
    const rig = threeLive();
    const before = rig.markets.sources.find('one')!;
    replace(rig, ['two', 'three']);
    assert.ok(rig.markets.sources.listOf(BTCEUR).includes(before));
    rig.review('silent', 'live', 'live');
    assert.ok(!rig.markets.sources.listOf(BTCEUR).includes(before));
    replace(rig, ['one', 'two', 'three']);
    assert.notEqual(rig.markets.sources.find('one'), before);
    rig.review('live', 'live', 'live');
    assert.deepEqual([rig.used, rig.markets.sources.states(BTCEUR)[0]?.exclusion], ['two', 'not_listed']);
  });

  it('a market that only the removed source listed goes missing like any other', () => {
    const rig = new MarketRig({ ids: ['one', 'two'] });
    rig.list(
      'one',
      ['BTC', 'ETH', 'XRP'].map((base) => upstreamMarket(base)),
    );
    rig.list(
      'two',
      ['BTC', 'XRP'].map((base) => upstreamMarket(base)),
    );
    replace(rig, ['two']);
    assert.equal(rig.markets.catalogue.find(ETHEUR)?.status, 'trading');
    for (const atMs of [1_000, 61_000])
      rig.list(
        'two',
        ['BTC', 'XRP'].map((base) => upstreamMarket(base)),
        atMs,
      );
    assert.deepEqual(rig.markets.catalogue.absences(86_400_000).missing, [ETHEUR]);
    assert.equal(rig.markets.catalogue.find(BTCEUR)?.status, 'trading');
  });

  it('the precision of a market is that of the first in the new order', () => {
    const rig = new MarketRig({ ids: ['one', 'two'] });
    rig.list('one', [upstreamMarket('BTC', { pricePrecision: 1 })]);
    rig.list('two', [upstreamMarket('BTC', { pricePrecision: 2 })]);
    replace(rig, ['two', 'one']);
    assert.equal(rig.markets.catalogue.find(BTCEUR)?.pricePrecision, 2);
  });
});
