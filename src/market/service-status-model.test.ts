import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { EpochMs } from '../ground/clock.ts';
import type { MaintenanceWindow } from './maintenance.ts';
import { after, start } from './samples.testing.ts';
import { check } from './seeded.testing.ts';
import { FeedStatus, serviceStatus } from './service-status.ts';
import type { FeedPath } from './upstream.ts';

/** How far a small clock difference may hide age: see `clockDriftMs`. */
const toleranceMs = 1_000;

/** The knowledge of an observer with a perfect stopwatch. */
interface Model {
  /** Truly passed since the test began. */
  passedMs: number;
  /** The time that the wall clock shows. */
  now: EpochMs;
  /** When, by the stopwatch, the feed last proved current; before the restart counts as well. */
  provenAtMs: number | undefined;
  /** Nobody has set the wall clock since then. */
  isClockSteady: boolean;
  path: FeedPath;
  /** When, by the stopwatch, the feed of this process last gave a sign of life. */
  aliveAtMs: number | undefined;
  /** Nobody has set the wall clock since that sign, or a later one came. */
  isSignSteady: boolean;
  windows: readonly MaintenanceWindow[];
}

interface Real {
  feed: FeedStatus;
  /** The monotonic clock starts again with each process. */
  originMs: number;
}

function agree(model: Model, { feed, originMs }: Real): void {
  const read = serviceStatus(feed, model.windows, model.now, model.passedMs - originMs);
  const runs = model.windows.some(({ from, to }) => from <= model.now && model.now < to);
  assert.equal(read.api, runs ? 'maintenance' : 'operational');
  assert.equal(read.status, runs ? 'maintenance' : read.ticker);
  assert.ok(!runs || read.maintenance !== undefined);
  if (read.lastUpdatedAt !== undefined) {
    assert.ok(read.lastUpdatedAt <= model.now, 'an update in the future');
    assert.ok(model.provenAtMs !== undefined);
    const shownAgeMs = model.now - read.lastUpdatedAt;
    if (model.isClockSteady) assert.equal(shownAgeMs, model.passedMs - model.provenAtMs);
    assert.ok(shownAgeMs >= model.passedMs - model.provenAtMs - toleranceMs, 'data looks younger than it is');
    const isOutage = shownAgeMs > 300_000;
    const silentMs = model.passedMs - (model.aliveAtMs ?? Number.NEGATIVE_INFINITY);
    const isAlive = silentMs <= 5_000 && (model.isSignSteady || read.ticker === 'operational');
    assert.equal(read.ticker, isOutage ? 'outage' : model.path === 'live' && isAlive ? 'operational' : 'degraded');
  } else {
    assert.equal(read.ticker, 'outage');
    assert.ok(model.provenAtMs === undefined, 'what is known must be reported');
  }
}

type Command = fc.Command<Model, Real>;

function command(text: string, run: (model: Model, real: Real) => void): Command {
  return {
    check: () => true,
    run(model, real) {
      run(model, real);
      agree(model, real);
    },
    toString: () => text,
  };
}

function passed(byMs: number): Command {
  return command(`passed(${byMs})`, (model) => {
    model.passedMs += byMs;
    model.now = after(model.now, byMs);
  });
}

function wallClockSet(byMs: number): Command {
  return command(`wallClockSet(${byMs})`, (model) => {
    model.now = after(model.now, byMs);
    model.isClockSteady = false;
    model.isSignSteady = false;
  });
}

function current(path: FeedPath): Command {
  return command(`current(${path})`, (model, { feed, originMs }) => {
    feed.pathChanged(path);
    feed.feedCurrent(path, model.now, model.passedMs - originMs);
    model.path = path;
    model.provenAtMs = model.passedMs;
    signed(model);
    model.isSignSteady = true;
    model.isClockSteady = true;
  });
}

function pathChanged(path: FeedPath): Command {
  return command(`path(${path})`, (model, { feed }) => {
    feed.pathChanged(path);
    model.path = path;
  });
}

/** Two signs of one instant are one. */
function signed(model: Model): void {
  if (model.aliveAtMs === model.passedMs) return;
  model.aliveAtMs = model.passedMs;
  model.isSignSteady = true;
}

const alive = command('alive', (model, { feed, originMs }) => {
  feed.signOfLife(model.passedMs - originMs, model.now, model.passedMs - originMs);
  signed(model);
});

function announced(offsets: readonly (readonly [number, number])[]): Command {
  return command(`announced(${JSON.stringify(offsets)})`, (model) => {
    model.windows = offsets.map(([fromMs, lengthMs]) => {
      const from = after(model.now, fromMs);
      return { from, to: after(from, lengthMs), description: 'Upgrade.' };
    });
  });
}

/** The process ends and another takes over what it knew, with the wall clock untouched meanwhile. */
const restarted = command('restarted', (model, real) => {
  const kept = real.feed.lastUpdatedAt;
  const shown = serviceStatus(real.feed, [], model.now, model.passedMs - real.originMs).lastUpdatedAt;
  // The stored instant is of the wall clock it was read from. Only where that clock was not set since does it say
  // how old the data is: otherwise no process could know, and the model does not ask for it.
  real.feed = new FeedStatus();
  real.originMs = model.passedMs;
  real.feed.restore(kept === shown ? kept : undefined);
  if (kept !== shown) model.provenAtMs = undefined;
  model.path = 'fallback';
  model.aliveAtMs = undefined;
});

const anyPath = fc.constantFrom('live' as const, 'fallback' as const);
const shortMs = fc.oneof(
  fc.integer({ min: 0, max: 400_000 }),
  fc.constantFrom(1, 5_000, 5_001, 299_999, 300_000, 300_001),
);
const anyCommands = fc.commands(
  [
    shortMs.map(passed),
    fc
      .oneof(fc.integer({ min: -10_000_000, max: 10_000_000 }), fc.integer({ min: -1_500, max: 1_500 }))
      .map(wallClockSet),
    anyPath.map(current),
    anyPath.map(pathChanged),
    fc.constant(alive),
    fc
      .array(fc.tuple(fc.integer({ min: -5_000, max: 500_000 }), fc.integer({ min: 1, max: 500_000 })), {
        maxLength: 3,
      })
      .map(announced),
    fc.constant(restarted),
  ],
  { maxCommands: 40 },
);

function run(commands: Iterable<Command>): void {
  fc.modelRun(
    () => ({
      model: {
        passedMs: 0,
        now: start,
        provenAtMs: undefined,
        aliveAtMs: undefined,
        isSignSteady: true,
        isClockSteady: true,
        path: 'fallback',
        windows: [],
      } satisfies Model as Model,
      real: { feed: new FeedStatus(), originMs: 0 },
    }),
    commands,
  );
}

test('whatever the clocks, the feed, the operator and restarts do, data never looks younger than it is and the states follow', (t) => {
  check(t, fc.property(anyCommands, run), { numRuns: 1_500 });
});

test('sequences that once exposed a wrong implementation', () => {
  const sequences: Command[][] = [
    // Restored, looked at, and then the wall clock is set back.
    [current('live'), passed(400_000), restarted, wallClockSet(-400_000), passed(1)],
    // The wall clock goes ahead and comes back between two updates.
    [wallClockSet(3_600_000), current('live'), wallClockSet(-3_600_000), passed(300_001)],
    // A wall clock set back by less than a drift, right after an update.
    [current('live'), wallClockSet(-500)],
    // Many steps back add up to a large one.
    [current('live'), passed(200_000), wallClockSet(-100_000), passed(100_000), wallClockSet(-100_000), passed(1)],
  ];
  for (const sequence of sequences) run(sequence);
});
