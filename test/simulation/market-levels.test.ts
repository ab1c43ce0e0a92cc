import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MarketLevels } from './market-levels.ts';

const dayMs = 86_400_000;

test('a market goes to another level in the time that it takes, and has been where it was for a day', () => {
  const levels = new MarketLevels();
  levels.move('BTC/EUR', 0.64, 1_000, 60_000);
  const at = (atMs: number) => {
    const { now, low, high } = levels.at('BTC/EUR', atMs);
    return [now, low, high].map((level) => level.toFixed(2));
  };
  assert.deepEqual(at(1_000), ['1.00', '1.00', '1.00']);
  assert.deepEqual(at(31_000), ['0.80', '0.80', '1.00']);
  assert.deepEqual(at(61_000), ['0.64', '0.64', '1.00']);
  assert.deepEqual(at(61_000 + dayMs), ['0.64', '0.64', '0.64']);
  assert.deepEqual(levels.at('ETH/EUR', 61_000), { now: 1, low: 1, high: 1 });
  const isMoving = [999, 1_000, 60_999, 61_000].map((atMs) => levels.isMoving('BTC/EUR', atMs));
  assert.deepEqual(isMoving, [false, true, true, false]);
  assert.equal(levels.isMoving('ETH/EUR', 31_000), false);
});

test('a move that would lead too far goes the other way', () => {
  const levels = new MarketLevels();
  for (let count = 0; count < 20; count++) {
    levels.move('BTC/EUR', 0.7, count * 10, 1);
    const { now } = levels.at('BTC/EUR', count * 10 + 5);
    assert.ok(now >= 0.4 && now <= 2.5, `${now}`);
  }
});
