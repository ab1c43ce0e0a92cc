import type { EpochMs } from '../clock.ts';
import type { DecimalString } from '../market/decimal.ts';
import type { OfferedMarket } from '../market/market-catalogue.ts';
import type { PriceRounding } from '../market/pricing.ts';
import type { CurrencyCode } from '../market/symbol.ts';

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

/** The operator's terms as they held for a market. */
export interface TermsVersion {
  /** Names these terms and no others. */
  readonly version: string;
  readonly feePercent: DecimalString;
  /** Of converted markets. */
  readonly marginPercent?: DecimalString | undefined;
  /** The usual one where it is left out. */
  readonly rounding?: PriceRounding | undefined;
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
