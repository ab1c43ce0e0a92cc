import type { EpochMs } from '../clock.ts';
import { type ClientTicker, clientTicker, type UnpricedReason } from './client-ticker.ts';
import type { DecimalString } from './decimal.ts';
import type { OfferedMarket } from './market-catalogue.ts';
import type { Conversion, PriceDerivation, PriceFactors } from './pricing.ts';
import type { MarketTerms } from './terms.ts';
import type { AcceptedTicker } from './ticker-acceptance.ts';
import type { ConversionRate, ReferencePrices } from './upstream.ts';

/** Why a market has no price. */
export type NoPrice =
  | { readonly kind: 'unpriced'; readonly reason: UnpricedReason }
  | { readonly kind: 'unknown_symbol' };

/** The price of a market at an instant, or why there is none. */
export type PriceVerdict = { readonly kind: 'priced'; readonly ticker: ClientTicker } | NoPrice;

/** What a price is made from. Each part is immutable, and the same object as long as it has the same value. */
export interface PriceInputs {
  readonly kind: 'inputs';
  readonly market: OfferedMarket;
  readonly ticker: AcceptedTicker;
  readonly references: ReferencePrices | undefined;
  /** Of a converted market. */
  readonly rate: ConversionRate | undefined;
  readonly terms: MarketTerms;
  /** What follows from rate and terms. */
  readonly factors: PriceFactors;
}

/** A rate, and the first instant at which it is no longer valid. */
export interface KnownRate {
  readonly rate: ConversionRate;
  readonly validUntil: EpochMs;
}

/** How a price was derived. */
export interface PriceExplanation extends PriceDerivation {
  readonly market: OfferedMarket;
  readonly bid: DecimalString;
  readonly ask: DecimalString;
  /** The id of the source they are from. */
  readonly source: string;
  readonly capturedAt: EpochMs;
  /** `undefined` for a market that is not converted. */
  readonly conversion: (Conversion & KnownRate) | undefined;
  readonly terms: MarketTerms;
}

/** Makes the price. */
export function priceFrom(inputs: PriceInputs | NoPrice): PriceVerdict {
  if (inputs.kind !== 'inputs') return inputs;
  const { market, ticker, references, factors } = inputs;
  const priced = clientTicker(market, ticker, references, factors);
  return priced === undefined ? { kind: 'unpriced', reason: 'rounds_to_zero' } : { kind: 'priced', ticker: priced };
}
