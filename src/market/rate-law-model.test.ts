import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { EpochMs } from '../ground/clock.ts';
import { toBig } from './decimal.ts';
import { readState, writeState } from './market-state.ts';
import { type RateBelief, RateLaw, type RateOutcome } from './rate-law.ts';
import { CZK, dayMs, decimal, EUR, hourMs, start } from './samples.testing.ts';
import { check } from './seeded.testing.ts';
import type { ConversionRate } from './upstream.ts';

const law = new RateLaw({ ratePercent: decimal('3'), rateCeilingPercent: decimal('20') });

/** Things that a source can do to a rate. */
const lies = ['times 100', 'over 100', 'inverted', 'yesterday’s', 'drifting', 'silent'] as const;
type Lie = (typeof lies)[number] | undefined;

const step = fc.record({
  afterMs: fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: 1_000, max: hourMs }) },
    { weight: 2, arbitrary: fc.integer({ min: hourMs, max: 6 * dayMs }) },
  ),
  /** By how many parts of a thousand the true rate moves. */
  moves: fc.oneof(
    { weight: 12, arbitrary: fc.integer({ min: -4, max: 4 }) },
    { weight: 1, arbitrary: fc.constantFrom(-90, 90, 140) },
  ),
  lie: fc.option(fc.constantFrom(...lies), { nil: undefined }),
  witness: fc.constantFrom('honest', 'honest', 'silent'),
  isRestart: fc.boolean(),
});
const life = fc.record({
  isDated: fc.boolean(),
  hasWitness: fc.boolean(),
  isWitnessDated: fc.boolean(),
  steps: fc.array(step, { minLength: 1, maxLength: 120 }),
});
type Life = typeof life extends fc.Arbitrary<infer Of> ? Of : never;

const digits = 8;

/** One source, the second one and the truth, over a life. */
class Told {
  readonly #life: Life;
  #nowMs: number = start;
  truth = 24.3;
  readonly #fixings: { readonly day: string; readonly mid: string }[] = [];
  #drift = 1;

  constructor(life: Life) {
    this.#life = life;
    this.pass(0, 0);
  }

  get now(): EpochMs {
    return this.#nowMs as EpochMs;
  }

