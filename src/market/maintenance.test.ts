import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type MaintenanceWindow,
  maintenanceUntil,
  retryAfterSeconds,
  runningWindow,
  shownWindow,
} from './maintenance.ts';
import { after, hourMs, start } from './samples.testing.ts';
import { check } from './seeded.testing.ts';

/** A window from this many to this many milliseconds after `start`. */
function window(fromMs: number, toMs: number): MaintenanceWindow {
  return { from: after(start, fromMs), to: after(start, toMs), description: `from ${fromMs} to ${toMs}` };
}

const anyWindow = fc
  .tuple(fc.integer({ min: -20, max: 20 }), fc.integer({ min: 1, max: 20 }))
  .map(([fromMs, lengthMs]) => window(fromMs, fromMs + lengthMs));

test('a window runs from its first millisecond to the last before its end', () => {
  const only = window(0, hourMs);
  const edges: [number, boolean][] = [
    [-1, false],
    [0, true],
    [1, true],
    [hourMs - 1, true],
    [hourMs, false],
    [hourMs + 1, false],
  ];
  for (const [atMs, runs] of edges)
    assert.equal(runningWindow([only], after(start, atMs)) !== undefined, runs, `${atMs} ms`);
});

test('announced does not mean running: a future window is shown and does not run; a past one does neither', () => {
  const only = window(1, 2);
  assert.equal(shownWindow([only], start), only);
  assert.equal(runningWindow([only], start), undefined);
  assert.equal(shownWindow([only], after(start, 2)), undefined);
  assert.equal(shownWindow([], start), undefined);
});

test('of overlapping windows the one that ends last is the running one, in whatever order they are announced', () => {
  const [short, long, inner] = [window(0, 10), window(5, 20), window(6, 8)];
  for (const windows of [
    [short, long, inner],
    [inner, long, short],
  ]) {
    assert.equal(runningWindow(windows, start), short);
    assert.equal(runningWindow(windows, after(start, 7)), long);
    assert.equal(runningWindow(windows, after(start, 19)), long);
    assert.equal(runningWindow(windows, after(start, 20)), undefined);
  }
});

test('the running window is shown before a nearer end or start of any other; then the nearest announced one', () => {
  const [running, next, later] = [window(-5, 5), window(1, 2), window(10, 11)];
  assert.equal(shownWindow([later, next, running], start), running);
  assert.equal(shownWindow([later, next], start), next);
  assert.equal(shownWindow([later, next], after(start, 2)), later);
});

test('a window that is extended or ended while it runs is judged by its new end', () => {
  assert.equal(runningWindow([window(0, 20)], after(start, 15))?.to, after(start, 20));
  assert.equal(runningWindow([window(0, 10)], after(start, 15)), undefined);
});

test('maintenance lasts to the end of the last of the windows that touch or overlap, and no further than a gap', () => {
  const chain = [window(30, 40), window(20, 30), window(0, 10), window(10, 20)];
  assert.equal(maintenanceUntil(chain, after(start, 5)), after(start, 40));
  assert.equal(maintenanceUntil([window(0, 10), window(11, 20)], start), after(start, 10));
  assert.equal(maintenanceUntil([window(0, 10), window(5, 20), window(20, 21)], start), after(start, 21));
  assert.equal(maintenanceUntil(chain, after(start, -1)), undefined, 'none runs yet');
  assert.equal(maintenanceUntil(chain, after(start, 40)), undefined);
});

test('Retry-After is the whole seconds to the end, rounded up, at least 1 and at most 3600', () => {
  const known: [number, number][] = [
    [1, 1],
    [999, 1],
    [1000, 1],
    [1001, 2],
    [59_999, 60],
    [3_599_001, 3600],
    [3_600_000, 3600],
    [3_600_001, 3600],
    [86_400_000, 3600],
  ];
  for (const [leftMs, seconds] of known)
    assert.equal(retryAfterSeconds(after(start, leftMs), start), seconds, `${leftMs} ms`);
});

test('over random windows: the running one holds the instant and nothing served ends later; the shown one is the nearest', (t) => {
  check(
    t,
    fc.property(fc.array(anyWindow, { maxLength: 6 }), fc.integer({ min: -25, max: 45 }), (windows, atMs) => {
      const now = after(start, atMs);
      const holding = windows.filter(({ from, to }) => from <= now && now < to);
      const running = runningWindow(windows, now);
      const shown = shownWindow(windows, now);
      assert.equal(running !== undefined, holding.length > 0);
      const until = maintenanceUntil(windows, now);
      assert.equal(until === undefined, running === undefined);
      for (let at = now; at < (until ?? now); at++) assert.ok(runningWindow(windows, at as typeof now));
      if (until !== undefined) assert.equal(runningWindow(windows, until), undefined);
      if (running !== undefined) {
        assert.ok(holding.includes(running) && holding.every(({ to }) => to <= running.to));
        assert.equal(shown, running);
        return;
      }
      const announced = windows.filter(({ from }) => from > now);
      assert.equal(shown !== undefined, announced.length > 0);
      assert.ok(announced.every(({ from }) => from >= shown!.from));
    }),
    { numRuns: 2_000 },
  );
});
