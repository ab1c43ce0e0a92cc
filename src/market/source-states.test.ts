import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BTCEUR, MarketRig } from './market-rig.testing.ts';
import { after, decimal, start, symbol, upstreamMarket, upstreamTicker } from './samples.testing.ts';
import type { Reach } from './source-choice.ts';
import type { SourceRules } from './source-lists.ts';
import type { SourceState } from './source-state.ts';
import { judgeTicker } from './ticker-acceptance.ts';
import type { UpstreamMarketStatus } from './upstream.ts';

/** The sources `one`, `two` and `three`, and how they are shown. */
function shownRig(changes: Partial<SourceRules> = {}) {
  const rig = new MarketRig(changes);
  const { markets } = rig;
  const list = (id: string, status: UpstreamMarketStatus = 'trading') =>
    rig.list(id, [upstreamMarket('BTC', { status })]);
  const review = (...reaches: Reach[]) => {
    // Long enough apart that no first price waits for another source.
    rig.nowMs += 2_000;
    return rig.review(...reaches);
  };
  /** Shows each as `id reach exclusion`, the one in use with a star, and its bid. */
  const shown = () =>
    markets.sources.states(BTCEUR).map(({ id, reach, exclusion, isUsed, prices }) => {
      return [`${id}${isUsed ? '*' : ''}`, reach, exclusion ?? '-', prices?.bid ?? '-'].join(' ');
    });
  return { markets, ids: ['one', 'two', 'three'], list, tick: rig.tick.bind(rig), review, shown };
}

test('every source of a market is shown with its reach, what keeps it out and its last price', () => {
  const { list, tick, review, shown } = shownRig();
  for (const id of ['one', 'two']) list(id);
  tick('one', '84000');
  assert.deepEqual(shown(), [], 'the first price waits for another source');
  review('live', 'polled', 'live');
  review('live', 'polled', 'live');
  assert.deepEqual(shown(), ['one* live - 84000', 'two polled no_price -', 'three live not_listed -']);
  list('two', 'paused');
  tick('two', '84001');
  list('three');
  tick('three', '84002');
  tick('three', '20000');
  review('silent', 'live', 'live');
  assert.deepEqual(shown(), ['one* silent - 84000', 'two live not_trading 84001', 'three live contradicted 20000']);
  list('two');
  review('silent', 'live', 'live');
  assert.deepEqual(shown(), ['one silent - 84000', 'two* live - 84001', 'three live contradicted 20000']);
});

test('a market without any price shows no source before its first review', () => {
  const { markets, list, shown } = shownRig();
  list('one');
  assert.deepEqual(shown(), []);
  assert.deepEqual(markets.sources.states(symbol('ETHEUR')), []);
});

test('in the median every live source that nothing keeps out is in use', () => {
  const { list, tick, review, shown, ids } = shownRig({ mode: 'median' });
  for (const [index, id] of ids.entries()) {
    list(id);
    tick(id, `${84_000 + index}`);
  }
  review('live', 'live', 'polled');
  assert.deepEqual(shown(), ['one* live - 84000', 'two* live - 84001', 'three polled - 84002']);
  review('polled', 'live', 'polled');
  assert.deepEqual(shown(), ['one polled - 84000', 'two* live - 84001', 'three polled - 84002']);
});

test('a source that is taken out of use and back is counted each time as a change', () => {
  const { markets, list, tick, review, ids } = shownRig({ returnAfterMs: 0 });
  for (const id of ids) {
    list(id);
    tick(id, '84000');
  }
  review('live', 'live', 'live');
  const before = markets.sources.switches;
  review('silent', 'live', 'live');
  review('silent', 'live', 'live');
  assert.equal(markets.sources.switches - before, 1);
});

/** A book that follows another: it accepted prices and has that one's report. */
function following() {
  const follower = shownRig();
  for (const id of follower.ids) follower.list(id);
  const prices = (bid: string, atMs: number) => {
    return { bid: decimal(bid), ask: decimal('90000'), capturedAt: after(start, atMs) };
  };
  const state = (id: string, isUsed: boolean, bid: string, atMs: number): SourceState => {
    return { id, reach: 'live', exclusion: undefined, isUsed, prices: prices(bid, atMs) };
  };
  const report = (atMs: number, ...states: SourceState[]) =>
    follower.markets.sources.takeReport({ at: after(start, atMs), markets: [[BTCEUR, states]] });
  const take = (id: string, bid: string, atMs: number) => {
    const receivedAt = after(start, atMs);
    const judgement = judgeTicker(
      upstreamTicker({ bid: decimal(bid), receivedAt, upstreamTime: receivedAt }),
      undefined,
      id,
    );
    assert.ok('accepted' in judgement);
    follower.markets.tickerAccepted(BTCEUR, judgement.accepted);
  };
  return { ...follower, state, report, take };
}

test('a process that follows shows what the one with the feed reported, and when', () => {
  const { markets, shown, state, report } = following();
  report(5_000, state('one', true, '84000', 4_000), state('two', false, '84001', 4_000));
  assert.deepEqual(shown(), ['one* live - 84000', 'two live - 84001']);
  assert.deepEqual(
    markets.sources.states(BTCEUR).map(({ reportedAt }) => reportedAt),
    [after(start, 5_000), after(start, 5_000)],
  );
});

test('a price that came after the report is shown in its place, with the source that makes it, and an older one is not', () => {
  const { markets, shown, take, state, report } = following();
  report(5_000, state('one', true, '84000', 4_000), state('two', false, '84001', 4_000));
  take('two', '84002', 3_999);
  assert.deepEqual(shown(), ['one live - 84000', 'two* live - 84001']);
  take('two', '84003', 4_000);
  assert.deepEqual(shown(), ['one live - 84000', 'two* live - 84003']);
  markets.sources.takeReport({
    at: after(start, 6_000),
    markets: [[BTCEUR, [{ id: 'two', reach: 'polled', isUsed: false }]]],
  });
  assert.deepEqual(shown(), ['two* polled - 84003'], 'also where the report has no price');
});

test('a process that takes the feed over shows what it sees itself', () => {
  const { shown, take, review, state, report } = following();
  report(5_000, state('one', true, '84000', 4_000), state('two', false, '84001', 4_000));
  take('two', '84002', 4_500);
  review('silent', 'live', 'silent');
  assert.deepEqual(shown(), ['one silent no_price -', 'two* live - 84002', 'three silent no_price -']);
});
