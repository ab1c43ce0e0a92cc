import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Steadiness } from './steadiness.ts';
import { World } from './world.ts';

test('a source is steady a while after its last fault, longer where its list was in doubt, and while its connections stay', async () => {
  const world = new World(1);
  const exchange = { name: 'kraken', faults: [] as string[], faultsOf: () => exchange.faults, linkedSinceMs: 5_000 };
  let looks = 0;
  const steadiness = new Steadiness(world, [exchange], ['BTC/EUR'], () => looks++);
  const since = () => steadiness.since('kraken', 'BTC/EUR');
  await world.scheduler.runTo(60_000);
  assert.equal(since(), 5_000);
  assert.equal(looks, 61);
  exchange.faults = ['mute'];
  await world.scheduler.runTo(120_000);
  exchange.faults = [];
  await world.scheduler.runTo(180_000);
  assert.equal(since(), 120_000 + 90_000);
  exchange.faults = ['catalogue-empty'];
  await world.scheduler.runTo(181_000);
  exchange.faults = [];
  assert.equal(since(), 181_000 + 660_000);
  exchange.linkedSinceMs = Number.POSITIVE_INFINITY;
  assert.equal(since(), Number.POSITIVE_INFINITY);
});
