import type { EpochMs } from '../ground/clock.ts';
import { type DecimalString, isPositive, percentChange, roundTo } from './decimal.ts';
import type { OfferedMarket } from './market-catalogue.ts';
import {
  buyPrice,
  type Conversion,
  derivePrices,
  type PriceDerivation,
  type PriceFactors,
  sellPrice,
  statistic,
} from './pricing.ts';
import { middleOf } from './reference-prices.ts';
import type { MarketTerms } from './terms.ts';
import type { AcceptedTicker } from './ticker-acceptance.ts';
import type { ConversionRate, ReferencePrices } from './upstream.ts';

/** Why a traded market has no price. The names are metric labels. */
export type UnpricedReason = 'no_ticker' | 'held' | 'no_rate' | 'rounds_to_zero';

/** A market's prices as clients get them (contract, Ticker); what the feed does not provide is `undefined`. */
export interface ClientTicker {
  readonly market: OfferedMarket;
  readonly buyPrice: DecimalString;
  readonly sellPrice: DecimalString;
  readonly high24h: DecimalString;
  readonly low24h: DecimalString;
  readonly volume24h: DecimalString;
  readonly vwap24h: DecimalString | undefined;
  readonly priceChangePercent1h: DecimalString | undefined;
  readonly priceChangePercent24h: DecimalString | undefined;
  readonly priceChangePercent7d: DecimalString | undefined;
  readonly capturedAt: EpochMs;
  /** The id of the source that it is made from; clients do not see it. */
  readonly source: string;
}

/**
 * Turns upstream values into client prices. `undefined` when the sell price rounds to zero: no such price is offered.
 */
export function clientTicker(
  market: OfferedMarket,
  ticker: AcceptedTicker,
  references: ReferencePrices | undefined,
  factors: PriceFactors,
): ClientTicker | undefined {
  const { pricePrecision: places } = market;
  const sell = sellPrice(ticker.bid, factors, places);
  if (!isPositive(sell)) return undefined;
  // Like with like: the record has no last trades.
  const current = references?.recordedFor === undefined ? ticker.last : middleOf(ticker);
  const changeFrom = (reference: DecimalString | undefined) =>
    reference === undefined || !isPositive(reference) || current === undefined
      ? undefined
      : percentChange(reference, current);
  const change24h = ticker.priceChangePercent24h;
  return {
    market,
    buyPrice: buyPrice(ticker.ask, factors, places),
    sellPrice: sell,
    high24h: statistic(ticker.high24h, factors, places),
    low24h: statistic(ticker.low24h, factors, places),
    volume24h: roundTo(ticker.volume24h, market.amountPrecision, 'half-even'),
    vwap24h: ticker.vwap24h === undefined ? undefined : statistic(ticker.vwap24h, factors, places),
    priceChangePercent1h: changeFrom(references?.price1hAgo),
    priceChangePercent24h:
      change24h === undefined ? changeFrom(references?.price24hAgo) : roundTo(change24h, 2, 'half-even'),
    priceChangePercent7d: changeFrom(references?.price7dAgo),
    capturedAt: ticker.capturedAt,
    source: ticker.source,
  };
}

/** Why a market has no price. */
export type NoPrice =
  | { readonly kind: 'unpriced'; readonly reason: UnpricedReason }
  | { readonly kind: 'unknown_symbol' };

/** The price of a market at an instant, or why there is none. */
export type PriceOutcome = { readonly kind: 'priced'; readonly ticker: ClientTicker } | NoPrice;

/** The parts that a price is made from. Each is immutable, and the same object as long as it has the same value. */
export interface PriceInputs {
  readonly kind: 'inputs';
  readonly market: OfferedMarket;
  readonly ticker: AcceptedTicker;
  readonly references: ReferencePrices | undefined;
  /** The rate of a converted market. */
  readonly rate: ConversionRate | undefined;
  readonly terms: MarketTerms;
  /** The factors that follow from rate and terms. */
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
export function priceFrom(inputs: PriceInputs | NoPrice): PriceOutcome {
  if (inputs.kind !== 'inputs') return inputs;
  const { market, ticker, references, factors } = inputs;
  const priced = clientTicker(market, ticker, references, factors);
  return priced === undefined ? { kind: 'unpriced', reason: 'rounds_to_zero' } : { kind: 'priced', ticker: priced };
}

/** Derives the price; `undefined` where there is none. @param known the rate of the market's quote currency */
export function explanationFrom(inputs: PriceInputs, known: KnownRate | undefined): PriceExplanation | undefined {
  if (priceFrom(inputs).kind !== 'priced') return undefined;
  const { market, ticker, terms } = inputs;
  const { bid, ask, source, capturedAt } = ticker;
  const { fee, margin, rounding } = terms;
  const conversion = market.isConverted && known ? { ...known, marginPercent: margin!.value } : undefined;
  const derivation = derivePrices(ticker, fee.value, conversion, market.pricePrecision, rounding?.value);
  return { market, bid, ask, source, capturedAt, conversion, terms, ...derivation };
}
