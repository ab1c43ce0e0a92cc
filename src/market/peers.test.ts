import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BTCEUR, guardRules, MarketRig, threeLive } from './market-rig.testing.ts';
import { MarketSource } from './market-source.ts';
import { Peers } from './peers.ts';
import { after, decimal, start } from './samples.testing.ts';
import { Source } from './source.ts';

const allLive = ['live', 'live', 'live'] as const;

/**
 * Each source repeats its bid once a second, live and over REST, with a review twice a second. Returns every bid that
 * was served.
 */
function insist(rig: MarketRig, seconds: number, bids: Readonly<Record<string, string>>): Set<string> {
  const served = new Set<string>();
  for (let step = 0; step < 2 * seconds; step++) {
    rig.nowMs += 500;
    for (const [source, bid] of Object.entries(bids)) {
      rig.tick(source, bid, { path: step % 2 === 0 ? 'live' : 'fallback', askedAt: after(start, rig.nowMs) });
      served.add(rig.markets.acceptedTicker(BTCEUR)?.bid ?? 'none');
    }
    rig.review(...allLive);
    served.add(rig.markets.acceptedTicker(BTCEUR)?.bid ?? 'none');
  }
  return served;
}

for (const mode of ['primary', 'median'] as const) {
  for (const lie of ['84000000', '88200', '84', '80000']) {
    test(`a source that two others contradict never makes the price, however long it says ${lie} (${mode})`, () => {
      const rig = threeLive({ mode });
      const served = insist(rig, 120, { one: lie, two: '84010', three: '84020' });
      for (const bid of served) assert.ok(Number(bid) >= 84_000 && Number(bid) <= 84_020, bid);
      const [state] = rig.markets.sources.states(BTCEUR);
      assert.deepEqual([state?.exclusion, state?.isUsed, state?.doubt?.bid], ['contradicted', false, lie]);
    });

    test(`a source that lies from the start is not even the first price when it says ${lie} (${mode})`, () => {
      const rig = new MarketRig({ mode });
      for (const source of ['one', 'two', 'three']) rig.list(source);
      rig.tick('one', lie);
      assert.equal(rig.markets.acceptedTicker(BTCEUR), undefined, 'one source alone is waited with');
      const served = insist(rig, 120, { one: lie, two: '84010', three: '84020' });
      served.delete('none');
      for (const bid of served) assert.ok(Number(bid) >= 84_010 && Number(bid) <= 84_020, bid);
    });
  }
}

test('a contradicted source makes prices again once it has agreed for as long as a lost one has to be back', () => {
  const rig = threeLive();
  insist(rig, 5, { one: '90000', two: '84010', three: '84020' });
  assert.equal(rig.used, 'two');
  insist(rig, 59, { one: '84005', two: '84010', three: '84020' });
  assert.equal(rig.used, 'two');
  insist(rig, 2, { one: '84005', two: '84010', three: '84020' });
  assert.equal(rig.used, 'one');
});

test('a source that lied from its first word comes back with what it agreed on, though it says nothing more', () => {
  const rig = new MarketRig();
  for (const source of ['one', 'two', 'three']) rig.list(source);
  rig.tick('one', '84000000');
  for (const source of ['two', 'three']) rig.tick(source, '84010');
  rig.review('live', 'live', 'live');
  assert.equal(rig.used, 'two');
  rig.nowMs = 1_000;
  rig.tick('one', '84005');
  for (; rig.nowMs <= 130_000; rig.nowMs += 1_000) rig.review('live', 'live', 'live');
  assert.deepEqual([rig.used, rig.markets.acceptedTicker(BTCEUR)?.bid], ['one', '84005']);
});

test('a source that moved first is right at once when the others come to it', () => {
  const rig = threeLive();
  insist(rig, 1, { one: '90000', two: '84010', three: '84020' });
  assert.equal(rig.used, 'two');
  insist(rig, 1, { one: '90000', two: '89990', three: '84020' });
  assert.deepEqual([rig.markets.sources.states(BTCEUR)[0]?.exclusion, rig.used], [undefined, 'one']);
  assert.equal(rig.markets.sources.states(BTCEUR)[2]?.exclusion, 'contradicted');
});

