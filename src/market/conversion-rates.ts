import type { EpochMs } from '../ground/clock.ts';
import type { KnownRate } from './client-ticker.ts';
import type { DecimalString } from './decimal.ts';
import type { Doubt, Doubts, RateControl } from './doubts.ts';
import type { Guard } from './guard.ts';
import { type PricingPolicy, rateValidUntil } from './pricing.ts';
import {
  type RateBelief,
  type RateComparison,
  type RateJudgement,
  RateLaw,
  type RateOutcome,
  rateOutcomes,
} from './rate-law.ts';
import type { CurrencyCode } from './symbol.ts';
import type { ConversionRate } from './upstream.ts';

const nothing: RateBelief = {};

/** Takes what the feed reads of conversion rates. */
export interface RateSink {
  /**
   * Returns how it was judged; `undefined` for one that nobody asked for, or that the operator holds.
   *
   * @param isWitnessExpected the second source was neither read nor tried in vain since the start
   */
  rateRefreshed(rate: ConversionRate, isWitnessExpected?: boolean): RateOutcome | undefined;
  /** The same rate from the source that it is compared with. */
  rateCompared(rate: ConversionRate): void;
  /** The source that a rate is compared with could not be read. */
  rateUnwitnessed(quote: CurrencyCode): void;
}

/** Called synchronously, after something has changed. */
interface RateListener {
  /** The prices of this quote may have changed. */
  pricesChanged(quote: CurrencyCode): void;
  /** The belief in its rate has changed. */
  beliefChanged(quote: CurrencyCode): void;
  /** The operator's holds may have changed. */
  holdsChanged(): void;
}

/** The conversion rates in use, and whether new ones may replace them. Never reads a clock. */
export class ConversionRates {
  readonly #policy: PricingPolicy;
  readonly #guard: Pick<Guard, 'began'> | undefined;
  readonly #law: RateLaw | undefined;
  readonly #holds: Pick<Doubts, 'isRateHeldByOperator' | 'rateHeldSince' | 'holdRates'>;
  readonly #listener: RateListener;
  readonly #beliefs = new Map<CurrencyCode, RateBelief>();
  readonly #known = new Map<CurrencyCode, KnownRate>();
  readonly #doubts = new Map<CurrencyCode, Doubt>();
  readonly #acceptances = new Map<CurrencyCode, EpochMs>();
  readonly #counts = Object.fromEntries(rateOutcomes.map((outcome) => [outcome, 0])) as Record<RateOutcome, number>;

  /**
   * @param guard counts doubts; without one every rate is taken
   * @param holds what the operator holds
   */
  constructor(
    policy: PricingPolicy,
    guard: Guard | undefined,
    holds: Pick<Doubts, 'isRateHeldByOperator' | 'rateHeldSince' | 'holdRates'>,
    listener: RateListener,
  ) {
    this.#policy = policy;
    this.#guard = guard;
    this.#law = guard && new RateLaw(guard.rules);
    this.#holds = holds;
    this.#listener = listener;
  }

  /** The one in use for a converted quote, with the first instant at which it is no longer valid. */
  find(quote: CurrencyCode): KnownRate | undefined {
    return this.#known.get(quote);
  }

  /** All that is believed of the rate of a converted quote. */
  belief(quote: CurrencyCode): RateBelief {
    return this.#beliefs.get(quote) ?? nothing;
  }

  /** The same of every rate. Each is immutable, and the same object as long as it has the same value. */
  get beliefs(): ReadonlyMap<CurrencyCode, RateBelief> {
    return this.#beliefs;
  }

  /** How often readings of the sources were judged so. */
  get counts(): Readonly<Record<RateOutcome, number>> {
    return this.#counts;
  }

