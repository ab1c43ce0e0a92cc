import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BTCEUR, MarketRig, threeLive } from './market-rig.testing.ts';
import { after, start, upstreamMarket } from './samples.testing.ts';

const paused = [upstreamMarket('BTC', { status: 'paused' as const })];

test('one market that stands still while two others move on is contradicted at once, and another source makes the price (fault row 74)', () => {
  const rig = threeLive();
  assert.equal(rig.used, 'one');
  let deviatedAtMs: number | undefined;
  for (let step = 0; step < 600 && rig.used === 'one'; step++) {
    rig.nowMs += 500;
    const bid = 84_000 + step * 20;
    if (bid >= 84_000 * 1.02) deviatedAtMs ??= rig.nowMs;
    rig.tick('two', `${bid + 10}`);
    rig.tick('three', `${bid + 20}`);
    rig.review('live', 'live', 'live');
  }
  assert.equal(rig.used, 'two');
  assert.ok(rig.nowMs - deviatedAtMs! <= 1_000, `${rig.nowMs - deviatedAtMs!} ms`);
  assert.equal(rig.markets.sources.states(BTCEUR)[0]?.exclusion, 'contradicted');
});

test('a source that trades none of its markets gives them to the next one at once, and alone it is degraded (fault row 75)', () => {
  const rig = threeLive();
  rig.list('one', paused);
  assert.equal(rig.review('live', 'live', 'live').isDegraded, true);
  assert.equal(rig.used, 'two');
  rig.list('one');
  rig.nowMs += 60_000;
  rig.review('live', 'live', 'live');
  rig.nowMs += 60_000;
  assert.equal(rig.review('live', 'live', 'live').isDegraded, false);
  assert.equal(rig.used, 'one');
  const alone = new MarketRig({ ids: ['one'] });
  alone.list('one', paused);
  alone.tick('one', '84000');
  assert.equal(alone.review('live').isDegraded, true);
  alone.list('one');
  assert.equal(alone.review('live').isDegraded, false);
});

test('one paused market among others does not make its source halted', () => {
  const alone = new MarketRig({ ids: ['one'] });
  alone.list('one', [...paused, upstreamMarket('ETH')]);
  alone.tick('one', '84000');
  assert.equal(alone.review('live').isDegraded, false);
});

test('a price that its source withdraws is gone at once, or another source’s, and the next one is judged by itself (fault row 77)', () => {
  const now = () => after(start, rig.nowMs);
  const kind = () => rig.markets.pricer.price(BTCEUR, now()).kind;
  let rig = new MarketRig({ ids: ['one'] });
  rig.list('one');
  rig.tick('one', '84000');
  rig.review('live');
  assert.equal(kind(), 'priced');
  const { markets } = rig;
  markets.priceWithdrawn(BTCEUR, markets.sources.first, now());
  assert.equal(kind(), 'unpriced');
  assert.equal(markets.doubts().get(BTCEUR)?.reason, 'withdrawn');
  rig.nowMs += 1_000;
  assert.equal(rig.tick('one', '70000'), undefined);
  assert.deepEqual([kind(), markets.doubts().size, markets.acceptedTicker(BTCEUR)?.bid], ['priced', 0, '70000']);
  rig = threeLive();
  rig.markets.priceWithdrawn(BTCEUR, rig.markets.sources.first, now());
  assert.equal(kind(), 'unpriced');
  rig.review('live', 'live', 'live');
  assert.deepEqual([kind(), rig.used, rig.markets.doubts().size], ['priced', 'two', 0]);
});
