import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Change, ids, PlayedMarket } from './believed.testing.ts';
import { BTCEUR, type MarketRig } from './market-rig.testing.ts';
import { after, decimal, start } from './samples.testing.ts';
import { check } from './seeded.testing.ts';
import type { Reach } from './source-choice.ts';

/**
 * A model of three sources of a quiet market, which goes one way where one of them stands still. One is never wrong and
 * never stops. The `faulty` one may drift, freeze, repeat itself or lie, and `other` says for less than `confirmAfter`
 * what a liar says. Both may stop and come back, and the process that judges may be another one from a step on.
 */
const faults = ['drifts up', 'drifts down', 'freezes', 'repeats', 'times1000', 'hundredth', 'off5', 'none'] as const;
type Fault = (typeof faults)[number];

const stepMs = 500;
/** Until it is seen, an error may be served this long. */
const seenWithinMs = 12_000;
/** A process begins this long after the one before, and is settled after this. */
const changeMs = 2_000;
const settledAfterMs = 4_000;

interface Span {
  readonly from: number;
  readonly to: number;
}

interface History {
  readonly mode: 'primary' | 'median';
  /** Which source is which. */
  readonly order: readonly number[];
  readonly fault: Fault;
  readonly faultFrom: number;
  readonly faultyStops: Span;
  readonly otherStops: Span;
  /** From when on both lie, for 9 s, if the one in use is another. */
  readonly pairFrom: number;
  readonly moves: readonly number[];
  /** When the process restarts, or another one takes over. */
  readonly changes: readonly { readonly step: number; readonly change: Change }[];
  /** How far the market goes in a minute where a source freezes, in percent. */
  readonly trend: number;
}

function isIn({ from, to }: Span, step: number): boolean {
  return step >= from && step < to;
}

const anySpan = fc
  .tuple(fc.integer({ min: 5, max: 600 }), fc.integer({ min: 0, max: 300 }))
  .map(([from, length]): Span => ({ from, to: from + length }));

const anyHistory: fc.Arbitrary<History> = fc.record({
  mode: fc.constantFrom('primary' as const, 'median' as const),
  order: fc.constantFrom([0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]),
  fault: fc.constantFrom(...faults),
  faultFrom: fc.integer({ min: 30, max: 400 }),
  faultyStops: anySpan,
  otherStops: anySpan,
  pairFrom: fc.integer({ min: 30, max: 900 }),
  trend: fc.constantFrom(-2, -1, 0, 1, 2),
  changes: fc.uniqueArray(
    fc.record({
      step: fc.integer({ min: 20, max: 650 }),
      change: fc.constantFrom('restart' as const, 'another process' as const),
    }),
    { maxLength: 2, selector: ({ step }) => Math.floor(step / 60) },
  ),
  moves: fc.array(fc.integer({ min: -20, max: 20 }), { minLength: 100, maxLength: 700, size: 'max' }),
});

/** One history as it goes on, in cents. */
class Played {
  readonly #market: PlayedMarket;
  readonly #history: History;
  readonly #honest: { readonly atMs: number; readonly cents: number }[] = [];
  #cents = 8_400_000;
  #frozenAt = this.#cents;
  #isPair = false;
  #wasTrueUsed = false;
  #changedAtMs = Number.NEGATIVE_INFINITY;

  constructor(history: History) {
    this.#history = history;
    this.#market = new PlayedMarket(history.mode, ids.length);
    this.#market.follow();
  }

  get rig(): MarketRig {
    return this.#market.rig;
  }

  /** Judges in another process from now on, after a while without any. */
  change(change: Change): void {
    this.#market.change(change, changeMs);
    this.#market.follow();
    this.#changedAtMs = this.rig.nowMs;
    this.#wasTrueUsed = false;
  }

