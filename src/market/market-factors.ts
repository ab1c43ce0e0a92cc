import type { EpochMs } from '../clock.ts';
import type { OfferedMarket } from './market-catalogue.ts';
import { type Conversion, type PriceFactors, priceFactors } from './pricing.ts';
import type { CurrencyCode, MarketSymbol } from './symbol.ts';
import type { MarketTerms } from './terms.ts';
import type { ConversionRate } from './upstream.ts';

/** A rate, and the first instant at which it is no longer valid. */
export interface KnownRate {
  readonly rate: ConversionRate;
  readonly validUntil: EpochMs;
}

interface KnownFactors {
  readonly terms: MarketTerms;
  readonly rate: ConversionRate | undefined;
  /** The first instant at which they no longer apply. */
  readonly until: number;
  readonly factors: PriceFactors;
}

/** The factors of each market's prices, made once for its terms and its rate. */
export class MarketFactors {
  readonly #rateOf: (quote: CurrencyCode) => KnownRate | undefined;
  readonly #known = new Map<MarketSymbol, KnownFactors>();

  constructor(rateOf: (quote: CurrencyCode) => KnownRate | undefined) {
    this.#rateOf = rateOf;
  }

  /** `undefined` for a converted market without a valid rate. */
  of(market: OfferedMarket, terms: MarketTerms, now: EpochMs): PriceFactors | undefined {
    const rate = market.isConverted ? this.#rateOf(market.quote)?.rate : undefined;
    let known = this.#known.get(market.symbol);
    if (known === undefined || known.terms !== terms || known.rate !== rate) {
      known = this.#make(market, terms);
      if (known === undefined) return undefined;
      this.#known.set(market.symbol, known);
    }
    return now < known.until ? known.factors : undefined;
  }

  /** As `of`, for terms that do not hold: nothing is kept. */
  once(market: OfferedMarket, terms: MarketTerms, now: EpochMs): PriceFactors | undefined {
    const made = this.#make(market, terms);
    return made !== undefined && now < made.until ? made.factors : undefined;
  }

  /** The rate and the margin of a converted market; `undefined` for any other, and without a rate. */
  conversion({ isConverted, quote }: OfferedMarket, { margin }: MarketTerms): (Conversion & KnownRate) | undefined {
    const known = isConverted ? this.#rateOf(quote) : undefined;
    return known && margin && { ...known, marginPercent: margin.value };
  }

  #make(market: OfferedMarket, terms: MarketTerms): KnownFactors | undefined {
    const conversion = this.conversion(market, terms);
    if (market.isConverted && conversion === undefined) return undefined;
    const factors = priceFactors(terms.fee.value, conversion, terms.rounding?.value);
    return { terms, rate: conversion?.rate, until: conversion?.validUntil ?? Number.POSITIVE_INFINITY, factors };
  }
}
