import type { EpochMs } from '../clock.ts';
import type { DecimalString } from '../market/decimal.ts';
import type { OfferedMarket } from '../market/market-catalogue.ts';
import type { CurrencyCode } from '../market/symbol.ts';
import type { MarketTerms, TermValue } from '../market/terms.ts';

/** A conversion rate as it was in use. */
export interface RateVersion {
  readonly base: CurrencyCode;
  readonly quote: CurrencyCode;
  readonly mid: DecimalString;
  readonly source: string;
  readonly fixingDate?: string | undefined;
  readonly refreshedAt: EpochMs;
  /** The first instant at which it was no longer valid. */
  readonly validUntil: EpochMs;
}

/** The terms of a market as they held. Of each value the term that it came from, without the term's other values. */
export type TermsVersion = MarketTerms;

/** What is kept of the terms of a market. */
export function termsVersionOf({ version, fee, margin, precision, rounding }: MarketTerms): TermsVersion {
  return {
    version,
    fee: withoutValues(fee),
    margin: margin && withoutValues(margin),
    precision: precision && withoutValues(precision),
    rounding: rounding && withoutValues(rounding),
  };
}

function withoutValues<Value>({ value, term: { id, from, scope, subject } }: TermValue<Value>): TermValue<Value> {
  return { value, term: { id, from, scope, subject, values: {} } };
}

/** A market as it was offered. */
export interface ListingFact {
  /** As it was in `/v1/markets`; `null` once it was no longer listed. */
  readonly market: OfferedMarket | null;
}

/** What a process said of itself at its start. */
export interface ProcessFact {
  /** Of the software. */
  readonly version: string;
  readonly errorsUrl: string;
}

/** A span in which something was published that the record does not have. */
export interface GapFact {
  /** The last instant that is recorded before it. */
  readonly from: EpochMs;
  /** From here on the record is complete again. */
  readonly to: EpochMs;
  /** `killed`: the process before ended without closing its record. `slow`: the record could not be written in time. */
  readonly reason: 'killed' | 'slow';
  /** Answers that it lacks; `undefined` where nobody knows. */
  readonly servings?: number | undefined;
}
