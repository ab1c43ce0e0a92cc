import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochMs } from '../ground/clock.ts';
import {
  absentForMs,
  afterOperator,
  combined,
  type Decision,
  type Lifecycle,
  listedUntil,
  longerAbsence,
  statusOf,
} from './lifecycle.ts';
import { after, dayMs, start } from './samples.testing.ts';

const trading: Lifecycle = {
  upstreamStatus: 'trading',
  operatorPaused: false,
  absence: undefined,
  delistedAt: undefined,
};
const upstreamPaused: Lifecycle = { ...trading, upstreamStatus: 'paused' };
const delisted: Lifecycle = { ...trading, delistedAt: start };
const pausing = { operatorPaused: true, delistedAt: undefined };
const resuming = { operatorPaused: false, delistedAt: undefined };

function decided(state: Lifecycle, decision: Decision): Lifecycle {
  return { ...state, ...afterOperator(state, decision) };
}

function missed(state: Lifecycle, at: EpochMs): Lifecycle {
  return { ...state, absence: longerAbsence(state.absence, at) };
}

test('the status is the worst of what the upstream, the operator and a delisting make it', () => {
  assert.equal(statusOf(trading), 'trading');
  assert.equal(statusOf(upstreamPaused), 'paused');
  assert.equal(statusOf({ ...trading, operatorPaused: true }), 'paused');
  assert.equal(statusOf({ ...upstreamPaused, operatorPaused: true }), 'paused');
  assert.equal(statusOf(delisted), 'delisted');
  assert.equal(statusOf({ ...delisted, operatorPaused: true, upstreamStatus: 'paused' }), 'delisted');
});

test('a market that the operator paused stays paused whatever the upstream says, until the operator resumes it', () => {
  const paused = decided(trading, pausing);
  assert.equal(statusOf({ ...paused, upstreamStatus: 'trading' }), 'paused');
  assert.equal(statusOf(decided(paused, resuming)), 'trading');
});

test('resuming does not start trading on a market that the upstream paused', () => {
  assert.equal(statusOf(decided(upstreamPaused, resuming)), 'paused');
});

test('a market missing from two loads in a row is paused, from one it is not, and being listed ends it', () => {
  const once = missed(trading, start);
  assert.equal(statusOf(once), 'trading');
  const twice = missed(once, after(start, 60_000));
  assert.deepEqual([statusOf(twice), twice.delistedAt], ['paused', undefined]);
  assert.equal(statusOf({ ...twice, absence: undefined }), 'trading');
  assert.equal(absentForMs(missed({ ...twice, absence: undefined }, after(start, 120_000))), 0);
});

test('loads without a market add up to the time it was missing, over a gap or a jump of the clock by an hour at most', () => {
  let state = missed(trading, start);
  for (let minute = 1; minute <= 90; minute++) state = missed(state, after(start, minute * 60_000));
  assert.equal(absentForMs(state), 90 * 60_000);
  assert.equal(state.absence?.since, start);
  const later = missed(state, after(start, 30 * dayMs));
  assert.equal(absentForMs(later), 150 * 60_000, 'thirty days without a load, or a clock set forward');
  const back = missed(later, after(start, -dayMs));
  assert.equal(absentForMs(back), 150 * 60_000 + 1, 'a clock set back');
  assert.equal(absentForMs(missed(back, after(start, 60_000 - dayMs))), 151 * 60_000 + 1);
});

test('delisted is final: nothing brings the market back and the first instant stays', () => {
  const changes = [
    missed(delisted, after(start, 1)),
    decided(delisted, resuming),
    decided(delisted, { operatorPaused: false, delistedAt: after(start, 1) }),
  ];
  for (const changed of changes) {
    assert.equal(statusOf(changed), 'delisted');
    assert.equal(changed.delistedAt, start);
  }
});

test('the operator delists at the instant of the decision', () => {
  const delisting = decided(trading, { operatorPaused: false, delistedAt: after(start, 7) });
  assert.equal(delisting.delistedAt, after(start, 7));
});

test('a delisted market is listed for exactly 30 times 24 hours', () => {
  assert.equal(listedUntil(delisted), after(start, 30 * dayMs));
  assert.equal(listedUntil(trading), undefined);
});

test('a converted market is in the worse of its own state and its exchange market’s', () => {
  const untouched = resuming;
  assert.equal(statusOf(combined(trading, untouched)), 'trading');
  assert.equal(statusOf(combined(upstreamPaused, untouched)), 'paused');
  assert.equal(statusOf(combined(decided(trading, pausing), untouched)), 'paused');
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
