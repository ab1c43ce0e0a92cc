import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochMs } from '../ground/clock.ts';
import { bestSign, type DataFlow, dataFlow, SourceSigns } from './data-flow.ts';
import { after, hourMs, start } from './samples.testing.ts';

type State = DataFlow['state'];

/** Asks at so many milliseconds after `start`, by both clocks. */
function flowAt(source: SourceSigns, atMs: number): DataFlow {
  return source.flow(after(start, atMs), atMs);
}

/** A source whose live connection brought a price at `start`. */
function live(): SourceSigns {
  const source = new SourceSigns();
  source.current(true, start, 0);
  return source;
}

/** A source that was polled at `start`, every so many milliseconds. */
function polled(everyMs: number): SourceSigns {
  const source = new SourceSigns();
  source.current(false, start, 0, everyMs);
  return source;
}

test('a live source is silent once nothing was heard for more than five seconds, since it was last heard', () => {
  for (const [ms, state] of [
    [0, 'flowing'],
    [5_000, 'flowing'],
    [5_001, 'silent'],
  ] as const)
    assert.equal(flowAt(live(), ms).state, state, `${ms} ms`);
  assert.deepEqual(flowAt(live(), 8_000), { state: 'silent', since: start });
});

test('a poll that is not due yet is no silence, however seldom polls are', () => {
  for (const everyMs of [500, 1_000, 20_000, 60_000]) {
    const expected: readonly (readonly [number, State])[] = [
      [everyMs, 'polled'],
      [everyMs + 5_000, 'polled'],
      [everyMs + 5_001, 'silent'],
    ];
    for (const [ms, state] of expected) assert.equal(flowAt(polled(everyMs), ms).state, state, `${everyMs}, ${ms} ms`);
    assert.deepEqual(flowAt(polled(everyMs), everyMs + 10_000), { state: 'silent', since: start });
  }
});

test('a quiet market on a living connection is no fault, until its price is too old to rely on', () => {
  const source = live();
  const heard = (atMs: number) => source.heard(atMs, after(start, atMs), atMs);
  heard(300_000);
  assert.deepEqual(flowAt(source, 300_000), { state: 'flowing' });
  heard(300_001);
  assert.deepEqual(flowAt(source, 300_001), { state: 'silent', since: start });
});

test('a connection that fell silent did so when it was last heard, not with its last price', () => {
  const source = live();
  source.heard(60_000, after(start, 60_000), 60_000);
  assert.deepEqual(flowAt(source, 65_001), { state: 'silent', since: after(start, 60_000) });
});

test('a source that lost its connection has five seconds for the first poll', () => {
  const source = live();
  source.lost();
  assert.deepEqual([flowAt(source, 5_000).state, flowAt(source, 5_001).state], ['polled', 'silent']);
  source.current(false, after(start, 6_000), 6_000, 20_000);
  assert.deepEqual([flowAt(source, 31_000).state, flowAt(source, 31_001).state], ['polled', 'silent']);
});

test('a connection that delivers ends the polls: where it falls silent, or is lost, the one before keeps nothing alive', () => {
  for (const isLost of [false, true]) {
    const source = polled(20_000);
    source.heard(1_000, after(start, 1_000), 1_000);
    assert.equal(flowAt(source, 1_000).state, 'flowing');
    if (isLost) source.lost();
    assert.equal(flowAt(source, 6_000).state, isLost ? 'polled' : 'flowing');
    assert.deepEqual(flowAt(source, 6_001), { state: 'silent', since: after(start, 1_000) });
  }
});

test('live prices beside polls that go on take nothing from the poll that is due later', () => {
  const source = polled(20_000);
  source.current(false, after(start, 1_000), 1_000);
  assert.deepEqual([flowAt(source, 25_000).state, flowAt(source, 25_001).state], ['polled', 'silent']);
  assert.deepEqual(flowAt(source, 25_001), { state: 'silent', since: after(start, 1_000) });
});

test('live prices on a connection that does not carry all markets are data that arrives, though it is not live', () => {
  const source = new SourceSigns();
  source.current(false, start, 0);
  assert.deepEqual([flowAt(source, 5_000).state, flowAt(source, 5_001).state], ['polled', 'silent']);
});

test('what never had a price is silent since ever, however alive its connection is', () => {
  const source = new SourceSigns();
  assert.deepEqual(flowAt(source, 0), { state: 'silent', since: undefined });
  source.heard(0, start, 0);
  assert.deepEqual(flowAt(source, 0), { state: 'silent', since: undefined });
});

test('no jump of a clock makes silence look like life', () => {
  const cases: readonly (readonly [what: string, now: EpochMs, monotonicMs: number])[] = [
    ['wall clock set back by an hour', after(start, 5_001 - hourMs), 5_001],
    ['wall clock set back by half a second', after(start, 4_501), 5_001],
    ['a machine that slept', after(start, 60_000), 10],
  ];
  for (const [what, now, monotonicMs] of cases) assert.equal(live().flow(now, monotonicMs).state, 'silent', what);
  for (const [what, now, monotonicMs] of cases)
    assert.equal(polled(0).flow(now, monotonicMs).state, 'silent', `${what}, polled`);
});

test('silence began as long ago as the monotonic clock says where the wall clock was set back', () => {
  const now = after(start, -hourMs);
  assert.deepEqual(live().flow(now, 8_000), { state: 'silent', since: after(now, -8_000) });
});

test('an older sign of life changes nothing', () => {
  const source = live();
  source.heard(-1, after(start, 5_001), 5_001);
  assert.equal(flowAt(source, 5_001).state, 'silent');
});

test('several sources flow as the best of them, and are silent since the last of them was', () => {
  const never = new SourceSigns();
  const lost = live();
  lost.lost();
  const later = new SourceSigns();
  later.current(true, after(start, 2_000), 2_000);
  const flow = (sources: readonly SourceSigns[], ms: number) => dataFlow(sources, start, ms, after(start, ms), ms);
  assert.deepEqual(flow([never, lost, later], 3_000), { state: 'flowing' });
  assert.deepEqual(flow([never, lost, polled(20_000)], 3_000), { state: 'polled' });
  assert.deepEqual(flow([polled(20_000), later, never], 7_001), { state: 'polled' });
  assert.deepEqual(flow([lost, later, never], 7_001), { state: 'silent', since: after(start, 2_000) });
  assert.deepEqual(flow([], 0), { state: 'silent', since: start }, 'what a restart restored');
});

test('the sign of life that others are told is the one that holds for longest', () => {
  const at = (sources: readonly SourceSigns[], ms: number) => bestSign(sources, after(start, ms), ms);
  const lost = live();
  lost.lost();
  assert.deepEqual(at([polled(20_000), live()], 300), { state: 'flowing', silentMs: 300, pollEveryMs: undefined });
  assert.deepEqual(at([polled(1_000), lost, polled(20_000)], 300), {
    state: 'polled',
    silentMs: 300,
    pollEveryMs: 20_000,
  });
  assert.deepEqual(at([lost], 300), { state: 'polled', silentMs: 300, pollEveryMs: 0 });
  assert.deepEqual(at([lost, polled(1_000)], 9_000), { state: 'silent', silentMs: 9_000, pollEveryMs: undefined });
  assert.deepEqual(at([], 0), { state: 'silent', silentMs: Number.POSITIVE_INFINITY, pollEveryMs: undefined });
});
