import type { EpochMs } from '../clock.ts';
import type { UnpricedReason } from '../market/client-ticker.ts';
import type { DecimalString } from '../market/decimal.ts';
import type { MarketSymbol } from '../market/symbol.ts';

/**
 * A place in the order of everything that a process published. `at` never goes back, not even with the wall clock;
 * `sub` counts within the millisecond.
 */
export interface Position {
  readonly at: EpochMs;
  readonly sub: number;
}

/** Why a market is not among the tickers. */
export type NoQuote = UnpricedReason | 'not_offered';

/** All of them, in the order of their codes in the record: add at the end only. */
export const noQuotes: readonly NoQuote[] = ['no_ticker', 'held', 'no_rate', 'rounds_to_zero', 'not_offered'];

/** What was published of a market, or that it had no price, from this position on. */
export interface QuoteRow extends Position {
  readonly symbol: MarketSymbol;
  readonly unpriced: NoQuote | undefined;
  /** `undefined` exactly where it is unpriced. */
  readonly quote: Quote | undefined;
}

/** The published prices of a market with what they were made from. */
export interface Quote {
  /** The id of the exchange that it came from. */
  readonly source: string;
  /** The public time of the ticker. */
  readonly capturedAt: EpochMs;
  readonly bid: DecimalString;
  readonly ask: DecimalString;
  readonly buyPrice: DecimalString;
  readonly sellPrice: DecimalString;
  /** The version of the conversion rate: JSON of a `RateVersion`; empty where nothing is converted. */
  readonly rate: string;
  /** The version of the terms: JSON of a `TermsVersion`. */
  readonly terms: string;
  readonly statistics: Statistics;
}

/** As published; what was left out is `undefined`. */
export interface Statistics {
  readonly high24h: DecimalString;
  readonly low24h: DecimalString;
  readonly volume24h: DecimalString;
  readonly vwap24h: DecimalString | undefined;
  readonly priceChangePercent1h: DecimalString | undefined;
  readonly priceChangePercent24h: DecimalString | undefined;
  readonly priceChangePercent7d: DecimalString | undefined;
}

/** The kinds of facts, in the order of their codes in the record: add at the end only. */
export const factKinds = ['process', 'listing', 'guard', 'windows', 'feed', 'gap', 'stop', 'deletion', 'hold'] as const;

export type FactKind = (typeof factKinds)[number];

/** Those that say where the record begins, ends or has a gap. */
export const breakKinds: readonly FactKind[] = ['process', 'gap', 'stop', 'deletion'];

/** Something that changes rarely, from this position on. */
export interface FactRow extends Position {
  readonly kind: FactKind;
  /** What it is about: the symbol of a listing, what the guard or the operator holds; else empty. */
  readonly subject: string;
  /** JSON. */
  readonly text: string;
}

/** Which key got what. The body follows from it and from what was published before its position. */
export interface ServingRow extends Position {
  readonly keyId: string;
  /** The instant the request was answered for, read once when it came. */
  readonly askedAt: EpochMs;
  readonly route: string;
  /** The symbol that was asked for, in capitals; empty where there is none or it is no symbol. */
  readonly symbol: string;
  readonly status: number;
  /** Of a problem: its code, a space, its detail. Of the service's status: its body without instants. Else empty. */
  readonly text: string;
  /** Of the service's status: `askedAt` less the last update of the feed, in milliseconds. 0 elsewhere. */
  readonly feedAgeMs: number;
  /** The number that its request id hides. */
  readonly request: number;
}

/** Whether a row at `position` was published before what was served at `served`. */
export function isBefore(position: Position, served: Position): boolean {
  return position.at < served.at || (position.at === served.at && position.sub < served.sub);
}

/** All rows of one span, each list in the order of their positions. */
export interface Rows {
  readonly quotes: QuoteRow[];
  readonly facts: FactRow[];
  readonly servings: ServingRow[];
}

/** Sorts by position, in place. */
export function inOrder<Row extends Position>(rows: Row[]): Row[] {
  return rows.sort((one, other) => one.at - other.at || one.sub - other.sub);
}
