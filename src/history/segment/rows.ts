import type { EpochMs } from '../../ground/clock.ts';
import type { ClientTicker, UnpricedReason } from '../../market/client-ticker.ts';
import type { DecimalString } from '../../market/decimal.ts';
import type { OfferedMarket } from '../../market/market-catalogue.ts';
import type { CurrencyCode, MarketSymbol } from '../../market/symbol.ts';
import type { MarketTerms, TermValue } from '../../market/terms.ts';

/**
 * A place in the order of all that a process published. `at` never goes back, not even with the wall clock; `sub`
 * counts within the millisecond.
 */
export interface RecordPosition {
  readonly at: EpochMs;
  readonly sub: number;
}

/** Why a market is not among the tickers. */
export type NoQuote = UnpricedReason | 'not_offered';

/** All of them, in the order of their codes in the record: add at the end only. */
export const noQuotes: readonly NoQuote[] = ['no_ticker', 'held', 'no_rate', 'rounds_to_zero', 'not_offered'];

/** A market's published price, or that it had none, from this position on. */
export interface QuoteRow extends RecordPosition {
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

/** The rest of a ticker beside its market, prices and source, as published; what was left out is `undefined`. */
export type Statistics = Omit<ClientTicker, 'market' | 'buyPrice' | 'sellPrice' | 'capturedAt' | 'source'>;

/**
 * The codes of their columns in the record, two for each. A new one takes the next two; none is ever used for another.
 */
export const statisticColumns = {
  high24h: 16,
  low24h: 18,
  volume24h: 20,
  vwap24h: 22,
  priceChangePercent1h: 24,
  priceChangePercent24h: 26,
  priceChangePercent7d: 28,
} as const satisfies Readonly<Record<keyof Statistics, number>>;

export const statisticNames = Object.keys(statisticColumns) as readonly (keyof Statistics)[];

/** The kinds of facts of the first version, in the order of their codes in the record. */
const firstKinds = ['process', 'listing', 'guard', 'windows', 'feed', 'gap', 'stop', 'deletion', 'hold'] as const;
/** All of them: add at the end only. */
export const factKinds = [...firstKinds, 'publishing', 'ledger', 'clock'] as const;

export type FactKind = (typeof factKinds)[number];

/** Kinds that say where the record begins, ends or has a gap, and what else it holds. */
export const breakKinds: readonly FactKind[] = ['process', 'gap', 'stop', 'deletion', 'publishing', 'ledger'];
/** Kinds among them that hold until the next of their kind. */
export const lastingBreakKinds: readonly FactKind[] = ['process', 'publishing'];

/** Something that changes rarely, from this position on. */
export interface FactRow extends RecordPosition {
  readonly kind: FactKind;
  /** Its subject: the symbol of a listing, what the guard doubts or the operator holds; else empty. */
  readonly subject: string;
  /** JSON. */
  readonly text: string;
}

/** Which key got what. The body follows from it and from what was published before its position. */
export interface ServingRow extends RecordPosition {
  readonly keyId: string;
  /** The instant the request was answered for, read once when it came. */
  readonly askedAt: EpochMs;
  readonly route: string;
  /** The symbol that was asked for, in capitals; empty where there is none or it is no symbol. */
  readonly symbol: string;
  readonly status: number;
  /** A problem's code, a space, its detail; or the body of the service's status without instants. Else empty. */
  readonly text: string;
  /** In the service's status `askedAt` less the last update of the feed, in milliseconds. 0 elsewhere. */
  readonly feedAgeMs: number;
  /** The number that its request id hides. */
  readonly request: number;
}

/** Whether a row at `position` was published before what was served at `served`. */
export function isBefore(position: RecordPosition, served: RecordPosition): boolean {
  return position.at < served.at || (position.at === served.at && position.sub < served.sub);
}

/** The first instant after a row. */
export function after({ at }: Pick<RecordPosition, 'at'>): RecordPosition {
  return { at: (at + 1) as EpochMs, sub: 0 };
}

/** All rows of one span, each list in the order of their positions. */
export interface Rows {
  readonly quotes: QuoteRow[];
  readonly facts: FactRow[];
  readonly servings: ServingRow[];
}

export function isEmpty({ quotes, facts, servings }: Rows): boolean {
  return quotes.length + facts.length + servings.length === 0;
}

/** The instant of the first row; `undefined` where there is none. */
export function startOf({ quotes, facts, servings }: Rows): EpochMs | undefined {
  const starts = [quotes, facts, servings].flatMap((rows) => rows[0]?.at ?? []);
  return starts.length === 0 ? undefined : (Math.min(...starts) as EpochMs);
}

/** The instant of the last row; `undefined` where there is none. */
export function endOf({ quotes, facts, servings }: Rows): EpochMs | undefined {
  const ends = [quotes, facts, servings].flatMap((rows) => rows.at(-1)?.at ?? []);
  return ends.length === 0 ? undefined : (Math.max(...ends) as EpochMs);
}

/** Sorts by position, in place. */
export function inOrder<Row extends RecordPosition>(rows: Row[]): Row[] {
  return rows.sort((one, other) => one.at - other.at || one.sub - other.sub);
}

/** A conversion rate as it was in use. */
export interface RateVersion {
  readonly base: CurrencyCode;
  readonly quote: CurrencyCode;
  readonly mid: DecimalString;
  readonly source: string;
  readonly fixingDate?: string | undefined;
  readonly refreshedAt: EpochMs;
  /** The first instant at which it was no longer valid. */
  readonly validUntil: EpochMs;
}

/** The terms of a market as they held. Of each value the term that it came from, without the term's other values. */
export type TermsVersion = MarketTerms;

/** Gives what is kept of the terms of a market. */
export function termsVersionOf({ version, fee, margin, precision, rounding }: MarketTerms): TermsVersion {
  return {
    version,
    fee: withoutValues(fee),
    margin: margin && withoutValues(margin),
    precision: precision && withoutValues(precision),
    rounding: rounding && withoutValues(rounding),
  };
}

function withoutValues<Value>({ value, term: { id, from, scope, subject } }: TermValue<Value>): TermValue<Value> {
  return { value, term: { id, from, scope, subject, values: {} } };
}

/** A market as it was offered. */
export interface ListingFact {
  /** The market as it was in `/v1/markets`; `null` once it was no longer listed. */
  readonly market: OfferedMarket | null;
}

/** A process's word about itself at its start. */
export interface ProcessFact {
  /** The version of the software. */
  readonly version: string;
  readonly errorsUrl: string;
}

/** The end of the ledger when it was noted. */
export interface LedgerFact {
  readonly number: number;
  /** In hexadecimal digits. */
  readonly hash: string;
}

/**
 * Whether a process makes prices from there on, for all or, cut off from the others, `alone` for itself; or that it
 * stood still.
 */
export type PublishingFact = boolean | 'alone' | StandstillFact;

/** A process's word, once it runs again, that it stood still. */
export interface StandstillFact {
  /** From here on it made none, up to this fact. */
  readonly since: EpochMs;
}

/** A span in which something was published that the record does not have. */
export interface GapFact {
  /** The last instant that is recorded before it. */
  readonly from: EpochMs;
  /** From here on the record is complete again. */
  readonly to: EpochMs;
  /** `killed`: the process before ended without closing its record. `slow`: the record could not be written in time. */
  readonly reason: 'killed' | 'slow';
  /** Answers that it lacks; `undefined` where it is not known. */
  readonly servings?: number | undefined;
}

/** A span without a record, and why: the process was stopped, was killed, could not write, or gives no sign of life. */
export interface Gap {
  readonly from: EpochMs;
  readonly to: EpochMs | undefined;
  readonly reason: GapFact['reason'] | 'stopped' | 'silent';
  readonly servings: number | undefined;
}

/** Where a chain has gaps, from its first process on. @param breaks its facts of these kinds, in order */
export function gapsIn(breaks: readonly FactRow[]): Gap[] {
  const gaps: Gap[] = [];
  let stoppedAt: EpochMs | undefined;
  for (const { kind, at, text } of breaks) {
    if (kind === 'stop') stoppedAt = at;
    if (kind === 'process' && stoppedAt !== undefined) {
      gaps.push({ from: stoppedAt, to: at, reason: 'stopped', servings: 0 });
      stoppedAt = undefined;
    }
    if (kind !== 'gap') continue;
    const { from, to, reason, servings } = JSON.parse(text) as GapFact;
    gaps.push({ from, to, reason, servings });
  }
  if (stoppedAt !== undefined) gaps.push({ from: stoppedAt, to: undefined, reason: 'stopped', servings: 0 });
  return gaps;
}

/** The gap that an instant lies in. */
export function gapAt(gaps: readonly Gap[], at: EpochMs): Gap | undefined {
  return gaps.find(({ from, to }) => from < at && (to === undefined || at < to));
}
