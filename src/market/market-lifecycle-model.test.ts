import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { EpochMs } from '../ground/clock.ts';
import { MarketCatalogue, type MarketControls, type MarketRecord } from './market-catalogue.ts';
import {
  after,
  currency,
  dayMs,
  everyEuroMarket,
  hourMs,
  pricingPolicy,
  start,
  symbol,
  upstreamMarket,
} from './samples.testing.ts';
import { check } from './seeded.testing.ts';
import type { ListedStatus, UpstreamMarketStatus } from './upstream.ts';

const bases = ['BTC', 'ETH', 'XRP'];
const removalMs = 30 * dayMs;

/** One symbol as the model knows it. A converted one (CZK) has decisions only. */
interface ModelMarket {
  upstream: UpstreamMarketStatus;
  paused: boolean;
  /** The loads in a row without it: the first and the latest, as far as gaps of up to an hour count. */
  missing: { forMs: number; at: number } | undefined;
  endedAt: number;
}

/** The rules in their plainest form: a table of symbols, and the time. */
interface Model {
  now: EpochMs;
  readonly markets: Map<string, ModelMarket>;
  /** Bases that are no markets: they had ended when they were first seen, and have not traded since. */
  readonly endedFirst: Set<string>;
}

interface Real {
  catalogue: MarketCatalogue;
  /** The decisions as a store keeps them: applied all together at every change. */
  readonly decisions: Map<string, MarketControls>;
}

const never = Number.POSITIVE_INFINITY;

function newModelMarket(upstream: UpstreamMarketStatus): ModelMarket {
  return { upstream, paused: false, missing: undefined, endedAt: never };
}

/** Gives what clients see in the model: `[symbol, status, the instant it leaves the list]`. */
function expected({ markets, now }: Model): [string, string, number][] {
  const seen: [string, string, number][] = [];
  for (const [name, own] of markets) {
    const exchange = markets.get(name.replace('CZK', 'EUR'))!;
    const endedAt = Math.min(own.endedAt, exchange.endedAt);
    if (now >= endedAt + removalMs) continue;
    const isMissing = (exchange.missing?.forMs ?? 0) > 0;
    const isPaused = own.paused || exchange.paused || exchange.upstream === 'paused' || isMissing;
    seen.push([name, endedAt < never ? 'delisted' : isPaused ? 'paused' : 'trading', endedAt + removalMs]);
  }
  return seen.sort(([a], [b]) => (a < b ? -1 : 1));
}

function agree(model: Model, { catalogue }: Real): void {
  const seen = catalogue.listed(model.now).map((market) => [market.symbol, market.status, market.listedUntil ?? never]);
  assert.deepEqual(seen, expected(model));
  const next = expected(model)
    .map(([, , until]) => until)
    .filter((until) => until < never);
  assert.equal(catalogue.nextRemovalAt(model.now) ?? never, Math.min(never, ...next));
  assert.deepEqual(
    [...catalogue.all()].map((market) => market.symbol),
    [...model.markets.keys()].sort(),
  );
  assert.equal(catalogue.everLoaded, model.markets.size > 0);
  const open = [...model.markets].filter(([name, { endedAt }]) => name.endsWith('EUR') && endedAt === never);
  const due = open.filter(([, { missing }]) => (missing?.forMs ?? 0) >= 2 * hourMs).map(([name]) => name);
  const missing = open.filter(([, modelMarket]) => (modelMarket.missing?.forMs ?? 0) > 0);
  const absences = catalogue.absences(2 * hourMs);
  assert.deepEqual(absences.due.toSorted(), due.toSorted());
  assert.equal(absences.isHeldBack, due.length > 0 && missing.length > open.length / 10);
}

type Command = fc.Command<Model, Real>;

/** A command without a condition. */
function command(
  text: string,
  run: (model: Model, real: Real) => void,
  check: (model: Readonly<Model>) => boolean,
): Command {
  return {
    check,
    run(model, real) {
      run(model, real);
      agree(model, real);
    },
    toString: () => text,
  };
}

