import type { EpochMs } from '../../clock.ts';
import { parseDecimal } from '../../market/decimal.ts';
import type { MarketSymbol } from '../../market/symbol.ts';
import type { FeedPath, UpstreamTicker } from '../../market/upstream.ts';
import type { Candle } from '../connector.ts';
import { changePercentOf, vwapOf } from '../derived.ts';
import { type ListedPair, type MarketTerms, readCurrency } from '../market-listing.ts';
import { asStep } from '../steps.ts';
import { asCount, asEpoch, asList, asObject, asPositive, asText, UpstreamError, type WireObject } from '../wire.ts';

const placesMax = 18;

/** Reads the answer of `GET /markets`. */
export function readMarkets(result: unknown): ListedPair[] {
  const markets = asList(result);
  if (markets === undefined) throw new UpstreamError('malformed', 'markets: not a list');
  return markets.flatMap((value) => {
    const entry = asObject(value) ?? {};
    const id = asText(entry.market);
    const base = readCurrency(entry.base);
    const quote = readCurrency(entry.quote);
    if (id === undefined || base === undefined || quote === undefined) return [];
    return [{ id, liveName: id, base, quote, terms: () => readTerms(entry) }];
  });
}

/** The market, or the reason why it is skipped. `pricePrecision` is no longer sent: the tick says it. */
function readTerms(entry: WireObject): MarketTerms | string {
  const tick = asStep(entry.tickSize);
  if (tick === undefined) return 'tickSize is missing or not a positive decimal';
  const amountPrecision = asCount(entry.quantityDecimals, placesMax);
  if (amountPrecision === undefined) return 'quantityDecimals is missing or out of range';
  const minOrderSize = asStep(entry.minOrderInBaseAsset);
  if (minOrderSize === undefined) return 'minOrderInBaseAsset is missing or not a positive decimal';
  return {
    // `halted`, `auction`, `auctionMatching`, `cancelOnly`, and whatever comes later, take fewer kinds of order or none.
    status: entry.status === 'trading' ? 'trading' : 'paused',
    pricePrecision: tick.places,
    amountPrecision,
    tickSize: tick.size,
    minOrderSize: minOrderSize.size,
    minOrderValue: asStep(entry.minOrderInQuoteAsset)?.size,
  };
}

interface Times {
  readonly askedAt: EpochMs;
  readonly receivedAt: EpochMs;
}

/**
 * Reads one entry of `ticker24h`, the same live and over REST. An empty side of the book or empty statistics are null:
 * missing. Average and change are derived, from volumes and prices of the same 24 hours.
 */
export function readTicker(symbol: MarketSymbol, entry: WireObject, path: FeedPath, times: Times): UpstreamTicker {
  const last = parseDecimal(entry.last);
  const volume24h = parseDecimal(entry.volume);
  return {
    symbol,
    bid: parseDecimal(entry.bid),
    ask: parseDecimal(entry.ask),
    last,
    high24h: parseDecimal(entry.high),
    low24h: parseDecimal(entry.low),
    volume24h,
    vwap24h: vwapOf(parseDecimal(entry.volumeQuote), volume24h),
    priceChangePercent24h: changePercentOf(last, asPositive(entry.open)),
    path,
    upstreamTime: asEpoch(entry.timestamp),
    ...times,
  };
}

/** Reads rows `[time ms, open, high, low, close, volume]`, in whichever order they come. An unreadable row is left out. */
export function readCandles(result: unknown): Candle[] {
  const rows = asList(result);
  if (rows === undefined) throw new UpstreamError('malformed', 'candles: not a list');
  const candles = rows.flatMap((row): Candle[] => {
    const [time, price] = asList(row) ?? [];
    const openedAt = asEpoch(time);
    const open = parseDecimal(price);
    return openedAt === undefined || open === undefined ? [] : [{ openedAt, open }];
  });
  return candles.sort((one, other) => one.openedAt - other.openedAt);
}