test('a market of one source that stands still while two others move is contradicted by their level', () => {
  const rig = threeLive();
  for (const bid of ['84500', '85000', '85500', '86500']) {
    rig.nowMs += 500;
    for (const source of ['two', 'three']) rig.tick(source, bid);
    rig.review(...allLive);
  }
  assert.equal(rig.used, 'two');
  assert.equal(rig.markets.acceptedTicker(BTCEUR)?.bid, '86500');
});

test('of two sources the one that left its own level is doubted, and insisting confirms nothing', () => {
  const rig = threeLive();
  rig.review('live', 'live', 'silent');
  const served = new Set<string>();
  for (let second = 0; second < 60; second++) {
    rig.nowMs += 1_000;
    rig.tick('two', '84010');
    rig.tick('one', '88200');
    rig.review('live', 'live', 'silent');
    served.add(rig.markets.acceptedTicker(BTCEUR)!.bid);
  }
  assert.deepEqual([...served], ['84010']);
  assert.equal(rig.markets.sources.states(BTCEUR)[0]?.exclusion, 'contradicted');
});

test('two assets of one name are never compared: the first makes the price, and the other never takes over', () => {
  for (const mode of ['primary', 'median'] as const) {
    const rig = new MarketRig({ ids: ['one', 'two'], mode });
    for (const source of ['one', 'two']) rig.list(source);
    const luna = (source: string, price: string) => {
      const range = { low24h: decimal(price), high24h: decimal(price), bid: decimal(price), ask: decimal(price) };
      return rig.tick(source, price, range);
    };
    for (let second = 0; second < 10; second++) {
      rig.nowMs += 1_000;
      luna('two', '0.30');
      luna('one', '0.00006');
      rig.review('live', 'live');
      assert.equal(rig.markets.acceptedTicker(BTCEUR)?.bid, '0.00006', mode);
    }
    assert.equal(rig.markets.sources.states(BTCEUR)[1]?.exclusion, 'not_comparable');
    for (let second = 0; second < 900; second++) {
      rig.nowMs += 1_000;
      luna('two', '0.30');
      rig.review('silent', 'live');
      assert.equal(rig.markets.acceptedTicker(BTCEUR)?.bid, '0.00006', 'with its own time');
    }
    rig.markets.applyHolds([{ symbol: BTCEUR, heldAt: undefined, acceptedAt: after(start, rig.nowMs) }]);
    rig.review('silent', 'live');
    assert.equal(rig.used, 'two', 'the operator says otherwise');
  }
});

test('a source that is not comparable says nothing of the one in use, which may move further than sources may be apart', () => {
  const rig = new MarketRig({ ids: ['one', 'two'] });
  for (const source of ['one', 'two']) rig.list(source);
  for (const [one, two] of [
    ['84000', '86000'],
    ['81000', '86000'],
    ['84000', '86000'],
  ] as const) {
    rig.nowMs += 20_000;
    rig.tick('two', two);
    rig.tick('one', one);
    rig.review('live', 'live');
    assert.equal(rig.markets.acceptedTicker(BTCEUR)?.bid, one);
  }
  assert.deepEqual(
    rig.markets.sources.states(BTCEUR).map(({ exclusion }) => exclusion),
    [undefined, 'not_comparable'],
  );
});

test('where each source was contradicted in turn during a crash, those that agree make the price at once', () => {
  const rig = threeLive();
  for (const [one, two] of [
    ['81000', '84010'],
    ['78000', '81000'],
    ['75600', '75610'],
  ] as const) {
    rig.nowMs += 1_000;
    rig.tick('one', one);
    rig.tick('two', two);
  }
  const exclusions = () => rig.markets.sources.states(BTCEUR).map(({ doubt }) => doubt?.reason);
  assert.deepEqual(exclusions(), ['contradicted', 'contradicted', 'contradicted']);
  rig.review(...allLive);
  assert.deepEqual([rig.used, rig.markets.acceptedTicker(BTCEUR)?.bid], ['one', '75600']);
  assert.deepEqual(exclusions(), [undefined, undefined, 'contradicted']);
});

