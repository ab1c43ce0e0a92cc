import type { EpochMs } from '../clock.ts';
import { type DecimalString, parseDecimal } from './decimal.ts';
import type { BookContents } from './market-book.ts';
import type { ListedBySource } from './market-catalogue.ts';
import type { CurrencyCode, MarketSymbol } from './symbol.ts';
import type { AcceptedTicker } from './ticker-acceptance.ts';
import type { ConversionRate, ReferencePrices } from './upstream.ts';

/** What survives a restart: the book's contents, and when the feed last proved current. */
export interface MarketSnapshot {
  readonly contents: BookContents;
  readonly lastUpdatedAt: EpochMs | undefined;
  /** Which source listed which markets. */
  readonly listed: ListedBySource;
}

const format = 2;

export function writeSnapshot({ contents, lastUpdatedAt, listed }: MarketSnapshot): string {
  return JSON.stringify({
    format,
    lastUpdatedAt,
    listed,
    tickers: [...contents.tickers],
    references: [...contents.references],
    rates: [...contents.rates],
  });
}

/** Reads what `writeSnapshot` wrote; `undefined` for anything else, another version's format included. */
export function readSnapshot(text: string): MarketSnapshot | undefined {
  try {
    const read = asObject(JSON.parse(text));
    if (read.format !== format) return undefined;
    return {
      contents: {
        tickers: asMap<MarketSymbol, AcceptedTicker>(read.tickers, asTicker),
        references: asMap<MarketSymbol, ReferencePrices>(read.references, asReferences),
        rates: asMap<CurrencyCode, ConversionRate>(read.rates, asRate),
      },
      lastUpdatedAt: optional(asInstant)(read.lastUpdatedAt),
      listed: [...asMap<string, MarketSymbol[]>(read.listed, asSymbols)],
    };
  } catch {
    return undefined;
  }
}

/** Returns the value, checked, or throws. */
type Reader<Value> = (value: unknown) => Value;

const asText: Reader<string> = (value) => (typeof value === 'string' ? value : unreadable());
const asDecimal: Reader<DecimalString> = (value) => parseDecimal(value) ?? unreadable();
const asInstant: Reader<EpochMs> = (value) => (Number.isSafeInteger(value) ? (value as EpochMs) : unreadable());

const asSymbols: Reader<MarketSymbol[]> = (value) =>
  Array.isArray(value) ? value.map((symbol) => asText(symbol) as MarketSymbol) : unreadable();

const asTicker = record<AcceptedTicker>({
  bid: asDecimal,
  ask: asDecimal,
  last: optional(asDecimal),
  high24h: asDecimal,
  low24h: asDecimal,
  volume24h: asDecimal,
  vwap24h: optional(asDecimal),
  priceChangePercent24h: optional(asDecimal),
  source: asText,
  capturedAt: asInstant,
  liveReceivedAt: optional(asInstant),
  liveUpstreamTime: optional(asInstant),
});

const asReferences = record<ReferencePrices>({
  price1hAgo: optional(asDecimal),
  price24hAgo: optional(asDecimal),
  price7dAgo: optional(asDecimal),
  recordedFor: optional(asInstant),
});

const asRate = record<ConversionRate>({
  base: asText as Reader<CurrencyCode>,
  quote: asText as Reader<CurrencyCode>,
  mid: asDecimal,
  source: asText,
  fixingDate: optional(asText),
  refreshedAt: asInstant,
});

function record<Value>(fields: { readonly [Name in keyof Value]-?: Reader<Value[Name]> }): Reader<Value> {
  const readers = Object.entries<Reader<unknown>>(fields);
  return (value) => {
    const members = asObject(value);
    return Object.fromEntries(readers.map(([name, read]) => [name, read(members[name])])) as Value;
  };
}

function optional<Value>(read: Reader<Value>): Reader<Value | undefined> {
  return (value) => (value === undefined ? undefined : read(value));
}

function asMap<Key extends string, Value>(entries: unknown, read: Reader<Value>): Map<Key, Value> {
  if (!Array.isArray(entries)) return unreadable();
  return new Map(entries.map(([key, value]) => [asText(key) as Key, read(value)]));
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Readonly<Record<string, unknown>>) : unreadable();
}

function unreadable(): never {
  throw new TypeError('not a snapshot');
}
