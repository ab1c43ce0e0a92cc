import type { EpochMs } from '../../ground/clock.ts';
import { changePercentOf } from '../../market/derived-statistics.ts';
import type { UpstreamMarketStatus } from '../../market/upstream.ts';
import { asStep, type ListedPair, type MarketTerms, requireStep } from '../market-listing.ts';
import { readCommonValues } from '../rest-answers.ts';
import type { Statistics } from '../ticker-assembler.ts';
import { asDecimal, asInstant, asPositive, asText, requireList, requireObject, type WireObject } from '../wire.ts';

/**
 * Reads the answer of `GET /products`. Base and quote come from the id: some products (auctions) carry another base
 * currency. Delisted products stay in the list: they are left out.
 */
export function readProducts(result: unknown): ListedPair[] {
  return requireList(result, 'products').flatMap((product) => {
    const id = asText(product.id);
    const [base, quote, ...rest] = id?.split('-') ?? [];
    if (rest.length > 0 || product.status === 'delisted') return [];
    return { id, base, quote, terms: () => readTerms(product) };
  });
}

function readTerms(product: WireObject): MarketTerms {
  const tick = requireStep(product, 'quote_increment');
  const amount = requireStep(product, 'base_increment');
  return {
    status: productStatus(product),
    pricePrecision: tick.places,
    amountPrecision: amount.places,
    tickSize: tick.size,
    // Answers of 2021 carry a minimum; today's do not, and the smallest amount there is takes its place.
    minOrderSize: asStep(product.base_min_size)?.size ?? amount.size,
    minOrderValue: asStep(product.min_market_funds)?.size,
  };
}

const restrictions = ['trading_disabled', 'cancel_only', 'post_only', 'limit_only', 'auction_mode'];

/** `trading` only when it is online without any restriction. The same in the catalogue and on the channel `status`. */
export function productStatus(product: WireObject): UpstreamMarketStatus {
  const isRestricted = restrictions.some((name) => product[name] === true);
  return product.status === 'online' && !isRestricted ? 'trading' : 'paused';
}

/** Snapshots come without a time, or with one of the year 1. */
export function readTime(value: unknown): EpochMs | undefined {
  const instant = asInstant(value);
  return instant !== undefined && instant > 0 ? instant : undefined;
}

/** The statistics of a frame of the channel `ticker`. */
export function readLiveStatistics(frame: WireObject): Statistics {
  const { price, open_24h, high_24h, low_24h, volume_24h } = frame;
  return statisticsOf({ last: price, open: open_24h, high: high_24h, low: low_24h, volume: volume_24h });
}

/** The answer of `GET /products/{id}/stats`. */
export function readStats(result: unknown): Statistics {
  return statisticsOf(requireObject(result, 'stats'));
}

/**
 * All are over the last 24 hours, `open` is the price at their start. There is no average and no volume in the quote
 * currency.
 */
function statisticsOf(stats: WireObject): Statistics {
  const values = readCommonValues(stats);
  return { ...values, priceChangePercent24h: changePercentOf(values.last, asPositive(stats.open)) };
}

/** The answer of `GET /products/{id}/ticker`, whose time is that of the last trade. */
export function readPolledPrices(result: unknown) {
  const ticker = requireObject(result, 'ticker');
  return { bid: asDecimal(ticker.bid), ask: asDecimal(ticker.ask), tradedAt: readTime(ticker.time) };
}
