import type { EpochMs } from '../../ground/clock.ts';
import { changePercentOf } from '../../market/derived-statistics.ts';
import type { ListedStatus, MarketTerms } from '../../market/upstream.ts';
import { asStep, type ListedPair, requireStep, type StateTable, statusIn } from '../market-listing.ts';
import { readCommonValues } from '../rest-answers.ts';
import type { Statistics } from '../ticker-assembler.ts';
import { asDecimal, asInstant, asPositive, asText, requireList, requireObject, type WireObject } from '../wire.ts';

/**
 * Reads the answer of `GET /products`. Base and quote come from the id: some products (auctions) carry another base
 * currency.
 */
export function readProducts(result: unknown): ListedPair[] {
  return requireList(result, 'products').flatMap((product) => {
    const id = asText(product.id);
    const [base, quote, ...rest] = id?.split('-') ?? [];
    if (rest.length > 0) return [];
    return { id, base, quote, status: productStatus(product), terms: () => readTerms(product) };
  });
}

/** Throws `UpstreamError` with what is missing. */
export function readTerms(product: WireObject): MarketTerms {
  const tick = requireStep(product, 'quote_increment');
  const amount = requireStep(product, 'base_increment');
  return {
    pricePrecision: tick.places,
    amountPrecision: amount.places,
    tickSize: tick.size,
    // Answers of 2021 carry a minimum; today's do not, and the smallest amount there is takes its place.
    minOrderSize: asStep(product.base_min_size)?.size ?? amount.size,
    minOrderValue: asStep(product.min_market_funds)?.size,
  };
}

/** Delisted products stay in the list; internal ones are not for the public. */
export const productStates = {
  online: 'trading',
  offline: 'paused',
  internal: 'ended',
  delisted: 'ended',
} as const satisfies StateTable;

/** Members that can be true of a product that is online. */
const restrictions = {
  trading_disabled: 'ended',
  cancel_only: 'paused',
  post_only: 'paused',
  limit_only: 'paused',
  auction_mode: 'paused',
} as const satisfies StateTable;

/** `trading` only when it is online without any restriction. The same in the catalogue and on the channel `status`. */
export function productStatus(product: WireObject): ListedStatus {
  const status = statusIn(productStates, product.status);
  if (status !== 'trading') return status;
  return Object.entries(restrictions).find(([name]) => product[name] === true)?.[1] ?? 'trading';
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
