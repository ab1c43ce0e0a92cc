import { type RateBelief, type RateBounds, type RateJudgement, RateLaw } from '../../src/market/rate-law.ts';
import type { ConversionRate } from '../../src/market/upstream.ts';

const hourMs = 3_600_000;
/** `rates.validFor`. */
const validForMs = 96 * hourMs;

/** How a doubt about a rate ended: `back` where the rate in force came again. */
export const endings = ['fixing', 'hour', 'witness', 'operator', 'back'] as const;
type Ending = (typeof endings)[number];

/** Doubts about rates, and how long clients were served the rate before meanwhile. */
export interface RateAlarms {
  doubts: number;
  /** Those of them that nothing but a second source or the operator could end. */
  beyondCeiling: number;
  readonly ended: Record<Ending, number>;
  longestMs: number;
  /** The largest difference between what was served and what was said meanwhile. */
  worstPercent: number;
  /** The rate in force ran out while another one was held. */
  unpricedMs: number;
}

/** One rate under the service's own law, on a clock that is only passed in. */
export class JudgedRate {
  readonly alarms: RateAlarms = {
    doubts: 0,
    beyondCeiling: 0,
    ended: { fixing: 0, hour: 0, witness: 0, operator: 0, back: 0 },
    longestMs: 0,
    worstPercent: 0,
    unpricedMs: 0,
  };
  readonly #law: RateLaw;
  #belief: RateBelief = {};

  /** @param first an operator has said that it is right */
  constructor(bounds: RateBounds, first: ConversionRate) {
    this.#law = new RateLaw(bounds);
    this.#belief = this.#law.accepted(this.#law.read({}, first).belief).belief;
  }

  get held() {
    return this.#belief.held;
  }

  /** What converted prices are made with; `undefined` where it ran out. */
  servedAt(atMs: number): ConversionRate | undefined {
    const { inForce, held } = this.#belief;
    const isValid = inForce !== undefined && atMs - inForce.refreshedAt < validForMs;
    return isValid && !held?.isContest ? inForce : undefined;
  }

  read(rate: ConversionRate): RateJudgement['outcome'] {
    return this.#follow(this.#law.read(this.#belief, rate), rate.refreshedAt);
  }

  compared(rate: ConversionRate): RateJudgement['outcome'] {
    return this.#follow(this.#law.compared(this.#belief, rate), rate.refreshedAt);
  }

  accept(atMs: number): RateJudgement['outcome'] {
    return this.#follow(this.#law.accepted(this.#belief), atMs);
  }

  #follow({ belief, outcome }: RateJudgement, atMs: number): RateJudgement['outcome'] {
    const { held: before, inForce } = this.#belief;
    const { held: after } = belief;
    const { alarms } = this;
    if (before === undefined && after !== undefined) alarms.doubts++;
    if (before?.reason !== 'ceiling' && after?.reason === 'ceiling') alarms.beyondCeiling++;
    if (after !== undefined) alarms.worstPercent = Math.max(alarms.worstPercent, apart(inForce, after.last));
    if (before !== undefined) {
      alarms.longestMs = Math.max(alarms.longestMs, atMs - before.since);
      if (after === undefined) {
        alarms.ended[endings.find((each) => each === outcome) ?? 'back']++;
        alarms.unpricedMs += Math.max(0, atMs - inForce!.refreshedAt - validForMs);
      }
    }
    this.#belief = belief;
    return outcome;
  }
}

/** How far the higher of two rates is above the lower, in percent. */
export function apart(one: ConversionRate | undefined, other: ConversionRate): number {
  if (one === undefined) return 0;
  const [low, high] = [Number(one.mid), Number(other.mid)].sort((a, b) => a - b) as [number, number];
  return (high / low - 1) * 100;
}
