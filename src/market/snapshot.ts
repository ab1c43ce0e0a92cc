import type { EpochMs } from '../clock.ts';
import { type DecimalString, parseDecimal } from './decimal.ts';
import type { BookContents } from './market-book.ts';
import type { CurrencyCode, MarketSymbol } from './symbol.ts';
import type { AcceptedTicker } from './ticker-acceptance.ts';
import type { ConversionRate, ReferencePrices } from './upstream.ts';

/** What is kept over a restart: the book's contents, and when the feed last proved current. */
export interface MarketSnapshot {
  readonly contents: BookContents;
  readonly lastUpdatedAt: EpochMs | undefined;
}

const format = 1;

export function writeSnapshot({ contents, lastUpdatedAt }: MarketSnapshot): string {
  return JSON.stringify({
    format,
    lastUpdatedAt,
    tickers: [...contents.tickers],
    references: [...contents.references],
    rates: [...contents.rates],
  });
}

/** Reads what `writeSnapshot` wrote; `undefined` for anything else, another version's format included. */
export function readSnapshot(text: string): MarketSnapshot | undefined {
  try {
    const read = asMembers(JSON.parse(text));
    if (read.format !== format) return undefined;
    return {
      contents: {
        tickers: asMap<MarketSymbol, AcceptedTicker>(read.tickers, asTicker),
        references: asMap<MarketSymbol, ReferencePrices>(read.references, asReferences),
        rates: asMap<CurrencyCode, ConversionRate>(read.rates, asRate),
      },
      lastUpdatedAt: optional(asInstant, read.lastUpdatedAt),
    };
  } catch {
    return undefined;
  }
}

type Members = Readonly<Record<string, unknown>>;

function unreadable(): never {
  throw new TypeError('not a snapshot');
}

function asMembers(value: unknown): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : unreadable();
}

function asMap<Key extends string, Value>(entries: unknown, asValue: (members: Members) => Value): Map<Key, Value> {
  if (!Array.isArray(entries)) return unreadable();
  return new Map(entries.map(([key, value]) => [asText(key) as Key, asValue(asMembers(value))]));
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : unreadable();
}

function asDecimal(value: unknown): DecimalString {
  return parseDecimal(value) ?? unreadable();
}

function asInstant(value: unknown): EpochMs {
  return Number.isSafeInteger(value) ? (value as EpochMs) : unreadable();
}

function optional<Value>(as: (value: unknown) => Value, value: unknown): Value | undefined {
  return value === undefined ? undefined : as(value);
}

function asTicker(read: Members): AcceptedTicker {
  return {
    bid: asDecimal(read.bid),
    ask: asDecimal(read.ask),
    last: optional(asDecimal, read.last),
    high24h: asDecimal(read.high24h),
    low24h: asDecimal(read.low24h),
    volume24h: asDecimal(read.volume24h),
    vwap24h: optional(asDecimal, read.vwap24h),
    priceChangePercent24h: optional(asDecimal, read.priceChangePercent24h),
    capturedAt: asInstant(read.capturedAt),
    liveReceivedAt: optional(asInstant, read.liveReceivedAt),
    liveUpstreamTime: optional(asInstant, read.liveUpstreamTime),
  };
}

function asReferences(read: Members): ReferencePrices {
  return {
    price1hAgo: optional(asDecimal, read.price1hAgo),
    price24hAgo: optional(asDecimal, read.price24hAgo),
    price7dAgo: optional(asDecimal, read.price7dAgo),
  };
}

function asRate(read: Members): ConversionRate {
  return {
    base: asText(read.base) as CurrencyCode,
    quote: asText(read.quote) as CurrencyCode,
    mid: asDecimal(read.mid),
    source: asText(read.source),
    fixingDate: optional(asText, read.fixingDate),
    refreshedAt: asInstant(read.refreshedAt),
  };
}
