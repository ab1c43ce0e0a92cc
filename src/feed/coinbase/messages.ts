import { asEpochMs, type EpochMs } from '../../clock.ts';
import { type DecimalString, parseDecimal } from '../../market/decimal.ts';
import type { UpstreamMarketStatus } from '../../market/upstream.ts';
import type { Candle } from '../connector.ts';
import { changePercentOf } from '../derived.ts';
import { type ListedPair, type MarketTerms, readCurrency } from '../market-listing.ts';
import { asStep } from '../steps.ts';
import type { Statistics } from '../ticker-assembler.ts';
import { asCount, asInstant, asList, asObject, asPositive, asText, UpstreamError, type WireObject } from '../wire.ts';

/**
 * Reads the answer of `GET /products`. Base and quote come from the id: some products (auctions) carry another base
 * currency. Delisted products stay in the list for ever: they are left out, as if they were gone.
 */
export function readProducts(result: unknown): ListedPair[] {
  const products = asList(result);
  if (products === undefined) throw new UpstreamError('malformed', 'products: not a list');
  return products.flatMap((value) => {
    const product = asObject(value) ?? {};
    const id = asText(product.id) ?? '';
    const [base, quote, ...rest] = id.split('-').map(readCurrency);
    if (base === undefined || quote === undefined || rest.length > 0 || product.status === 'delisted') return [];
    return [{ id, liveName: id, base, quote, terms: () => readTerms(product) }];
  });
}

/** The market, or the reason why it is skipped. */
function readTerms(product: WireObject): MarketTerms | string {
  const tick = asStep(product.quote_increment);
  if (tick === undefined) return 'quote_increment is missing or not a positive decimal';
  const amount = asStep(product.base_increment);
  if (amount === undefined) return 'base_increment is missing or not a positive decimal';
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
  const stats = asObject(result);
  if (stats === undefined) throw new UpstreamError('malformed', 'stats: not an object');
  return statisticsOf(stats);
}

/** All are over the last 24 hours, `open` is the price at their start. There is no average and no volume in the quote currency. */
function statisticsOf({ last, open, high, low, volume }: WireObject): Statistics {
  const price = parseDecimal(last);
  return {
    last: price,
    high24h: parseDecimal(high),
    low24h: parseDecimal(low),
    volume24h: parseDecimal(volume),
    vwap24h: undefined,
    priceChangePercent24h: changePercentOf(price, asPositive(open)),
  };
}

interface PolledPrices {
  readonly bid: DecimalString | undefined;
  readonly ask: DecimalString | undefined;
  /** When the last trade was. */
  readonly tradedAt: EpochMs | undefined;
}

/** The answer of `GET /products/{id}/ticker`. */
export function readPolledPrices(result: unknown): PolledPrices {
  const ticker = asObject(result);
  if (ticker === undefined) throw new UpstreamError('malformed', 'ticker: not an object');
  return { bid: parseDecimal(ticker.bid), ask: parseDecimal(ticker.ask), tradedAt: readTime(ticker.time) };
}

const secondsMax = 4_102_444_800;

/** Reads rows `[time s, low, high, open, close, volume]`, in whichever order they come. An unreadable row is left out. */
export function readCandles(result: unknown): Candle[] {
  const rows = asList(result);
  if (rows === undefined) throw new UpstreamError('malformed', 'candles: not a list');
  const candles = rows.flatMap((row): Candle[] => {
    const cells = asList(row);
    const seconds = asCount(cells?.[0], secondsMax);
    const open = parseDecimal(cells?.[3]);
    return seconds === undefined || open === undefined ? [] : [{ openedAt: asEpochMs(seconds * 1000), open }];
  });
  return candles.sort((one, other) => one.openedAt - other.openedAt);
}