  step(step: number, move: number): void {
    const { order, fault, faultFrom, pairFrom } = this.#history;
    const { rig } = this;
    if (step === pairFrom) this.#isPair = this.#isTrueUsed;
    rig.nowMs += stepMs;
    const isStill = fault === 'freezes' || fault === 'repeats';
    const trend = isStill ? (this.#history.trend * stepMs * 1_000) / 60_000 : 0;
    this.#cents += Math.round((this.#cents * (move + trend)) / 100_000);
    if (step <= faultFrom) this.#frozenAt = this.#cents;
    this.#honest.push({ atMs: rig.nowMs, cents: this.#cents });
    for (const [index, role] of order.entries()) {
      if (this.#isStopped(role, step)) continue;
      const cents = this.#said(role, step);
      const path = fault === 'repeats' && role === 0 && step % 2 === 0 ? 'fallback' : 'live';
      const [bid, ask] = [text(cents), text(cents + 10)];
      const range = { low24h: text(Math.round(cents * 0.9)), high24h: text(Math.round(cents * 1.1)) };
      rig.tick(ids[index]!, '0', { bid, ask, path, ...range });
      this.#assertHonest(step);
    }
    this.#market.review(order.map((role): Reach => (this.#isStopped(role, step) ? 'silent' : 'live')));
    this.#assertHonest(step);
    this.#wasTrueUsed = this.#isTrueUsed;
  }

  /** The one that is never wrong makes the price. */
  get #isTrueUsed(): boolean {
    return this.rig.markets.sources.used(BTCEUR)?.id === ids[this.#history.order.indexOf(2)];
  }

  /** The faulty source is 0, the other 1, and 2 is never wrong. */
  #isStopped(role: number, step: number): boolean {
    const { faultyStops, otherStops } = this.#history;
    return (role === 0 && isIn(faultyStops, step)) || (role === 1 && isIn(otherStops, step));
  }

  #said(role: number, step: number): number {
    const { fault, faultFrom, pairFrom } = this.#history;
    const beside = this.#cents + 1_000 * role;
    if (this.#isPair && role < 2 && isIn({ from: pairFrom, to: pairFrom + 18 }, step)) return beside * 100;
    if (role !== 0 || step < faultFrom) return beside;
    const drift = ((step - faultFrom) * stepMs) / 60_000 / 100;
    switch (fault) {
      case 'drifts up':
        return Math.round(beside * (1 + drift));
      case 'drifts down':
        return Math.round(beside * (1 - Math.min(drift, 0.9)));
      case 'freezes':
      case 'repeats':
        return this.#frozenAt;
      case 'times1000':
        return beside * 1_000;
      case 'hundredth':
        return Math.round(beside / 100);
      case 'off5':
        return Math.round(beside * 1.05);
      case 'none':
        return beside;
    }
  }

  /** Two sources alone can be as far apart as the band, and the one that drifts as far from its own level as that. */
  #offMax(step: number): number {
    const { fault, otherStops } = this.#history;
    const isDrift = fault === 'drifts up' || fault === 'drifts down';
    const { from, to } = otherStops;
    return isDrift && isIn({ from, to: to + seenWithinMs / stepMs }, step) ? 0.043 : 0.023;
  }

  #assertHonest(step: number): void {
    const { rig } = this;
    const served = rig.markets.acceptedTicker(BTCEUR);
    if (served === undefined) {
      assert.ok(rig.nowMs <= 3_000, 'no price');
      return;
    }
    const when = `step ${step}: ${served.source} ${served.bid}, honest ${text(this.#cents)}`;
    const cents = Number(served.bid) * 100;
    // A process that begins has to see again that a source is still.
    const sinceChangeMs = rig.nowMs - this.#changedAtMs;
    const seenMs = sinceChangeMs <= seenWithinMs ? 2 * seenWithinMs : seenWithinMs;
    const recent = this.#honest.filter(({ atMs }) => rig.nowMs - atMs <= seenMs);
    assert.ok(
      recent.some((honest) => Math.abs(cents / honest.cents - 1) <= this.#offMax(step)),
      when,
    );
    const ageMs = after(start, rig.nowMs) - served.capturedAt;
    const ageMsMax = this.#wasTrueUsed && sinceChangeMs > settledAfterMs ? 2 * stepMs : seenWithinMs;
    assert.ok(ageMs <= ageMsMax, `${when}, ${ageMs} ms old`);
  }
}

function text(cents: number) {
  return decimal((cents / 100).toFixed(2));
}

test('of three sources, of which one drifts, freezes, repeats or lies, sometimes with a second, and two stop and come back, an honest price is served', (t) => {
  check(
    t,
    fc.property(anyHistory, (history) => {
      const played = new Played(history);
      for (const [step, move] of history.moves.entries()) {
        const [{ change } = {}] = history.changes.filter((each) => each.step === step);
        if (change !== undefined) played.change(change);
        played.step(step, move);
      }
    }),
    { numRuns: 200 },
  );
});
