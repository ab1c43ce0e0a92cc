import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
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

test('the third load in a row without the market delists it, at that load; being listed in between resets the count', () => {
  const twice = afterMissed(afterMissed(trading, after(start, 1)), after(start, 2));
  assert.equal(statusOf(twice), 'trading');
  assert.equal(afterMissed(twice, after(start, 3)).delistedAt, after(start, 3));
  const again = afterMissed(afterMissed(afterListed(twice, 'trading'), after(start, 4)), after(start, 5));
  assert.equal(statusOf(again), 'trading');
  assert.equal(statusOf(afterMissed(again, after(start, 6))), 'delisted');
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