function loadCommand(listed: readonly (ListedStatus | undefined)[], withForeign: boolean): Command {
  const load = (model: Model, { catalogue }: Real) => {
    const markets = bases.flatMap((base, index) => {
      const status = listed[index];
      return status === undefined ? [] : [{ ...upstreamMarket(base), status }];
    });
    const foreign = withForeign ? [upstreamMarket('BTC', { quote: currency('USD') })] : [];
    catalogue.load([...foreign, ...markets], model.now);
    const open = bases.filter((base) => (model.markets.get(`${base}EUR`)?.endedAt ?? 0) === never);
    const missed = open.filter((base) => listed[bases.indexOf(base)] === undefined);
    const isEvidence = markets.length > 0 && missed.length * 2 <= open.length;
    for (const [index, base] of bases.entries()) loadOne(model, base, listed[index], isEvidence);
  };
  return command(`load(${listed.map((status) => status ?? '-')})`, load, () => true);
}

function loadOne(model: Model, base: string, status: ListedStatus | undefined, isEvidence: boolean): void {
  const { markets, now, endedFirst } = model;
  const known = markets.get(`${base}EUR`);
  const isNone = status === 'ended' || (status === 'paused' && endedFirst.has(base));
  endedFirst.delete(base);
  if (known === undefined && isNone) {
    endedFirst.add(base);
    return;
  }
  const isGone = status === undefined || status === 'ended';
  if (status === 'ended' && known?.endedAt === never) known.upstream = 'paused';
  if (isGone) {
    if (known === undefined || known.endedAt < never || !isEvidence) return;
    const { missing } = known;
    const stepMs = missing === undefined ? 0 : Math.min(Math.max(now - missing.at, 1), hourMs);
    known.missing = { forMs: (missing?.forMs ?? 0) + stepMs, at: now };
  } else if (known === undefined) {
    markets.set(`${base}EUR`, newModelMarket(status));
    markets.set(`${base}CZK`, newModelMarket(status));
  } else {
    known.missing = undefined;
    known.upstream = status;
  }
}

function tickCommand(name: string): Command {
  const tick = (model: Model, { catalogue }: Real) => {
    const modelMarket = model.markets.get(name);
    const isChange = modelMarket?.missing !== undefined && modelMarket.endedAt === never;
    assert.equal(catalogue.ticked(symbol(name)), isChange);
    if (isChange) modelMarket.missing = undefined;
  };
  return command(`tick(${name})`, tick, () => true);
}

function statusCommand(name: string, status: UpstreamMarketStatus): Command {
  const change = (model: Model, { catalogue }: Real) => {
    catalogue.change(symbol(name), { status });
    const modelMarket = model.markets.get(name);
    if (modelMarket !== undefined) modelMarket.upstream = status;
  };
  return command(`status(${name} ${status})`, change, () => true);
}

function operatorCommand(name: string, decision: 'pause' | 'resume' | 'delist'): Command {
  const decide = (model: Model, { catalogue, decisions }: Real) => {
    const modelMarket = model.markets.get(name)!;
    if (decision === 'delist') modelMarket.endedAt = Math.min(modelMarket.endedAt, model.now);
    else modelMarket.paused = decision === 'pause';
    const delistedAt = decision === 'delist' ? model.now : undefined;
    decisions.set(name, { symbol: symbol(name), operatorPaused: modelMarket.paused, delistedAt });
    catalogue.applyControls([...decisions.values()]);
  };
  return command(`${decision}(${name})`, decide, (model) => model.markets.has(name));
}

function timeCommand(byMs: number): Command {
  return command(
    `after(${byMs} ms)`,
    (model) => {
      model.now = after(model.now, byMs);
    },
    () => true,
  );
}

/** To the last listed millisecond of whatever leaves the list next, or one past it. */
function removalEdgeCommand(pastMs: number): Command {
  const upcoming = (model: Readonly<Model>) => Math.min(...expected(model).map(([, , until]) => until));
  const move = (model: Model) => {
    model.now = Math.max(model.now, upcoming(model) - 1 + pastMs) as EpochMs;
  };
  return command(`toRemoval(${pastMs - 1} ms)`, move, (model) => upcoming(model) < never);
}

