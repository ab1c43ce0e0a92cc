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

/** Names what a step of a derivation does, with its values. */
export type PriceStepMade =
  | { readonly code: 'quote'; readonly values: { readonly side: 'ask' | 'bid'; readonly source: string } }
  | { readonly code: 'fee' | 'margin'; readonly values: { readonly sign: '+' | '−'; readonly percent: DecimalString } }
  | { readonly code: 'rate'; readonly values: Pick<ConversionRate, 'base' | 'quote' | 'mid'> }
  | {
      readonly code: 'rounding';
      readonly values: { readonly direction: 'up' | 'down' | 'half_even'; readonly places: number };
    };

/** One step of a price derivation. */
export interface PriceStep {
  readonly made: PriceStepMade;
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
  const { ask, bid, source } = quotes;
  const rounded = (outward: 'up' | 'down', value: DecimalString): PriceStep => {
    const direction = rounding === 'outward' ? outward : 'half_even';
    return { made: { code: 'rounding', values: { direction, places } }, value };
  };
  const asked: PriceStep = { made: { code: 'quote', values: { side: 'ask', source } }, value: ask };
  const offered: PriceStep = { made: { code: 'quote', values: { side: 'bid', source } }, value: bid };
  return {
    buy: [...steps(asked, '+', feePercent, conversion), rounded('up', buyPrice(ask, factors, places))],
    sell: [...steps(offered, '−', feePercent, conversion), rounded('down', sellPrice(bid, factors, places))],
  };
}

function steps(
  origin: PriceStep,
  sign: '+' | '−',
  feePercent: DecimalString,
  conversion: Conversion | undefined,
): PriceStep[] {
  const apply = (percent: DecimalString) => (sign === '+' ? one.plus(fraction(percent)) : one.minus(fraction(percent)));
  const plain = (value: Big) => value.toFixed() as DecimalString;
  const afterFee = toBig(origin.value).times(apply(feePercent));
  const taken: PriceStep[] = [
    origin,
    { made: { code: 'fee', values: { sign, percent: feePercent } }, value: plain(afterFee) },
  ];
  if (conversion !== undefined) {
    const { rate, marginPercent } = conversion;
    const converted = afterFee.times(rate.mid);
    const { base, quote, mid } = rate;
    const withMargin = plain(converted.times(apply(marginPercent)));
    taken.push(
      { made: { code: 'rate', values: { base, quote, mid } }, value: plain(converted) },
      { made: { code: 'margin', values: { sign, percent: marginPercent } }, value: withMargin },
    );
  }
  return taken;
}
