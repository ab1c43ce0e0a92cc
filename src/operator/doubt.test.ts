import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BTCEUR, MarketRig, threeLive } from '../market/market-rig.testing.ts';
import { after, decimal, start } from '../market/samples.testing.ts';
import { acceptRefusal, type DoubtView, doubtsOf } from './doubt.ts';
import { explainPrice, withheldOf } from './price.ts';
import { sourceQuotes } from './source.ts';

function doubtsIn({ markets, nowMs }: MarketRig): readonly DoubtView[] {
  return doubtsOf(markets, BTCEUR, after(start, nowMs));
}

test('a doubt names market, source, bid and ask, since when, why, and the source that is served instead', () => {
  const rig = threeLive();
  rig.nowMs = 1_000;
  rig.tick('one', '88200');
  rig.review();
  rig.nowMs = 2_000;
  assert.deepEqual(doubtsIn(rig), [
    {
      market: 'BTCEUR',
      source: 'one',
      bid: '88200',
      ask: '88201',
      since: '2026-11-21T10:00:01.000Z',
      sinceMs: after(start, 1_000),
      reason: 'contradicted',
      why: 'other sources agree on another price, or it alone left its own',
      servedBy: 'two',
      lastGoodOf: null,
      lastGoodAt: null,
      lastGoodAtMs: null,
      served: 'the price of two',
    },
  ]);
  const answer = explainPrice(rig.markets, 'BTCEUR', after(start, 2_000));
  assert.deepEqual(answer.kind === 'priced' && answer.report.doubts, doubtsIn(rig));
});

test('a source that is excluded for a doubt is listed with what it says, and how far that is from the price', () => {
  const rig = threeLive();
  rig.tick('one', '88200');
  rig.review();
  const [first] = sourceQuotes(rig.markets, BTCEUR, after(start, 0));
  assert.deepEqual([first?.bid, first?.ask, first?.deviationPercent], ['88200', '88201', '4.99']);
});

test('where no other source takes over, the last good price is served with its time, and after five minutes none', () => {
  const rig = new MarketRig({ ids: ['one'] });
  rig.list('one');
  rig.tick('one', '84000');
  rig.review('live');
  rig.nowMs = 1_000;
  rig.tick('one', '84000', { ask: decimal('200000') });
  rig.review();
  const [lone] = doubtsIn(rig);
  assert.deepEqual(
    [lone?.source, lone?.reason, lone?.servedBy, lone?.served],
    ['one', 'jump', null, 'the last good price of one, captured 2026-11-21T10:00:00.000Z'],
  );
  rig.nowMs = 301_000;
  assert.equal(doubtsIn(rig)[0]?.served, 'no price');
  const answer = explainPrice(rig.markets, 'BTCEUR', after(start, rig.nowMs));
  assert.equal(answer.kind === 'unpriced' && answer.doubts[0]?.source, 'one');
});

test('a second asset of one name is doubted while the first makes the price, and while the first is silent', () => {
  const rig = new MarketRig({ ids: ['one', 'two'] });
  for (const source of ['one', 'two']) rig.list(source);
  rig.tick('one', '84000');
  rig.tick('two', '0.30', { low24h: decimal('0.2'), ask: decimal('0.31') });
  rig.review('live', 'live');
  assert.deepEqual(
    doubtsIn(rig).map(({ source, reason, served }) => [source, reason, served]),
    [['two', 'not_comparable', 'the price of one']],
  );
  rig.review('silent', 'live');
  assert.match(doubtsIn(rig)[0]?.served ?? '', /^the last good price of one, captured /);
});

test('doubts that a restart finds saved are shown before any source has spoken', () => {
  const rig = threeLive();
  rig.tick('three', '88200');
  rig.review();
  const again = new MarketRig();
  again.markets.restore(rig.kept());
  assert.deepEqual(
    doubtsIn(again).map(({ source, bid }) => [source, bid]),
    [['three', '88200']],
  );
});

test('an acceptance of what nobody doubts is refused with the names of what is', () => {
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
  const market = { symbol: BTCEUR, held: withheldOf(rig.markets, BTCEUR), doubts: doubtsIn(rig) };
  const named = 'Doubted are three (contradicted, 90000 / 90001), four (contradicted, 97000 / 97001).';
  assert.equal(acceptRefusal(market, 'one'), `BTCEUR of the source one is not doubted. ${named}`);
  assert.equal(acceptRefusal(market), `Several sources of BTCEUR are doubted: name the one that is right. ${named}`);
  assert.equal(acceptRefusal(market, 'four'), undefined);
  assert.equal(acceptRefusal({ ...market, doubts: market.doubts.slice(1) }), undefined);
  const none = { ...market, doubts: [] };
  assert.equal(acceptRefusal(none), 'Nothing of BTCEUR is doubted.');
  assert.equal(acceptRefusal(none, 'one'), 'BTCEUR of the source one is not doubted. Nothing of BTCEUR is doubted.');
});
