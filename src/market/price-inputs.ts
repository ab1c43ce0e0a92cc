import { type ClientTicker, clientTicker, type UnpricedReason } from './client-ticker.ts';
import type { OfferedMarket } from './market-catalogue.ts';
import type { PriceFactors } from './pricing.ts';
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

/** What is known of a market apart from its ticker; no factors while its rate is not valid. */
export interface PriceBasis extends Pick<PriceInputs, 'market' | 'terms'> {
  readonly factors: PriceFactors | undefined;
}

/** Makes the price. */
export function priceFrom(inputs: PriceInputs | NoPrice): PriceVerdict {
  if (inputs.kind !== 'inputs') return inputs;
  const { market, ticker, references, factors } = inputs;
  const priced = clientTicker(market, ticker, references, factors);
  return priced === undefined ? { kind: 'unpriced', reason: 'rounds_to_zero' } : { kind: 'priced', ticker: priced };
}