test('a source takes over only near the last good price of five minutes, or with a third one that agrees', () => {
  const rig = threeLive();
  rig.review('silent', 'silent', 'silent');
  rig.nowMs = 20_000;
  rig.tick('two', '97000');
  rig.review('silent', 'live', 'silent');
  assert.equal(rig.used, 'one', 'the last good price stays');
  assert.equal(rig.markets.sources.states(BTCEUR)[1]?.exclusion, 'off_level');
  rig.tick('three', '97010');
  rig.review('silent', 'live', 'live');
  assert.equal(rig.used, 'two');
});

/** No source counts as live, and `two` spoke at another level meanwhile. */
function twoSpokeEarly(): MarketRig {
  const rig = threeLive();
  rig.review('silent', 'silent', 'silent');
  rig.nowMs = 20_000;
  rig.tick('two', '97000');
  rig.review('silent', 'silent', 'silent');
  return rig;
}

test('what a source said before it counts as live is compared with the price once it does', () => {
  const rig = twoSpokeEarly();
  rig.review('silent', 'live', 'silent');
  assert.deepEqual([rig.used, rig.markets.sources.states(BTCEUR)[1]?.exclusion], ['one', 'off_level']);
});

test('and so is what it said over another connection', () => {
  const rig = twoSpokeEarly();
  rig.unheard.add('two');
  rig.review('silent', 'live', 'silent');
  assert.deepEqual([rig.used, rig.markets.sources.states(BTCEUR)[1]?.exclusion], ['one', 'off_level']);
  rig.review('silent', 'polled', 'silent');
  assert.deepEqual([rig.used, rig.markets.sources.states(BTCEUR)[1]?.exclusion], ['one', 'off_level']);
});

test('what it said over another connection is not compared with others', () => {
  const rig = new MarketRig({ ids: ['one', 'two'] });
  for (const source of ['one', 'two']) rig.list(source);
  rig.tick('one', '84000');
  for (const nowMs of [0, 2_500]) {
    rig.nowMs = nowMs;
    rig.review('live', 'silent');
  }
  rig.review('silent', 'silent');
  rig.tick('two', '97000');
  rig.review('silent', 'silent');
  const doubt = () => rig.markets.sources.states(BTCEUR)[1]?.doubt?.reason;
  rig.unheard.add('two');
  rig.review('live', 'live', 'silent');
  assert.equal(doubt(), undefined);
  rig.unheard.clear();
  rig.review('live', 'live', 'silent');
  assert.equal(doubt(), 'not_comparable');
});

test('after five minutes without a good price a source may take over at any level', () => {
  const rig = threeLive();
  rig.review('silent', 'silent', 'silent');
  rig.nowMs = 300_000;
  rig.tick('two', '97000');
  rig.review('silent', 'live', 'silent');
  assert.equal(rig.used, 'one');
  rig.nowMs = 300_001;
  rig.review('silent', 'live', 'silent');
  assert.equal(rig.used, 'two');
});

for (const [leaver, other] of [
  ['two', 'one'],
  ['one', 'two'],
] as const) {
  test(`a median of two takes nothing of ${leaver} from the moment in which it leaves its level, before any review`, () => {
    const rig = new MarketRig({ mode: 'median', ids: ['one', 'two'] });
    for (const source of ['one', 'two']) {
      rig.list(source);
      rig.tick(source, '84000');
    }
    rig.review('live', 'live');
    rig.nowMs = 1_000;
    rig.tick(leaver, '88200');
    rig.tick(other, '84002');
    const bid = Number(rig.markets.acceptedTicker(BTCEUR)?.bid);
    assert.ok(bid >= 84_000 && bid <= 84_002, `${bid}`);
  });
}

