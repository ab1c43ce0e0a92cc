import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  absentForMs,
  afterListed,
  afterMissed,
  afterOperator,
  combined,
  type Lifecycle,
  listedUntil,
  newlyListed,
  statusOf,
} from './lifecycle.ts';
import { after, dayMs, start } from './samples.testing.ts';

const trading = newlyListed('trading');
const delisted: Lifecycle = { ...trading, delistedAt: start };
const pausing = { operatorPaused: true, delistedAt: undefined };
const resuming = { operatorPaused: false, delistedAt: undefined };

test('the status is the worst of what the upstream, the operator and a delisting make it', () => {
  assert.equal(statusOf(trading), 'trading');
  assert.equal(statusOf(newlyListed('paused')), 'paused');
  assert.equal(statusOf({ ...trading, operatorPaused: true }), 'paused');
  assert.equal(statusOf({ ...newlyListed('paused'), operatorPaused: true }), 'paused');
  assert.equal(statusOf(delisted), 'delisted');
  assert.equal(statusOf({ ...delisted, operatorPaused: true, upstreamStatus: 'paused' }), 'delisted');
});

test('a market that the operator paused stays paused whatever the upstream says, until the operator resumes it', () => {
  const paused = afterOperator(trading, pausing);
  assert.equal(statusOf(afterListed(paused, 'trading')), 'paused');
  assert.equal(statusOf(afterOperator(paused, resuming)), 'trading');
});

test('resuming does not start trading on a market that the upstream paused', () => {
  assert.equal(statusOf(afterOperator(newlyListed('paused'), resuming)), 'paused');
});

test('a market missing from two loads in a row is paused, from one it is not, and being listed ends it', () => {
  const once = afterMissed(trading, start);
  assert.equal(statusOf(once), 'trading');
  const twice = afterMissed(once, after(start, 60_000));
  assert.deepEqual([statusOf(twice), twice.delistedAt], ['paused', undefined]);
  assert.equal(statusOf(afterListed(twice, 'trading')), 'trading');
  assert.equal(absentForMs(afterMissed(afterListed(twice, 'trading'), after(start, 120_000))), 0);
});

test('loads without a market add up to the time it was missing, over a gap or a jump of the clock by an hour at most', () => {
  let state = afterMissed(trading, start);
  for (let minute = 1; minute <= 90; minute++) state = afterMissed(state, after(start, minute * 60_000));
  assert.equal(absentForMs(state), 90 * 60_000);
  assert.equal(state.absence?.since, start);
  const later = afterMissed(state, after(start, 30 * dayMs));
  assert.equal(absentForMs(later), 150 * 60_000, 'thirty days without a load, or a clock set forward');
  const back = afterMissed(later, after(start, -dayMs));
  assert.equal(absentForMs(back), 150 * 60_000 + 1, 'a clock set back');
  assert.equal(absentForMs(afterMissed(back, after(start, 60_000 - dayMs))), 151 * 60_000 + 1);
});

test('delisted is final: nothing brings the market back and the first instant stays', () => {
  const changes = [
    afterListed(delisted, 'trading'),
    afterMissed(delisted, after(start, 1)),
    afterOperator(delisted, resuming),
    afterOperator(delisted, { operatorPaused: false, delistedAt: after(start, 1) }),
  ];
  for (const changed of changes) {
    assert.equal(statusOf(changed), 'delisted');
    assert.equal(changed.delistedAt, start);
  }
});

test('the operator delists at the instant of the decision', () => {
  const decided = afterOperator(trading, { operatorPaused: false, delistedAt: after(start, 7) });
  assert.equal(decided.delistedAt, after(start, 7));
});

test('a delisted market is listed for exactly 30 times 24 hours', () => {
  assert.equal(listedUntil(delisted), after(start, 30 * dayMs));
  assert.equal(listedUntil(trading), undefined);
});

test('a converted market is in the worse of its own state and its exchange market’s', () => {
  const untouched = resuming;
  assert.equal(statusOf(combined(trading, untouched)), 'trading');
  assert.equal(statusOf(combined(newlyListed('paused'), untouched)), 'paused');
  assert.equal(statusOf(combined(afterOperator(trading, pausing), untouched)), 'paused');
  assert.equal(statusOf(combined(trading, pausing)), 'paused');
  assert.equal(statusOf(combined(delisted, pausing)), 'delisted');
  assert.equal(statusOf(combined(trading, { ...untouched, delistedAt: start })), 'delisted');
});

test('a converted market is delisted at the earlier of its own delisting and its exchange market’s', () => {
  for (const byMs of [-1, 0, 1]) {
    const own = { operatorPaused: false, delistedAt: after(start, byMs) };
    assert.equal(combined(delisted, own).delistedAt, after(start, Math.min(0, byMs)));
  }
});
