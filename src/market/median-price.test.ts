import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BTCEUR, MarketRig } from './market-rig.testing.ts';
import { after, start, symbol, upstreamMarket } from './samples.testing.ts';
import type { Reach } from './source-choice.ts';
import type { SourceRules } from './source-lists.ts';

const ETHEUR = symbol('ETHEUR');
const ids = ['one', 'two', 'three'];

/** Three sources, each with BTCEUR and a price of it; `one` alone has ETHEUR. Nothing is judged. */
function priced(mode: SourceRules['mode']) {
  const rig = new MarketRig({ mode, returnAfterMs: 0 }, { guard: undefined });
  const { markets } = rig;
  const changed: string[] = [];
  const tick = (id: string, bid: string, atMs = 0, of = BTCEUR) => {
    const receivedAt = after(start, atMs);
    changed.length = 0;
    rig.tick(id, bid, { symbol: of, receivedAt, upstreamTime: receivedAt });
    return changed.length > 0;
  };
  const review = (...reaches: Reach[]) => {
    changed.length = 0;
    return { ...rig.review(...reaches), isMadeAgain: changed.length > 0 };
  };
  for (const id of ids) {
    markets.catalogueLoaded(
      ['BTC', ...(id === 'one' ? ['ETH'] : [])].map((base) => upstreamMarket(base)),
      start,
      undefined,
      id,
    );
    tick(id, '84000');
  }
  markets.observe({ tickerChanged: (each) => void changed.push(each) });
  return { markets, tick, review, price: () => markets.acceptedTicker(BTCEUR) };
}

test('a ticker of any live source makes the median again, one of a polled source does not, unless it is the one in use', () => {
  const { tick, review, price } = priced('median');
  review('live', 'live', 'polled');
  assert.deepEqual([tick('two', '84010', 1), price()?.bid], [true, '84005']);
  assert.deepEqual([tick('three', '84020', 2), price()?.bid], [false, '84005']);
  review('polled', 'silent', 'silent');
  assert.deepEqual([tick('one', '84002', 3), price()?.bid], [true, '84002']);
});

test('a review makes the median again when a source joins or leaves it, and only then', () => {
  const { tick, review, price } = priced('median');
  review('live', 'live', 'live');
  tick('two', '84010', 1);
  tick('three', '84050', 1);
  assert.equal(price()?.bid, '84010');
  assert.equal(review('live', 'live', 'live').isMadeAgain, false);
  assert.equal(review('live', 'live', 'silent').isMadeAgain, true);
  assert.equal(price()?.bid, '84005');
  assert.equal(review('live', 'live', 'silent').isMadeAgain, false);
  assert.equal(review('live', 'live', 'live').isMadeAgain, true);
  assert.equal(price()?.bid, '84010');
});

test('in primary mode no review makes a price again unless another source takes over, and a standby makes none', () => {
  const { tick, review, price } = priced('primary');
  review('live', 'live', 'live');
  assert.deepEqual([tick('two', '84010', 1), price()?.bid], [false, '84000']);
  assert.equal(review('live', 'live', 'silent').isMadeAgain, false);
  assert.deepEqual(review('silent', 'live', 'silent').changed, [{ symbol: BTCEUR, from: 'one', to: 'two' }]);
  assert.deepEqual([price()?.source, price()?.bid], ['two', '84010']);
  assert.deepEqual(review('silent', 'live', 'silent'), { isDegraded: true, changed: [], isMadeAgain: false });
});

test('a market is served worse on a standby and over REST, and one that its first source does not list is not', () => {
  const { markets, tick, review } = priced('primary');
  assert.equal(review('live', 'live', 'live').isDegraded, false);
  assert.equal(review('polled', 'silent', 'silent').isDegraded, true);
  assert.equal(review('live', 'silent', 'silent').isDegraded, false);
  markets.catalogueLoaded([upstreamMarket('ETH')], start, undefined, 'one');
  markets.catalogueLoaded([upstreamMarket('ETH')], after(start, 1_000), undefined, 'one');
  tick('one', '2000', 1_000, ETHEUR);
  assert.equal(review('live', 'live', 'live').isDegraded, false);
});

test('a delisted market is chosen no source for, and makes nothing worse', () => {
  const { markets, review } = priced('primary');
  review('live', 'live', 'live');
  markets.applyControls([{ symbol: BTCEUR, operatorPaused: false, delistedAt: start }]);
  const { isDegraded, changed } = review('silent', 'live', 'live');
  assert.deepEqual(changed, []);
  assert.equal(markets.sources.used(BTCEUR)?.id, 'one');
  assert.equal(isDegraded, false);
});
