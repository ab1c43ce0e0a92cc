import type { KnownRate } from './client-ticker.ts';
import type { Doubt } from './doubts.ts';
import { Evidence, type Guard, takeAll, type Verdict } from './guard.ts';
import { type PricingPolicy, rateValidUntil } from './pricing.ts';
import type { CurrencyCode } from './symbol.ts';
import type { ConversionRate } from './upstream.ts';

/** The conversion rates in use, and whether new ones may replace them. Never reads a clock. */
export class ConversionRates {
  readonly #policy: PricingPolicy;
  readonly #guard: Guard | undefined;
  readonly #known = new Map<CurrencyCode, KnownRate>();
  readonly #evidence = new Map<CurrencyCode, Evidence>();

  constructor(policy: PricingPolicy, guard: Guard | undefined) {
    this.#policy = policy;
    this.#guard = guard;
  }

  /** The one in use for a converted quote, with the first instant at which it is no longer valid. */
  find(quote: CurrencyCode): KnownRate | undefined {
    return this.#known.get(quote);
  }

  /** All that are in use or were last, by their quotes. */
  all(): Map<CurrencyCode, ConversionRate> {
    return new Map([...this.#known].map(([quote, { rate }]) => [quote, rate]));
  }

  /** Judges one that was read from its source by the one in use. @param known what is doubted of it so far */
  judge(rate: ConversionRate, known: Doubt | undefined): Verdict {
    if (this.#guard === undefined) return takeAll;
    const before = this.#known.get(rate.quote);
    const previous = before !== undefined && rate.refreshedAt < before.validUntil ? before.rate : undefined;
    const evidence = this.#evidence.getOrInsertComputed(rate.quote, () => new Evidence());
    return this.#guard.judgeRate(evidence, rate, previous, known);
  }

  /** Takes one. Returns whether it is for a configured converted quote; any other is ignored. */
  take(rate: ConversionRate): boolean {
    const converted = this.#policy.converted.get(rate.quote);
    if (converted === undefined || converted.via !== rate.base) return false;
    this.#known.set(rate.quote, { rate, validUntil: rateValidUntil(rate, this.#policy.rateValidForMs) });
    return true;
  }

  /** The operator takes the one that is doubted: the next reading of it is good. */
  accept(quote: CurrencyCode): void {
    this.#evidence.get(quote)?.accept();
  }

  /** The instants at which rates are no longer valid. */
  *ends(): Generator<number> {
    for (const { validUntil } of this.#known.values()) yield validUntil;
  }
}
