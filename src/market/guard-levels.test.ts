import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Evidence, Guard } from './guard.ts';
import { guardRules, marketsWith } from './market-rig.testing.ts';
import {
  after,
  decimal,
  hourMs,
  polledTicker,
  start,
  symbol,
  upstreamMarket,
  upstreamTicker,
} from './samples.testing.ts';
import type { UpstreamTicker } from './upstream.ts';

const BTCEUR = symbol('BTCEUR');
const good = ['50000', '50010'] as const;
const low = ['40000', '40010'] as const;

/** A market without a price yet; each call is a ticker so many milliseconds after the start. */
function guarded() {
  const markets = marketsWith({ guard: new Guard(guardRules) });
  markets.catalogueLoaded([upstreamMarket('BTC')], start);
  const offer =
    (make: typeof upstreamTicker) =>
    (atMs: number, [bid, ask]: readonly [string, string], changes: Partial<UpstreamTicker> = {}) => {
      const range = { high24h: decimal('51000'), low24h: decimal('39000') };
      const receivedAt = after(start, atMs);
      return markets.tickerReceived(make({ ...range, bid: decimal(bid), ask: decimal(ask), receivedAt, ...changes }));
    };
  return {
    markets,
    live: offer(upstreamTicker),
    polled: offer(polledTicker),
    held: () => markets.doubts().get(BTCEUR)?.reason,
  };
}

test('a level is taken after its time when each of live and REST showed it once, in whatever order', () => {
  for (const isLiveFirst of [true, false]) {
    const { live, polled } = guarded();
    live(0, good);
    const [first, second] = isLiveFirst ? [live, polled] : [polled, live];
    assert.equal(first(1_000, low), 'held');
    assert.equal(second(2_000, low), 'held');
    assert.equal(second(10_999, low), 'held');
    assert.equal(second(11_000, low), undefined);
  }
});

test('a level that was held, and ended with a good price, waits its whole time when it comes back', () => {
  const { live, polled, held } = guarded();
  live(0, good);
  assert.equal(live(1_000, low), 'held');
  assert.equal(polled(2_000, low), 'held');
  assert.equal(polled(40_000, good), undefined);
  assert.equal(live(40_100, good), undefined);
  assert.equal(held(), undefined);
  assert.equal(live(50_000, low), 'held');
  assert.equal(polled(51_000, low), 'held');
  assert.equal(live(59_999, low), 'held');
  assert.equal(live(60_000, low), undefined);
});

test('a clock that is set back makes a held level wait its time anew, and not until the clock is there again', () => {
  const { live, polled } = guarded();
  live(2 * hourMs, good);
  assert.equal(live(2 * hourMs + 1_000, low), 'held');
  assert.equal(live(hourMs, low), 'held');
  assert.equal(polled(hourMs + 1_000, low), 'held');
  assert.equal(live(hourMs + 10_000, low), undefined);
});

test('the first ticker of a market is held when its bid is below half of its own range, or its ask above double', () => {
  for (const [bid, ask, verdict] of [
    ['19499', '40000', 'held'],
    ['19500', '40000', undefined],
    ['40000', '102001', 'held'],
    ['40000', '102000', undefined],
  ] as const) {
    const { live, held } = guarded();
    assert.equal(live(0, [bid, ask]), verdict, `${bid} ${ask}`);
    assert.equal(held(), verdict === undefined ? undefined : 'range');
  }
});

test('a market without trades has no range that its first ticker could be outside of', () => {
  for (const range of [
    { high24h: decimal('0'), low24h: decimal('0') },
    { high24h: decimal('1'), low24h: decimal('0') },
  ]) {
    const { live } = guarded();
    assert.equal(live(0, good, { ...range, volume24h: decimal('0') }), undefined);
  }
});

test('the last good price widens the range: what lies within half and double of it is no reason', () => {
  const { live, polled } = guarded();
  const narrow = { high24h: decimal('50500'), low24h: decimal('49500') };
  live(0, ['20000', '20010'], narrow);
  live(1, ['20000', '20010'], narrow);
  polled(2, ['20000', '20010'], narrow);
  assert.equal(live(10_001, ['20000', '20010'], narrow), undefined);
  assert.equal(live(10_002, ['18500', '20010'], narrow), undefined, 'over half of the last good bid');
  assert.equal(live(10_003, ['20000', '21000'], narrow), undefined);
});

test('a wide spread is compared with that of the last good price where no usual one is known yet', () => {
  const { markets, live, held } = guarded();
  const offered = (bid: string, ask: string) => ({ bid: decimal(bid), ask: decimal(ask) });
  live(0, ['49000', '51000']);
  const restarted = guarded();
  restarted.markets.tickerAccepted(BTCEUR, markets.acceptedTicker(BTCEUR)!);
  assert.equal(restarted.live(1_000, ['46000', '54000']), undefined, 'four times as wide');
  assert.equal(live(1_000, ['46000', '54000']), undefined);
  const narrow = guarded();
  narrow.markets.tickerAccepted(BTCEUR, { ...markets.acceptedTicker(BTCEUR)!, ...offered('49900', '50100') });
  assert.equal(narrow.live(2_000, ['46000', '54000']), 'held', 'forty times as wide');
  assert.equal(narrow.held(), 'spread');
  assert.equal(held(), undefined);
});

for (const [what, bid, ask] of [
  ['bid', '40000', '43900'],
  ['ask', '37000', '40010'],
] as const) {
  test(`a second source that agrees on the ${what} alone confirms nothing`, () => {
    const guard = new Guard(guardRules);
    const { markets, live } = guarded();
    live(0, good);
    const previous = markets.acceptedTicker(BTCEUR)!;
    const offered = { ...previous, bid: decimal(low[0]), ask: decimal(low[1]) };
    const judge = (...elsewhere: { bid: string; ask: string }[]) =>
      guard.judgeTicker(
        new Evidence(),
        { ticker: offered, path: 'live', at: after(start, 100) },
        previous,
        undefined,
        () => elsewhere as never,
      ).isTaken;
    assert.equal(judge(), false);
    assert.equal(judge({ bid, ask }), false);
    assert.equal(judge({ bid, ask }, { bid: '40100', ask: '40110' }), true);
  });
}

test('a number has at most forty digits, wherever its point stands', () => {
  const { live } = guarded();
  const digits = (count: number) => decimal(`1.${'0'.repeat(count - 2)}1`);
  assert.equal(live(0, good, { volume24h: digits(40) }), undefined, '41 characters');
  assert.equal(live(1, good, { volume24h: digits(41) }), 'absurd_digits');
  assert.equal(live(2, good, { volume24h: decimal('1'.repeat(40)) }), undefined);
  assert.equal(live(3, good, { volume24h: decimal('1'.repeat(41)) }), 'absurd_digits');
});
