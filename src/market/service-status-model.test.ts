import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { EpochMs } from '../ground/clock.ts';
import type { DataFlow } from './data-flow.ts';
import type { MaintenanceWindow } from './maintenance.ts';
import { after, start } from './samples.testing.ts';
import { check } from './seeded.testing.ts';
import { FeedStatus, serviceStatus } from './service-status.ts';
import type { FeedPath } from './upstream.ts';

/** How far a small clock difference may hide age: see `clockDriftMs`. */
const toleranceMs = 1_000;

/** A sign of life, by the stopwatch. */
interface Sign {
  readonly atMs: number;
  /** How soon a poll repeats it; 0 over a connection. */
  readonly everyMs: number;
  /** Nobody has set the wall clock since. */
  isSteady: boolean;
}

interface SourceModel {
  isLive: boolean;
  heard: Sign | undefined;
  polled: Sign | undefined;
}

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
  sources: Map<string, SourceModel>;
  /** The sources that make prices, by the last review; before it any may. */
  makers: ReadonlySet<string> | undefined;
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
    agreeOnFlow(model, read.flow, isOutage, read.lastUpdatedAt);
    const isAtItsBest = model.path === 'live' && read.flow.state === 'flowing';
    assert.equal(read.ticker, isOutage ? 'outage' : isAtItsBest ? 'operational' : 'degraded');
  } else {
    assert.equal(read.ticker, 'outage');
    assert.deepEqual(read.flow, { state: 'silent', since: undefined });
    assert.ok(model.provenAtMs === undefined, 'what is known must be reported');
  }
}

const ranks = ['flowing', 'polled', 'silent'] as const;

/**
 * Nothing looks more alive than it is, whoever sets the clock; where nobody did, it looks exactly as alive as it is.
 */
function agreeOnFlow(model: Model, flow: DataFlow, isOutage: boolean, lastUpdatedAt: EpochMs): void {
  const isFresh = (sign: Sign | undefined) => sign !== undefined && model.passedMs - sign.atMs <= sign.everyMs + 5_000;
  const sources = [...model.sources].flatMap(([id, source]) => (isMaker(model, id) ? [source] : []));
  const states = sources.map(({ isLive, heard, polled }) => {
    if (isLive && isFresh(heard)) return 'flowing' as const;
    return isFresh(heard) || isFresh(polled) ? ('polled' as const) : ('silent' as const);
  });
  const truth = isOutage ? 'silent' : (ranks.find((state) => states.includes(state)) ?? 'silent');
  assert.ok(ranks.indexOf(flow.state) >= ranks.indexOf(truth), `${flow.state} where it is ${truth}`);
  const signs = sources.flatMap(({ heard, polled }) => [heard, polled]).filter((sign) => sign !== undefined);
  if (signs.every(({ isSteady }) => isSteady)) assert.equal(flow.state, truth);
  if (flow.state !== 'silent') return;
  assert.ok(flow.since !== undefined && flow.since <= model.now);
  assert.ok(flow.since >= lastUpdatedAt, 'silent while data came');
  const lastMs = Math.max(model.provenAtMs!, ...signs.map(({ atMs }) => atMs));
  assert.ok(model.now - flow.since >= model.passedMs - lastMs - toleranceMs, 'silence looks shorter than it is');
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
    for (const { heard, polled } of model.sources.values())
      for (const sign of [heard, polled]) if (sign !== undefined) sign.isSteady = false;
  });
}

function sourceOf(model: Model, id: string): SourceModel {
  const source = model.sources.get(id) ?? { isLive: false, heard: undefined, polled: undefined };
  model.sources.set(id, source);
  return source;
}

/** Another process, which is the source without a name, counts as far as it makes prices itself. */
function isMaker({ makers }: Model, id: string): boolean {
  return id === '' || makers === undefined || makers.has(id);
}

function proven(model: Model): void {
  model.provenAtMs = model.passedMs;
  model.isClockSteady = true;
}

function current(path: FeedPath): Command {
  return command(`current(${path})`, (model, { feed, originMs }) => {
    feed.pathChanged(path);
    feed.feedCurrent(path, model.now, model.passedMs - originMs);
    model.path = path;
    proven(model);
    const source = sourceOf(model, '');
    source.isLive = path === 'live';
    if (source.isLive) source.polled = undefined;
    source.heard = { atMs: model.passedMs, everyMs: 0, isSteady: true };
  });
}

function pathChanged(path: FeedPath): Command {
  return command(`path(${path})`, (model, { feed }) => {
    feed.pathChanged(path);
    model.path = path;
  });
}

function priced(id: string, isLive: boolean): Command {
  return command(`priced(${id}, ${isLive})`, (model, { feed, originMs }) => {
    if (isMaker(model, id)) {
      feed.updated(model.path, model.now, model.passedMs - originMs);
      proven(model);
    }
    feed.source(id).current(isLive, model.now, model.passedMs - originMs);
    const source = sourceOf(model, id);
    source.isLive = isLive;
    if (isLive) source.polled = undefined;
    source.heard = { atMs: model.passedMs, everyMs: 0, isSteady: true };
  });
}