  /** All that are in force or were last, by their quotes. */
  all(): Map<CurrencyCode, ConversionRate> {
    const rates = [...this.#beliefs].flatMap(([quote, { inForce }]) => (inForce ? [[quote, inForce] as const] : []));
    return new Map(rates);
  }

  /** Whether it is for a configured converted quote; any other is ignored. */
  isConfigured({ base, quote }: Pick<ConversionRate, 'base' | 'quote'>): boolean {
    return this.#policy.converted.get(quote)?.via === base;
  }

  /**
   * Judges what was read from its source. Returns how; `undefined` for a rate that is not configured or that the
   * operator holds.
   *
   * @param isWitnessExpected see `RateLaw.read`
   */
  read(rate: ConversionRate, isWitnessExpected = false): RateOutcome | undefined {
    const { quote } = rate;
    if (!this.isConfigured(rate) || this.#holds.isRateHeldByOperator(quote)) return undefined;
    if (this.#law !== undefined) return this.#judge(quote, (law, belief) => law.read(belief, rate, isWitnessExpected));
    this.take(rate);
    return 'within';
  }

  /** Takes what was read from the second source. */
  compared(rate: ConversionRate): void {
    const { quote } = rate;
    if (!this.isConfigured(rate)) return;
    const isHeld = this.#holds.isRateHeldByOperator(quote);
    this.#judge(quote, (law, belief) => (isHeld ? law.noted(belief, rate) : law.compared(belief, rate)));
  }

  /** The second source could not be read. */
  unwitnessed(quote: CurrencyCode): void {
    if (!this.#holds.isRateHeldByOperator(quote)) this.#judge(quote, (law, belief) => law.unwitnessed(belief));
  }

  /** The operator takes what is doubted, or confirms the one in force. @param mid what the operator saw */
  accept(quote: CurrencyCode, mid?: DecimalString): void {
    this.#judge(quote, (law, belief) => law.accepted(belief, mid));
  }

  /**
   * Takes what the operator decided of rates: the holds, and each newer acceptance.
   *
   * @param isRestart acceptances were for doubts before it
   */
  control(controls: readonly RateControl[], isRestart = false): void {
    this.#holds.holdRates(controls);
    for (const { quote, acceptedAt, acceptedMid } of controls) {
      if (acceptedAt === undefined || acceptedAt === this.#acceptances.get(quote)) continue;
      this.#acceptances.set(quote, acceptedAt);
      if (!isRestart) this.accept(quote, acceptedMid);
    }
    for (const quote of this.#policy.converted.keys())
      if (this.#holds.isRateHeldByOperator(quote)) this.#judge(quote, (law, belief) => law.kept(belief));
    this.#listener.holdsChanged();
  }

  /** Takes one that was judged elsewhere, or where nothing is judged. */
  take(rate: ConversionRate): void {
    if (this.isConfigured(rate)) this.#believe(rate.quote, { ...this.belief(rate.quote), inForce: rate });
  }

  /** Takes what was believed before a restart, or is in another process. */
  restore(quote: CurrencyCode, belief: RateBelief): void {
    const known = belief.inForce ?? belief.held?.last ?? belief.awaiting?.rate ?? belief.witness;
    if (known !== undefined && this.isConfigured(known)) this.#believe(quote, belief);
  }

  /** Gives what is doubted of a rate; the same object as long as it says the same. */
  doubtOf(quote: CurrencyCode): Doubt | undefined {
    const { held } = this.belief(quote);
    if (held === undefined) return undefined;
    const before = this.#doubts.get(quote);
    if (before !== undefined && before.since === held.since && before.values[0] === held.last.mid) return before;
    const doubt: Doubt = { reason: 'rate', since: held.since, values: [held.last.mid], unpricedFrom: undefined };
    this.#doubts.set(quote, doubt);
    return doubt;
  }

  /** How a rate in force compares with the second source; `undefined` where that says nothing. */
  comparison(quote: CurrencyCode, now: EpochMs): RateComparison | undefined {
    const belief = this.belief(quote);
    return belief.inForce && this.#law?.comparison(belief, belief.inForce, now);
  }

  /** Since when the operator keeps a rate, or the prices that are made with it. */
  heldSince(quote: CurrencyCode): EpochMs | undefined {
    return this.#holds.rateHeldSince(quote);
  }

  /** The instants at which rates are no longer valid. */
  *ends(): Generator<number> {
    for (const { validUntil } of this.#known.values()) yield validUntil;
  }

  #judge(quote: CurrencyCode, judge: (law: RateLaw, belief: RateBelief) => RateJudgement): RateOutcome | undefined {
    if (this.#law === undefined) return undefined;
    const before = this.belief(quote);
    const { belief, outcome } = judge(this.#law, before);
    if (outcome !== undefined) this.#counts[outcome]++;
    if (belief.held !== undefined && before.held === undefined) this.#guard?.began('rate');
    this.#believe(quote, belief);
    return outcome;
  }

  #believe(quote: CurrencyCode, belief: RateBelief): void {
    if (belief === this.#beliefs.get(quote)) return;
    this.#beliefs.set(quote, belief);
    const { inForce, held } = belief;
    const usable = held?.isContest ? undefined : inForce;
    if (this.#known.get(quote)?.rate !== usable) {
      if (usable === undefined) this.#known.delete(quote);
      else this.#known.set(quote, { rate: usable, validUntil: rateValidUntil(usable, this.#policy.rateValidForMs) });
      this.#listener.pricesChanged(quote);
    }
    this.#listener.beliefChanged(quote);
  }
}
