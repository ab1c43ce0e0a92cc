import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BTCEUR, MarketRig, threeLive } from './market-rig.testing.ts';
import { upstreamMarket } from './samples.testing.ts';

test('the first price waits for a second source, two seconds at most', () => {
  const rig = new MarketRig();
  for (const source of ['one', 'two', 'three']) rig.list(source);
  rig.tick('one', '84000');
  for (const nowMs of [0, 1_000, 1_999]) {
    rig.nowMs = nowMs;
    rig.review('live', 'live', 'live');
    assert.equal(rig.used, undefined);
  }
  rig.nowMs = 2_000;
  rig.review('live', 'live', 'live');
  assert.equal(rig.used, 'one');
});

test('the first price waits for sources whose catalogue is still on its way, two seconds at most', () => {
  const rig = new MarketRig();
  rig.list('one');
  rig.tick('one', '88200');
  rig.review('live', 'silent', 'silent');
  assert.equal(rig.markets.acceptedTicker(BTCEUR), undefined);
  rig.nowMs = 1_900;
  for (const source of ['two', 'three']) {
    rig.list(source);
    rig.tick(source, '84010');
  }
  rig.review('live', 'live', 'live');
  assert.deepEqual([rig.used, rig.markets.acceptedTicker(BTCEUR)?.bid], ['two', '84010']);
});

test('the first price waits for nobody who cannot be reached, though it listed the market before a restart (fault row 98)', () => {
  const rig = new MarketRig({ ids: ['one', 'two'] });
  for (const source of ['one', 'two']) rig.list(source);
  rig.unreachable.add('two');
  rig.tick('one', '84000');
  assert.equal(rig.used, undefined, 'until that is known');
  rig.review('live', 'silent');
  assert.equal(rig.used, 'one');
});

test('the first price waits for a source that is only polled so far: one that lies is not compared with it', () => {
  const rig = new MarketRig();
  for (const source of ['one', 'two', 'three']) rig.list(source);
  rig.tick('one', '88200');
  rig.tick('two', '84010', { path: 'fallback' });
  rig.tick('three', '84020');
  rig.review('live', 'polled', 'live');
  assert.equal(rig.markets.acceptedTicker(BTCEUR), undefined);
  rig.nowMs = 1_000;
  rig.tick('two', '84010');
  assert.equal(rig.used, 'two', 'live, though no review has seen it');
  rig.review('live', 'live', 'live');
  assert.equal(rig.used, 'two');
});

test('the first price is there with the ticker that proves it, of the first source that no others contradict', () => {
  const rig = new MarketRig();
  for (const source of ['one', 'two', 'three']) rig.list(source);
  rig.tick('one', '88200');
  rig.tick('two', '84010');
  assert.equal(rig.markets.acceptedTicker(BTCEUR), undefined);
  rig.tick('three', '84020');
  assert.deepEqual([rig.used, rig.markets.acceptedTicker(BTCEUR)?.bid], ['two', '84010'], 'before any review');
});

test('and so is it after a restart, where the others contradict the source that made the price before', () => {
  const before = threeLive();
  const rig = new MarketRig();
  rig.markets.restore(before.kept());
  rig.nowMs = 20_000;
  for (const [source, bid] of [
    ['one', '88200'],
    ['two', '84110'],
    ['three', '84120'],
  ] as const)
    rig.tick(source, bid);
  assert.deepEqual([rig.used, rig.markets.acceptedTicker(BTCEUR)?.bid], ['two', '84110'], 'before any review');
});

test('the first price of a market that one source alone lists waits for nobody', () => {
  const rig = new MarketRig();
  rig.list('one');
  for (const other of ['two', 'three']) rig.list(other, [upstreamMarket('ETH')]);
  rig.tick('one', '84000');
  rig.review('live', 'live', 'live');
  assert.equal(rig.used, 'one');
});

test('a lie of the first moment after a restart is compared with the price before it', () => {
  const rig = threeLive();
  const again = new MarketRig();
  again.markets.restore(rig.kept());
  again.nowMs = 20_000;
  again.tick('one', '88200');
  assert.equal(again.markets.acceptedTicker(BTCEUR)?.bid, '84000');
  again.tick('two', '84010');
  again.review('live', 'live', 'silent');
  assert.equal(again.markets.acceptedTicker(BTCEUR)?.bid, '84000', 'until the third speaks, or two seconds');
  again.nowMs += 2_000;
  again.review('live', 'live', 'silent');
  assert.deepEqual([again.used, again.markets.acceptedTicker(BTCEUR)?.bid], ['two', '84010']);
});
