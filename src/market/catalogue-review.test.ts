import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochMs } from '../ground/clock.ts';
import type { ListDecision, PendingReason } from './catalogue-review.ts';
import { MarketCatalogue, type MarketSelection } from './market-catalogue.ts';
import { everyEuroMarket, pricingPolicy, start, symbol, upstreamMarket } from './samples.testing.ts';
import type { CurrencyCode, MarketSymbol } from './symbol.ts';
import type { UpstreamMarket } from './upstream.ts';

const source = 'exchange';
const minuteMs = 60_000;
const whole = { skipped: [], isComplete: true };

/** The markets `A0EUR`, `A1EUR`, … of a name. */
function named(prefix: string, count: number, quote = 'EUR' as CurrencyCode): UpstreamMarket[] {
  return Array.from({ length: count }, (_, index) => upstreamMarket(`${prefix}${index}`, { quote }));
}

const symbolsOf = (markets: readonly UpstreamMarket[]) => markets.map((market) => market.symbol);

/** A catalogue that is loaded once a minute. */
class Loads {
  catalogue: MarketCatalogue;
  readonly #selection: MarketSelection;
  #at = start as number;

  constructor(selection: Partial<MarketSelection> = {}, ...first: readonly UpstreamMarket[]) {
    this.#selection = { ...everyEuroMarket, ...selection };
    this.catalogue = new MarketCatalogue(pricingPolicy(), this.#selection);
    if (first.length > 0) this.load(first);
  }

  get now(): EpochMs {
    return this.#at as EpochMs;
  }

  load(markets: readonly UpstreamMarket[], gaps = whole) {
    this.#at += minuteMs;
    return this.catalogue.load(markets, this.now, gaps, source);
  }

  /** Restarts it with what was saved; another process begins in the same way. */
  restart(): void {
    const { catalogue } = this;
    const saved = [catalogue.records(), catalogue.listedBySource(), catalogue.reviews.states()];
    const [records, listed, reviews] = JSON.parse(JSON.stringify(saved));
    this.catalogue = new MarketCatalogue(pricingPolicy(), this.#selection);
    this.catalogue.restore(records, listed, reviews);
  }

  decide(decision: Partial<ListDecision>): void {
    const nothing = { accepted: [], rejected: [], kept: [], keptAt: 0 as EpochMs };
    this.catalogue.reviews.decide([{ source, ...nothing, ...decision }]);
  }

  /** Reasons why something waits, with how many and since how many minutes after the first load. */
  get waits(): [PendingReason, count: number, minute: number][] {
    const minuteOf = (since: number) => (since - start) / minuteMs - 1;
    return this.catalogue.reviews.pending.map(({ reason, count, since }) => [reason, count, minuteOf(since)]);
  }

  get size(): number {
    return [...this.catalogue.all()].filter(({ isConverted }) => !isConverted).length;
  }

  has(name: string): boolean {
    return this.catalogue.find(symbol(name)) !== undefined;
  }
}

test('a growth of more than half and at least 50 markets waits for the operator, and known markets go on (fault row 97)', () => {
  for (const [before, added, waits] of [
    [100, 50, false],
    [100, 51, true],
    [20, 49, false],
    [20, 50, true],
  ] as const) {
    const known = named('A', before);
    const loads = new Loads({}, ...known);
    const report = loads.load([...known, ...named('B', added)]);
    assert.equal(loads.size, waits ? before : before + added, `${added} to ${before}`);
    assert.deepEqual(loads.waits, waits ? [['growth', added, 1]] : []);
    assert.deepEqual([report.isEvidence, report.lacking, report.withheld.size], [true, 0, waits ? added : 0]);
    assert.equal(loads.catalogue.find(symbol('A0EUR'))?.status, 'trading');
  }
});

test('the first list of all is no growth, neither that of a quote currency nor that of markets named one by one (fault row 97)', () => {
  const loads = new Loads({}, ...named('A', 400));
  assert.deepEqual([loads.size, loads.waits], [400, []]);

  const USD = 'USD' as CurrencyCode;
  const two = new Loads({ quotes: new Set([...everyEuroMarket.quotes, USD]) });
  two.catalogue.restore(loads.catalogue.records(), loads.catalogue.listedBySource(), loads.catalogue.reviews.states());
  two.load([...named('A', 400), ...named('A', 400, USD)]);
  assert.deepEqual([two.size, two.waits], [800, []]);
  two.load([...named('A', 400), ...named('A', 400, USD), ...named('B', 401, USD)]);
  assert.deepEqual([two.size, two.waits], [800, [['growth', 401, 1]]], 'the second is');

  const symbols = new Set(symbolsOf(named('A', 200)));
  const chosen = new Loads({ symbols }, ...named('A', 20));
  chosen.load(named('A', 200));
  assert.deepEqual([chosen.size, chosen.waits], [200, []]);
});

test('an incomplete list is no first one: what the complete one after it adds is no growth (fault row 97)', () => {
  const loads = new Loads();
  loads.load(named('A', 30), { skipped: [], isComplete: false });
  loads.load(named('A', 400));
  assert.deepEqual([loads.size, loads.waits], [400, []]);
});

test('400 pairs that come and go at each load leave the true list as it is, and wait until it was loaded twice (fault row 97)', () => {
  const known = named('A', 200);
  const loads = new Loads({}, ...known);
  for (let load = 0; load < 6; load++) {
    const flood = load % 2 === 0 ? named(`F${load}X`, 400) : [];
    const { isEvidence, lacking } = loads.load([...flood, ...known]);
    assert.deepEqual([isEvidence, lacking, loads.size], [true, 0, 200]);
    assert.deepEqual(loads.waits, [['growth', 400, 1]], 'the latest of them, since the first');
  }
  assert.ok([...loads.catalogue.all()].every(({ status }) => status === 'trading'));
  loads.load(known);
  assert.deepEqual(loads.waits, []);
});

test('while growth waits nothing new is taken, until two equal loads show that few are new (fault row 97)', () => {
  const known = named('A', 200);
  const loads = new Loads({}, ...known);
  loads.load([...known, ...named('F', 400)]);
  loads.load([...known, ...named('F', 40)]);
  assert.deepEqual([loads.size, loads.waits], [200, [['growth', 40, 1]]]);
  loads.load([...known, ...named('F', 40)]);
  assert.deepEqual([loads.size, loads.waits], [240, []]);
});

test('two equal loads do not end the wait of a growth that stays (fault row 97)', () => {
  const known = named('A', 200);
  const loads = new Loads({}, ...known);
  for (let load = 0; load < 5; load++) loads.load([...known, ...named('F', 400)]);
  assert.deepEqual([loads.size, loads.waits], [200, [['growth', 400, 1]]]);
});

test('no source lists more than the maximum: the known ones, then those the exchange names first (fault row 97)', () => {
  const all = named('A', 500);
  const loads = new Loads({ marketsMax: 300 }, ...all);
  assert.deepEqual([loads.size, loads.waits], [300, [['over_maximum', 200, 0]]]);
  assert.deepEqual([loads.has('A299EUR'), loads.has('A300EUR')], [true, false]);
  const { withheld } = loads.load([...named('B', 10), ...all.toReversed()]);
  assert.deepEqual([loads.size, loads.has('A0EUR'), loads.has('B0EUR')], [300, true, false]);
  assert.equal(withheld.size, 210);
  assert.deepEqual(loads.waits, [['over_maximum', 210, 0]]);
  const delistedAt = loads.now;
  const delisted = ['A0EUR', 'A1EUR'].map((name) => ({ symbol: symbol(name), operatorPaused: false, delistedAt }));
  loads.catalogue.applyControls(delisted);
  loads.load([...named('B', 10), ...all]);
  assert.deepEqual([loads.has('B0EUR'), loads.has('B1EUR'), loads.has('B2EUR')], [true, true, false]);
  loads.load(all.slice(0, 300));
  assert.deepEqual(loads.waits, []);
});

test('two equal complete loads in a row end the doubt whether a list is complete (fault row 97)', () => {
  const loads = new Loads({}, ...named('A', 600));
  const shorter = named('A', 200);
  assert.equal(loads.load(shorter).isEvidence, false);
  assert.deepEqual(loads.waits, [['incomplete', 400, 1]]);
  assert.equal(loads.load(named('A', 201)).isEvidence, false, 'another one');
  assert.equal(loads.load(shorter).isEvidence, false);
  assert.equal(loads.load(shorter, { skipped: [], isComplete: false }).isEvidence, false, 'one that is not complete');
  assert.equal(loads.load(shorter).isEvidence, false);
  assert.deepEqual(loads.waits, [['incomplete', 400, 1]]);
  assert.equal(loads.load(shorter).isEvidence, true);
  assert.deepEqual(loads.waits, []);
  loads.load(shorter);
  assert.equal(loads.catalogue.absences(0).missing.length, 400);
  assert.equal(loads.catalogue.absences(0).isHeldBack, true, 'only the operator delists so many');
});

test('what the operator accepts is loaded again and offered, and what is rejected never is (fault row 97)', () => {
  const known = named('A', 200);
  const flood = named('F', 400);
  const loads = new Loads({}, ...known);
  const again: string[] = [];
  loads.catalogue.reviews.onAccepted = (id) => again.push(id);
  loads.load([...known, ...flood]);

  loads.decide({ rejected: symbolsOf(flood) });
  assert.deepEqual([loads.waits, again], [[], []]);
  loads.load([...known, ...flood, ...named('G', 10)]);
  assert.deepEqual([loads.size, loads.waits], [210, []]);
  assert.deepEqual([loads.has('G0EUR'), loads.has('F0EUR')], [true, false]);

  loads.load([...known, ...flood, ...named('H', 300)]);
  assert.deepEqual(loads.waits, [['growth', 300, 3]]);
  loads.decide({ rejected: symbolsOf(flood), accepted: symbolsOf(named('H', 300)) });
  assert.deepEqual([loads.waits, again], [[], [source]]);
  loads.load([...known, ...flood, ...named('H', 300)]);
  assert.deepEqual([loads.size, loads.waits], [510, []]);
});

test('accepting what was seen does not offer what came after (fault row 97)', () => {
  const known = named('A', 200);
  const loads = new Loads({}, ...known);
  loads.load([...known, ...named('F', 400)]);
  loads.decide({ accepted: symbolsOf(named('F', 400)) });
  loads.load([...known, ...named('F', 400), ...named('G', 400)]);
  assert.deepEqual([loads.has('F0EUR'), loads.has('G0EUR')], [true, false]);
  assert.deepEqual(loads.waits, [['growth', 400, 2]]);
});

test('a loss that the operator rejects is kept from being delisted, but not the next one (fault row 97)', () => {
  const all = named('A', 20);
  const loads = new Loads({}, ...all);
  const lose = () => {
    for (let load = 0; load < 3; load++) loads.load(all.slice(5));
  };
  lose();
  const { due, isHeldBack } = loads.catalogue.absences(minuteMs);
  assert.deepEqual([due.length, isHeldBack], [5, true]);
  loads.decide({ kept: due, keptAt: loads.now });
  assert.deepEqual(loads.catalogue.absences(minuteMs).due, []);
  loads.load(all);
  lose();
  assert.equal(loads.catalogue.absences(minuteMs).due.length, 5);
});

test('over a restart what waits is known at once, and judged in the same way with the next load (fault row 97)', () => {
  const known = named('A', 200);
  const listed = [...known, ...named('F', 400)];
  const loads = new Loads({}, ...known);
  loads.load(listed);
  loads.restart();
  const [growth] = loads.catalogue.reviews.pending;
  assert.deepEqual([growth?.count, growth?.symbols.length, growth?.symbols[0]], [400, 20, 'F0EUR']);
  loads.decide({ rejected: ['F0EUR' as MarketSymbol] });
  assert.deepEqual(loads.waits, [['growth', 400, 1]], 'of names that are not all known here');
  loads.load(listed);
  assert.deepEqual([loads.size, loads.waits], [200, [['growth', 399, 1]]]);
});

test('a state from before there was a review counts as loaded, where the source listed anything (fault row 97)', () => {
  const known = named('A', 200);
  const before = new Loads({}, ...known);
  const loads = new Loads();
  loads.catalogue.restore(before.catalogue.records(), [[source, symbolsOf(known)]]);
  loads.load([...known, ...named('F', 400)]);
  assert.deepEqual([loads.size, loads.waits], [200, [['growth', 400, 0]]]);
  const never = new Loads();
  never.catalogue.restore([], [[source, []]]);
  never.load(known);
  assert.deepEqual([never.size, never.waits], [200, []]);
});
