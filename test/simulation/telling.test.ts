import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPair } from '../../exchange-simulator/catalogue.ts';
import { Market } from '../../exchange-simulator/market-walk.ts';
import { seededRandomness } from '../support/fake-clock.ts';
import { type Deceit, Telling } from './telling.ts';

const startMs = Date.parse('2026-11-24T10:00:00.000Z');
const level = { now: 1, low: 1, high: 1 };

/** A market of which one exchange speaks so from the beginning on, and goes on for so many minutes. */
function spoken(deceit: Deceit | undefined, minutes: number, over = level) {
  const market = new Market(newPair('BTC', 'EUR', 2).pair!, 7, seededRandomness(3), startMs, 1_000);
  const telling = new Telling(market);
  const said = market.values(startMs);
  telling.deceive(deceit, startMs);
  const changedAtUs = market.changedAtUs;
  for (let second = 1; second <= minutes * 60; second++) {
    const nowMs = startMs + second * 1_000;
    market.step(nowMs);
    telling.step(nowMs, over, 1);
    market.changedAtUs = nowMs * 1_000;
    telling.published();
  }
  const nowMs = startMs + minutes * 60_000;
  const [told, truth] = [market.values(nowMs), telling.truth(nowMs)];
  const factor = (Number(told.bid) / Number(truth.bid)).toFixed(3);
  return { market, telling, told, truth, said, factor, isOldFrame: market.changedAtUs === changedAtUs };
}

test('whoever does not deceive says what is so', () => {
  const { told, truth, said, factor } = spoken(undefined, 5);
  assert.deepEqual(told, truth);
  assert.equal(factor, '1.000');
  assert.notEqual(told.bid, said.bid);
});

test('a lie stays where it began, or follows the true price at its distance, statistics with it', () => {
  const fixed = spoken({ how: 'fixed', factor: 2 }, 5);
  assert.equal(fixed.told.bid, (2 * Number(fixed.said.bid)).toFixed(2));
  assert.equal(fixed.told.high, fixed.said.high);
  const scaled = spoken({ how: 'scaled', factor: 2 }, 5);
  assert.equal(scaled.factor, '2.000');
  assert.equal(scaled.told.high, (2 * Number(scaled.truth.high)).toFixed(2));
});

test('a drift leads away by so much a minute, and no further than it may', () => {
  assert.equal(spoken({ how: 'drifting', perMinute: 1.01, furthest: 1.3 }, 5).factor, '1.051');
  assert.equal(spoken({ how: 'drifting', perMinute: 1.01, furthest: 1.03 }, 5).factor, '1.030');
  assert.equal(spoken({ how: 'drifting', perMinute: 0.99, furthest: 0.97 }, 5).factor, '0.970');
});

test('what is repeated is what was said last, as of now or as of then', () => {
  const again = spoken({ how: 'repeated', frame: 'again' }, 5);
  assert.deepEqual(again.told, again.said);
  assert.equal(again.isOldFrame, false);
  const frame = spoken({ how: 'repeated', frame: 'one frame' }, 5);
  assert.deepEqual(frame.told, frame.said);
  assert.equal(frame.isOldFrame, true);
});

test('a market that moved everywhere is told where it is, and its range covers where it was', () => {
  const { told, truth, market } = spoken(undefined, 1, { now: 0.7, low: 0.7, high: 1 });
  const walked = market.walked(startMs + 60_000);
  assert.deepEqual(told, truth);
  assert.equal(told.bid, (0.7 * Number(walked.bid)).toFixed(2));
  assert.deepEqual([told.high, told.low], [walked.high, (0.7 * Number(walked.low)).toFixed(2)]);
});

test('once a deceit is over, the truth is told', () => {
  const { telling, market } = spoken({ how: 'fixed', factor: 2 }, 1);
  telling.deceive(undefined, startMs + 60_000);
  assert.deepEqual(market.values(startMs + 60_000), telling.truth(startMs + 60_000));
});