const restartCommand = command(
  'restart',
  (model, real) => {
    model.endedFirst.clear();
    const kept = JSON.parse(JSON.stringify(real.catalogue.records())) as MarketRecord[];
    real.catalogue = new MarketCatalogue(pricingPolicy(), everyEuroMarket);
    real.catalogue.restore(kept);
  },
  () => true,
);

const anyStatus = fc.constantFrom('trading' as const, 'paused' as const);
const anyListed = fc.constantFrom('trading' as const, 'paused' as const, 'ended' as const);
const anySymbol = fc
  .tuple(fc.constantFrom(...bases), fc.constantFrom('EUR', 'CZK'))
  .map(([base, quote]) => base + quote);

const anyCommands = fc.commands(
  [
    fc
      .tuple(fc.array(fc.option(anyListed, { nil: undefined }), { minLength: 3, maxLength: 3 }), fc.boolean())
      .map(([listed, withForeign]) => loadCommand(listed, withForeign)),
    fc.tuple(fc.constantFrom(...bases), anyStatus).map(([base, status]) => statusCommand(`${base}EUR`, status)),
    fc
      .tuple(anySymbol, fc.constantFrom('pause' as const, 'resume' as const, 'delist' as const))
      .map(([name, decision]) => operatorCommand(name, decision)),
    fc.constantFrom(...bases).map((base) => tickCommand(`${base}EUR`)),
    fc.integer({ min: 0, max: 20 * dayMs }).map(timeCommand),
    fc.integer({ min: 0, max: hourMs }).map(timeCommand),
    fc.constantFrom(0, 1).map(removalEdgeCommand),
    fc.constant(restartCommand),
  ],
  { maxCommands: 40 },
);

function run(commands: Iterable<Command>): void {
  const setup = () => ({
    model: { now: start, markets: new Map<string, ModelMarket>(), endedFirst: new Set<string>() },
    real: {
      catalogue: new MarketCatalogue(pricingPolicy(), everyEuroMarket),
      decisions: new Map<string, MarketControls>(),
    },
  });
  fc.modelRun(setup, commands);
}

test('markets follow the lifecycle rules under any sequence of upstream, operator, time and restart events', (t) => {
  check(t, fc.property(anyCommands, run), { numRuns: 600 });
});

test('sequences that once exposed a wrong implementation', () => {
  const load = (text: string) =>
    loadCommand(
      [...text].map((letter) => ({ t: 'trading' as const, p: 'paused' as const, e: 'ended' as const })[letter]),
      false,
    );
  const sequences: Command[][] = [
    // A converted market that was delisted on its own, and a later decision that does not repeat it.
    [
      load('t--'),
      operatorCommand('BTCCZK', 'delist'),
      operatorCommand('BTCCZK', 'pause'),
      operatorCommand('BTCCZK', 'resume'),
    ],
    // Absences with a restart in between, until the market is due, and a ticker then.
    [
      load('tt-'),
      load('-t-'),
      timeCommand(hourMs),
      load('-t-'),
      restartCommand,
      timeCommand(dayMs),
      load('-t-'),
      tickCommand('BTCEUR'),
    ],
    // The operator's instant stays although the upstream drops the market afterwards.
    [
      load('tt-'),
      operatorCommand('BTCEUR', 'delist'),
      timeCommand(5),
      load('-t-'),
      load('-t-'),
      load('-t-'),
      removalEdgeCommand(1),
    ],
    // The converted market goes first, its exchange market later, each by its own 30 days.
    [
      load('t--'),
      operatorCommand('BTCCZK', 'delist'),
      timeCommand(1),
      operatorCommand('BTCEUR', 'delist'),
      removalEdgeCommand(1),
      removalEdgeCommand(1),
    ],
    // An empty load between absences neither counts nor forgives.
    [load('tt-'), load('-t-'), load('---'), load('-t-'), load('---'), load('-t-')],
  ];
  for (const sequence of sequences) run(sequence);
});