test('what was contradicted stays so over a restart, also when nobody else speaks', () => {
  const rig = threeLive();
  insist(rig, 5, { one: '88200', two: '84010', three: '84020' });
  const again = new MarketRig();
  again.markets.restore(rig.kept());
  for (let second = 0; second < 60; second++) {
    again.nowMs = rig.nowMs + second * 1_000;
    again.tick('one', '88200');
    again.review('live', 'silent', 'silent');
    assert.equal(again.markets.acceptedTicker(BTCEUR)?.bid, '84010');
  }
});

test('a market whose only source is contradicted has no price after five minutes', () => {
  const rig = threeLive();
  insist(rig, 5, { one: '88200', two: '84010', three: '84020' });
  for (let second = 0; second < 310; second++) {
    rig.nowMs += 1_000;
    rig.tick('one', '88200');
    rig.review('live', 'silent', 'silent');
  }
  assert.equal(rig.markets.acceptedTicker(BTCEUR)?.bid, '84010');
});

test('with four sources in two camps the one in use stays, and neither camp takes over from the other', () => {
  const rig = new MarketRig({ ids: ['one', 'two', 'three', 'four'] });
  for (const source of ['one', 'two', 'three', 'four']) rig.list(source);
  for (const [source, bid] of [
    ['one', '84000'],
    ['two', '84010'],
    ['three', '84005'],
    ['four', '84020'],
  ] as const) {
    rig.tick(source, bid);
  }
  rig.review('live', 'live', 'live', 'live');
  rig.nowMs += 500;
  for (const source of ['three', 'four']) rig.tick(source, '90000');
  rig.review('live', 'live', 'live', 'live');
  assert.equal(rig.used, 'one');
  assert.deepEqual(
    rig.markets.sources.states(BTCEUR).map(({ exclusion }) => exclusion),
    [undefined, undefined, 'contradicted', 'contradicted'],
  );
});

const rules = { ...guardRules, returnAfterMs: 60_000 };

/** Sources of a market that quote these bids, in their order, and how they compare. */
function comparedAt(...bids: readonly string[]) {
  const sources = bids.map((_, index) => new MarketSource(new Source(`${index}`)));
  const peers = new Peers(rules, sources);
  const circumstances = { now: start, price: undefined, used: sources[0] };
  for (const [index, bid] of bids.entries())
    peers.quoted(sources[index]!, { bid: decimal(bid), ask: decimal(bid) }, 'live', circumstances);
  return { sources, peers, circumstances };
}

test('sources that stay are compared anew when another one goes, though they say nothing more', () => {
  const { sources, peers, circumstances } = comparedAt('84000', '84010', '90000');
  const [one, two, three] = sources as [MarketSource, MarketSource, MarketSource];
  assert.deepEqual([peers.isApart(one), peers.isApart(three)], [false, true]);
  for (const source of [one, three]) {
    source.candidate = { reach: 'live', exclusion: undefined, isProven: true };
    source.stay([one, three]);
  }
  const left = new Peers(rules, [one, three], true);
  left.review(circumstances, 2, 0);
  assert.deepEqual(
    [left.isApart(one), left.isApart(three)],
    [false, true],
    `${three.id} is contradicted, without ${two.id} too`,
  );
});

test('a source that is taken over as not comparable is comparable at the next look where it agrees', () => {
  const { sources, peers, circumstances } = comparedAt('84000', '84010');
  const quote = { bid: decimal('90000'), ask: decimal('90000') };
  peers.restoreDoubt(sources[1]!, { reason: 'not_comparable', since: start, ...quote, isOutvoted: false });
  peers.review(circumstances, 2, 0);
  assert.equal(sources[1]!.doubts.byPeers, undefined);
});

test('a source that repeats itself over both paths is still', () => {
  const { sources, peers, circumstances } = comparedAt('84000', '84010');
  const [one] = sources as [MarketSource];
  const quote = { bid: decimal('84000'), ask: decimal('84000') };
  for (let second = 1; second <= 10; second++) {
    const at = { ...circumstances, now: after(start, second * 1_000) };
    peers.quoted(one, quote, second % 2 === 0 ? 'live' : 'fallback', at);
  }
  assert.equal(one.changes.isStill(after(start, 10_000)), true);
});