  pass(ms: number, moves: number): void {
    this.#nowMs += ms;
    this.truth *= 1 + moves / 1_000;
    const day = new Date(this.#nowMs).toISOString().slice(0, 10);
    const mid = this.truth.toFixed(digits);
    if (this.#fixings.at(-1)?.day !== day) this.#fixings.push({ day, mid });
  }

  #rate(source: string, mid: string, isDated: boolean, back = 0): ConversionRate {
    const fixing = this.#fixings.at(-1 - back) ?? this.#fixings[0]!;
    const fixingDate = isDated ? fixing.day : undefined;
    return { base: EUR, quote: CZK, mid: decimal(mid), source, fixingDate, refreshedAt: this.now };
  }

  /** The rate that a bank or a market says now. */
  honest(source: string, isDated: boolean, back = 0): ConversionRate {
    const fixing = this.#fixings.at(-1 - back) ?? this.#fixings[0]!;
    return this.#rate(source, isDated ? fixing.mid : this.truth.toFixed(digits), isDated, back);
  }

  read(lie: Lie): ConversionRate | undefined {
    const { isDated } = this.#life;
    const rate = this.honest('source', isDated, lie === 'yesterday’s' ? 1 : 0);
    if (lie === undefined || lie === 'yesterday’s') return rate;
    if (lie === 'silent') return undefined;
    if (lie === 'drifting') this.#drift *= 1.02;
    const said = Number(rate.mid);
    const mid = {
      'times 100': said * 100,
      'over 100': said / 100,
      inverted: 1 / said,
      drifting: said * this.#drift,
    }[lie];
    return { ...rate, mid: decimal(mid.toFixed(digits)) };
  }

  witness(): ConversionRate {
    return this.honest('witness', this.#life.isWitnessDated);
  }
}

/** The same as it comes back from a database or another process. */
function restored(belief: RateBelief): RateBelief {
  const text = writeState({ tickers: [], references: [], rates: [], beliefs: [[CZK, belief]] });
  return [...readState(text)!.beliefs!][0]![1];
}

function percentApart(one: ConversionRate, other: ConversionRate): number {
  const [low, high] = [toBig(one.mid), toBig(other.mid)].sort((a, b) => a.cmp(b));
  return Number(high!.div(low!).minus(1).times(100));
}

const confirming: ReadonlySet<RateOutcome> = new Set(['witness', 'operator', 'first']);

test('whatever a source says, what is far from the rate in force needs another witness, and what is near it needs none', (t) => {
  const property = fc.property(life, (lived) => {
    const told = new Told(lived);
    // An operator said that the first one was right.
    let belief: RateBelief = { inForce: told.honest('source', lived.isDated) };
    let newestFixing = belief.inForce!.fixingDate ?? '';
    let hasDrifted = false;
    for (const { afterMs, moves, lie, witness, isRestart } of lived.steps) {
      told.pass(afterMs, moves);
      if (isRestart) belief = restored(belief);
      if (lived.hasWitness && witness === 'honest') belief = law.compared(belief, told.witness()).belief;
      const rate = told.read(lie);
      if (rate === undefined) continue;
      const { inForce: before, held, anchor } = belief;
      const { belief: next, outcome } = law.read(belief, rate);
      belief = next;
      hasDrifted ||= lie === 'drifting';
      const apart = percentApart(rate, before!);
      const isOlder = rate.fixingDate !== undefined && rate.fixingDate < newestFixing;
      if (isOlder) assert.equal(outcome, 'older');
      else if (apart > 20)
        assert.ok(outcome === 'witness' || outcome === 'held' || outcome === 'older', String(outcome));
      else if (apart <= 3 && !hasDrifted) assert.ok(outcome === 'within' || outcome === 'witness', String(outcome));
      if (outcome === 'fixing') assert.ok(rate.fixingDate! > held!.first.fixingDate!);
      if (outcome === 'hour') assert.ok(rate.refreshedAt - held!.first.refreshedAt >= hourMs);
      if (outcome === 'witness') assert.ok(percentApart(rate, next.witness!) <= 3);
      if (outcome === 'within' && anchor !== undefined && rate.refreshedAt - anchor.refreshedAt < dayMs)
        assert.ok(percentApart(rate, anchor as ConversionRate) <= 20);
      if (next.inForce === rate) {
        // No lie is ever in force but one that is near what was.
        const isFar = lie === 'times 100' || lie === 'over 100' || lie === 'inverted';
        assert.ok(!isFar, `${lie} is in force by ${outcome}`);
        newestFixing = rate.fixingDate ?? newestFixing;
      } else assert.ok(!confirming.has(outcome!));
      assert.deepEqual(restored(belief), JSON.parse(JSON.stringify(belief)));
    }
  });
  check(t, property, { numRuns: 500 });
});

test('where nothing was ever confirmed no lie is in force beside a second source, nor once the truth was heard', (t) => {
  const property = fc.property(life, (lived) => {
    const told = new Told(lived);
    let belief: RateBelief = {};
    for (const { afterMs, moves, lie, witness, isRestart } of lived.steps) {
      told.pass(afterMs, Math.abs(moves) > 20 ? 0 : moves);
      if (isRestart) belief = restored(belief);
      if (lived.hasWitness && witness === 'honest') belief = law.compared(belief, told.witness()).belief;
      const rate = told.read(lie === 'drifting' ? undefined : lie);
      if (rate !== undefined) belief = law.read(belief, rate).belief;
      const { inForce, held, isUnconfirmed } = belief;
      if (inForce === undefined || held?.isContest) continue;
      if (!isUnconfirmed) assert.ok(percentApart(inForce, told.honest('truth', false)) < 60, 'a lie was confirmed');
    }
  });
  check(t, property, { numRuns: 500 });
});