function polled(id: string, everyMs: number): Command {
  return command(`polled(${id}, ${everyMs})`, (model, { feed, originMs }) => {
    if (isMaker(model, id)) {
      feed.updated(model.path, model.now, model.passedMs - originMs);
      proven(model);
    }
    feed.source(id).current(false, model.now, model.passedMs - originMs, everyMs);
    const source = sourceOf(model, id);
    source.isLive = false;
    source.polled = { atMs: model.passedMs, everyMs, isSteady: true };
  });
}

function lost(id: string): Command {
  return command(`lost(${id})`, (model, { feed }) => {
    feed.source(id).lost();
    sourceOf(model, id).isLive = false;
  });
}

/** Two signs of one instant are one. */
function heard(id: string): Command {
  return command(`heard(${id})`, (model, { feed, originMs }) => {
    feed.source(id).heard(model.passedMs - originMs, model.now, model.passedMs - originMs);
    const source = sourceOf(model, id);
    source.isLive = true;
    source.polled = undefined;
    if (source.heard?.atMs !== model.passedMs) source.heard = { atMs: model.passedMs, everyMs: 0, isSteady: true };
  });
}

/** Another process tells that its feed polls. */
function reported(everyMs: number): Command {
  return command(`reported(${everyMs})`, (model, { feed, originMs }) => {
    feed.signOfLife(model.passedMs - originMs, model.now, model.passedMs - originMs, everyMs);
    const source = sourceOf(model, '');
    source.isLive = false;
    source.polled = { atMs: model.passedMs, everyMs, isSteady: true };
  });
}

/** A review finds which sources make prices, and how many of a hundred are not served over their best path. */
function reviewed(makers: readonly string[], lesser: number, isAnyLive: boolean): Command {
  return command(`reviewed([${makers.join()}], ${lesser}, ${isAnyLive})`, (model, { feed, originMs }) => {
    const serving = { makers: new Set(makers), priced: 100, lesser, newestAt: undefined };
    feed.reviewed(serving, isAnyLive, model.now, model.passedMs - originMs);
    model.makers = serving.makers;
    model.path = isAnyLive && lesser <= 10 ? 'live' : 'fallback';
  });
}

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
  const isAhead = kept !== undefined && kept > model.now + toleranceMs;
  real.feed.restore(kept === shown || isAhead ? kept : undefined);
  // Dated ahead of the clock it is of unknown age, and counts as just too old.
  if (isAhead) model.provenAtMs = model.passedMs - 300_001;
  else if (kept !== shown) model.provenAtMs = undefined;
  if (isAhead) model.isClockSteady = true;
  model.path = 'fallback';
  model.sources.clear();
  model.makers = undefined;
});

const anyPath = fc.constantFrom('live' as const, 'fallback' as const);
const shortMs = fc.oneof(
  fc.integer({ min: 0, max: 400_000 }),
  fc.constantFrom(1, 5_000, 5_001, 6_001, 20_000, 25_000, 25_001, 65_000, 299_999, 300_000, 300_001),
);
const anyId = fc.constantFrom('', 'first', 'second', 'third');
const anyPollMs = fc.constantFrom(0, 500, 1_000, 20_000, 60_000);
const anyCommands = fc.commands(
  [
    shortMs.map(passed),
    fc
      .oneof(fc.integer({ min: -10_000_000, max: 10_000_000 }), fc.integer({ min: -1_500, max: 1_500 }))
      .map(wallClockSet),
    anyPath.map(current),
    anyPath.map(pathChanged),
    anyId.map(heard),
    anyId.map(lost),
    fc.tuple(anyId, fc.boolean()).map(([id, isLive]) => priced(id, isLive)),
    fc.tuple(anyId, anyPollMs).map(([id, everyMs]) => polled(id, everyMs)),
    anyPollMs.map(reported),
    fc
      .tuple(
        fc.subarray(['first', 'second', 'third']),
        fc.oneof(fc.constantFrom(0, 10, 11), fc.integer({ min: 0, max: 100 })),
        fc.boolean(),
      )
      .map(([makers, lesser, isAnyLive]) => reviewed(makers, lesser, isAnyLive)),
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
        isClockSteady: true,
        path: 'fallback',
        sources: new Map(),
        makers: undefined,
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
    // A connection comes and goes between two polls.
    [polled('first', 20_000), passed(1), heard('first'), passed(1), lost('first'), passed(20_000)],
    // A source that makes no price goes on while the one that makes them is silent.
    [
      reviewed(['first'], 0, true),
      priced('first', true),
      passed(150_000),
      priced('second', true),
      passed(150_001),
      heard('second'),
    ],
    // The clock is set back while no process runs.
    [current('live'), wallClockSet(-3_600_000), restarted, passed(1)],
  ];
  for (const sequence of sequences) run(sequence);
});
