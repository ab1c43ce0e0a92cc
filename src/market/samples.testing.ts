import fc from 'fast-check';
import type { EpochMs } from '../ground/clock.ts';
import type { DecimalString } from './decimal.ts';
import type { MarketSelection } from './market-catalogue.ts';
import type { PricingPolicy } from './pricing.ts';
import { type CurrencyCode, type MarketSymbol, symbolOf } from './symbol.ts';
import type { ConversionRate, UpstreamMarket, UpstreamTicker } from './upstream.ts';

/** Samples for the tests of market and board: one small exchange with a plausible market. */

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** 2026-11-21T10:00:00.000Z. */
export const start = Date.parse('2026-11-21T10:00:00.000Z') as EpochMs;

export function after(instant: EpochMs, byMs: number): EpochMs {
  return (instant + byMs) as EpochMs;
}

/** A decimal as it stands, unchecked. */
export function decimal(text: string): DecimalString {
  return text as DecimalString;
}

export function currency(text: string): CurrencyCode {
  return text as CurrencyCode;
}

export function symbol(text: string): MarketSymbol {
  return text as MarketSymbol;
}

export const EUR = currency('EUR');
export const CZK = currency('CZK');

/** A market of `base` in EUR, with one decimal in its prices. */
export function upstreamMarket(base: string, changes: Partial<UpstreamMarket> = {}): UpstreamMarket {
  const quote = changes.quote ?? EUR;
  return {
    symbol: symbolOf(currency(base), quote),
    base: currency(base),
    quote,
    status: 'trading',
    pricePrecision: 1,
    amountPrecision: 8,
    tickSize: decimal('0.10'),
    minOrderSize: decimal('0.00005000'),
    minOrderValue: decimal('0.50'),
    ...changes,
  };
}

/** A live frame of BTCEUR that came at `start`, sent 40 ms earlier. */
export function upstreamTicker(changes: Partial<UpstreamTicker> = {}): UpstreamTicker {
  const receivedAt = changes.receivedAt ?? start;
  return {
    symbol: symbol('BTCEUR'),
    bid: decimal('84209.9'),
    ask: decimal('84210.1'),
    last: decimal('84210.0'),
    high24h: decimal('85120.0'),
    low24h: decimal('83004.7'),
    volume24h: decimal('412.70318822'),
    vwap24h: decimal('84077.31234'),
    priceChangePercent24h: decimal('-1.05'),
    path: 'live',
    upstreamTime: after(receivedAt, -40),
    askedAt: receivedAt,
    receivedAt,
    ...changes,
  };
}

/** A polled answer: it was asked for 300 ms before it came and carries no time of its own. */
export function polledTicker(changes: Partial<UpstreamTicker> = {}): UpstreamTicker {
  const receivedAt = changes.receivedAt ?? start;
  return upstreamTicker({
    path: 'fallback',
    upstreamTime: undefined,
    priceChangePercent24h: undefined,
    askedAt: after(receivedAt, -300),
    ...changes,
  });
}

/** A daily EUR/CZK fixing of the day before `start`, read at `start`. */
export function conversionRate(changes: Partial<ConversionRate> = {}): ConversionRate {
  return {
    base: EUR,
    quote: CZK,
    mid: decimal('24.315'),
    source: 'cnb',
    fixingDate: '2026-11-20',
    refreshedAt: start,
    ...changes,
  };
}

/** Half a percent of fee, CZK through EUR with one percent of margin, rates good for 96 hours. */
export function pricingPolicy(changes: Partial<PricingPolicy> = {}): PricingPolicy {
  return {
    feePercent: decimal('0.5'),
    converted: new Map([[CZK, { via: EUR, marginPercent: decimal('1') }]]),
    pricePrecision: new Map(),
    rateValidForMs: 96 * hourMs,
    ...changes,
  };
}

/** Every market quoted in EUR. */
export const everyEuroMarket: MarketSelection = { quotes: new Set([EUR]), symbols: 'all' };

/** Decimals that are not negative, in plain notation, with up to this many digits before and after the point. */
export function anyDecimal(wholeDigits: number, decimalsMax: number): fc.Arbitrary<DecimalString> {
  const digits = (count: number) => fc.bigInt({ min: 0n, max: 10n ** BigInt(count) - 1n });
  return fc
    .tuple(digits(wholeDigits), fc.integer({ min: 0, max: decimalsMax }), digits(decimalsMax))
    .map(([whole, places, decimals]) => {
      const shown = decimals.toString().padStart(decimalsMax, '0').slice(0, places);
      return decimal(places === 0 ? `${whole}` : `${whole}.${shown}`);
    });
}

export function anyPositiveDecimal(wholeDigits: number, decimalsMax: number): fc.Arbitrary<DecimalString> {
  return anyDecimal(wholeDigits, decimalsMax).filter((text) => /[1-9]/.test(text));
}
