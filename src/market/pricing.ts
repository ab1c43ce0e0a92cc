import Big from 'big.js';
import type { EpochMs } from '../ground/clock.ts';
import { type DecimalString, type FixedPoint, roundTo, toBig, toFixedPoint } from './decimal.ts';
import type { CurrencyCode, MarketSymbol } from './symbol.ts';
import type { ConversionRate } from './upstream.ts';

/** The configuration's pricing: the first version of the operator's terms. */
export interface PricingPolicy {
  /** The standard fee in percent: `0.5` is half a percent. */
  readonly feePercent: DecimalString;
  /** Converted quote currencies by code. */
  readonly converted: ReadonlyMap<CurrencyCode, ConvertedQuote>;
  /** Decimal places of single converted markets; the others take one less than the market they derive from. */
  readonly pricePrecision: ReadonlyMap<MarketSymbol, number>;
  /** How long a rate is valid after its last successful refresh. */
  readonly rateValidForMs: number;
}

export interface ConvertedQuote {
  /** The quote currency on the exchange that trades are executed in. */
  readonly via: CurrencyCode;
  /** The currency margin in percent. */
  readonly marginPercent: DecimalString;
}

/**
 * `outward`: buy up, sell down, so that a quote never promises more than a trade gives. `nearest`: both to the nearest
 * step, half to even, for a client application that rounds so.
 */
export const priceRoundings = ['outward', 'nearest'] as const;
export type PriceRounding = (typeof priceRoundings)[number];

const defaultRounding: PriceRounding = 'outward';

/** A rate, and the margin a client pays on top. */
export interface Conversion {
  readonly rate: ConversionRate;
  readonly marginPercent: DecimalString;
}

/** A daily fixing older than this means that its source has stopped. */
const fixingAgeMaxMs = 10 * 24 * 60 * 60 * 1000;

/** The factors, multiplied ahead, that turn an exchange price into a client price. */
export interface PriceFactors {
  readonly buy: FixedPoint;
  readonly sell: FixedPoint;
  /** The mid rate alone, 1 where nothing is converted: statistics carry no fee and no margin. */
  readonly statistics: FixedPoint;
  readonly rounding: PriceRounding;
}

const one = new Big(1);

function fraction(percent: DecimalString): Big {
  return toBig(percent).times('0.01');
}

export function priceFactors(
  feePercent: DecimalString,
  conversion: Conversion | undefined,
  rounding: PriceRounding = defaultRounding,
): PriceFactors {
  const fee = fraction(feePercent);
  const mid = conversion === undefined ? one : toBig(conversion.rate.mid);
  const margin = conversion === undefined ? new Big(0) : fraction(conversion.marginPercent);
  const multiplied = (factor: Big) => toFixedPoint(factor.toFixed() as DecimalString);
  return {
    buy: multiplied(one.plus(fee).times(mid).times(one.plus(margin))),
    sell: multiplied(one.minus(fee).times(mid).times(one.minus(margin))),
    statistics: multiplied(mid),
    rounding,
  };
}

/** The price that a client pays per base unit. */
export function buyPrice(ask: DecimalString, factors: PriceFactors, places: number): DecimalString {
  return roundTo(ask, places, factors.rounding === 'outward' ? 'up' : 'half-even', factors.buy);
}

/** The price that a client receives per base unit. Can come out as zero for a tiny bid. */
export function sellPrice(bid: DecimalString, factors: PriceFactors, places: number): DecimalString {
  return roundTo(bid, places, factors.rounding === 'outward' ? 'down' : 'half-even', factors.sell);
}

/** An exchange statistic without fees, in the market's quote currency. */
export function statistic(value: DecimalString, factors: PriceFactors, places: number): DecimalString {
  return roundTo(value, places, 'half-even', factors.statistics);
}

/** The first instant at which the rate is no longer valid. */
export function rateValidUntil(rate: ConversionRate, validForMs: number): EpochMs {
  const refreshEnds = rate.refreshedAt + validForMs;
  if (rate.fixingDate === undefined) return refreshEnds as EpochMs;
  return Math.min(refreshEnds, Date.parse(`${rate.fixingDate}T00:00:00Z`) + fixingAgeMaxMs + 1) as EpochMs;
}

/** The decimal places of a converted market: one less than the market it derives from, at least 0. */
export function convertedPrecision(basePrecision: number): number {
  return Math.max(0, basePrecision - 1);
}

/** One step of a price derivation. */
interface PriceStep {
  /** The step in words: `best ask of kraken`, `× (1 + fee 0.5 %)`. */
  readonly step: string;
  /** The exact value after it. */
  readonly value: DecimalString;
}

/** The derivation of both prices of a market, every intermediate value exact. The last step is the served price. */
export interface PriceDerivation {
  readonly buy: readonly PriceStep[];
  readonly sell: readonly PriceStep[];
}

export function derivePrices(
  quotes: { readonly bid: DecimalString; readonly ask: DecimalString; readonly source: string },
  feePercent: DecimalString,
  conversion: Conversion | undefined,
  places: number,
  rounding: PriceRounding = defaultRounding,
): PriceDerivation {
  const factors = priceFactors(feePercent, conversion, rounding);
  return {
    buy: steps(`best ask of ${quotes.source}`, quotes.ask, '+', feePercent, conversion, {
      step: `rounded ${rounding === 'outward' ? 'up' : 'half to even'} to ${places} decimals`,
      value: buyPrice(quotes.ask, factors, places),
    }),
    sell: steps(`best bid of ${quotes.source}`, quotes.bid, '−', feePercent, conversion, {
      step: `rounded ${rounding === 'outward' ? 'down' : 'half to even'} to ${places} decimals`,
      value: sellPrice(quotes.bid, factors, places),
    }),
  };
}

function steps(
  origin: string,
  price: DecimalString,
  sign: '+' | '−',
  feePercent: DecimalString,
  conversion: Conversion | undefined,
  rounded: PriceStep,
): PriceStep[] {
  const apply = (percent: DecimalString) => (sign === '+' ? one.plus(fraction(percent)) : one.minus(fraction(percent)));
  const plain = (value: Big) => value.toFixed() as DecimalString;
  const afterFee = toBig(price).times(apply(feePercent));
  const taken: PriceStep[] = [
    { step: origin, value: price },
    { step: `× (1 ${sign} fee ${feePercent} %)`, value: plain(afterFee) },
  ];
  if (conversion !== undefined) {
    const { rate, marginPercent } = conversion;
    const converted = afterFee.times(rate.mid);
    taken.push(
      { step: `× ${rate.base}/${rate.quote} mid rate ${rate.mid}`, value: plain(converted) },
      { step: `× (1 ${sign} margin ${marginPercent} %)`, value: plain(converted.times(apply(marginPercent))) },
    );
  }
  return [...taken, rounded];
}
