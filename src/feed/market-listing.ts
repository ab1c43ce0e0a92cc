import { type DecimalString, shortest } from '../market/decimal.ts';
import { type CurrencyCode, type MarketSymbol, parseCurrency, symbolOf } from '../market/symbol.ts';
import type { ListedMarket, ListedStatus, MarketTerms, SkippedPair } from '../market/upstream.ts';
import type { ConnectorOptions } from './connector.ts';
import { asCount, asPositive, asText, required, requireList, UpstreamError, type WireObject } from './wire.ts';

/** Which pairs become markets. */
export type ListingChoice = Pick<ConnectorOptions, 'quotes' | 'symbols' | 'assets'>;

/** The states of pairs at an exchange, as it writes them, and what each means for a market. */
export type StateTable = Readonly<Record<string, ListedStatus>>;

/** A state that is not in the table takes fewer kinds of order or none: the market is paused. */
export function statusIn(states: StateTable, state: unknown): ListedStatus {
  return typeof state === 'string' && Object.hasOwn(states, state) ? states[state]! : 'paused';
}

/** One pair of an exchange's listing. */
export interface ListedPair {
  /** In REST requests and answers. A pair without one is ignored. */
  readonly id: string | undefined;
  /** On the live connection; the id by default. */
  readonly liveName?: string | undefined;
  /**
   * Currency codes, as the exchange writes them. A pair whose quote is none is ignored, and so is one without a base;
   * one whose base is not written in letters and digits is skipped.
   */
  readonly base: unknown;
  readonly quote: unknown;
  readonly status: ListedStatus;
  /** Why it is not the market that its names suggest, one phrase. */
  readonly objection?: string | undefined;
  /**
   * Called only for pairs that were chosen. Throws `UpstreamError` whose message is the reason why the pair is skipped.
   */
  readonly terms: () => MarketTerms;
}

/**
 * The pairs of a listing whose entries name id and currencies by these members. `what` names the listing in an error.
 */
export function listedPairs(
  listing: unknown,
  what: string,
  [id, base, quote]: readonly [id: string, base: string, quote: string],
  status: (entry: WireObject) => ListedStatus,
  terms: (entry: WireObject) => MarketTerms,
): ListedPair[] {
  return requireList(listing, what).map((entry) => ({
    id: asText(entry[id]),
    base: entry[base],
    quote: entry[quote],
    status: status(entry),
    terms: () => terms(entry),
  }));
}

const ascii = /^[A-Za-z0-9]{1,16}$/;

/**
 * A currency, in capitals where the exchange writes lower-case letters (`AAPLx`); `undefined` when it is no currency
 * code.
 */
export function readCurrency(text: unknown): CurrencyCode | undefined {
  return typeof text === 'string' && ascii.test(text) ? parseCurrency(text.toUpperCase()) : undefined;
}

/** A pair under the symbol of its market. */
interface NamedPair extends Pick<ListedPair, 'status' | 'terms'>, PairNames {
  readonly base: CurrencyCode;
  readonly quote: CurrencyCode;
}

type Skip = (pair: Pick<NamedPair, 'id' | 'symbol'>, reason: string) => void;

/**
 * Selects the chosen pairs of a listing. Of several pairs of one symbol the one that trades is the market, wherever it
 * stands. A pair that should be a market is reported when it lacks a required value, when its names contradict each
 * other, and when another one has its symbol.
 */
export function selectMarkets(pairs: readonly ListedPair[], choice: ListingChoice) {
  const markets: ListedMarket[] = [];
  const skipped: SkippedPair[] = [];
  // Of every pair, chosen or not: a rate source may poll a pair that is not one of our markets.
  const names: PairNames[] = [];
  const skip: Skip = ({ id: name, symbol }, reason) => void skipped.push({ name, symbol, reason });
  const named = pairs.flatMap((pair) => namedPair(pair, choice, skip) ?? []);
  const isStandingStill = named.every(({ status }) => status !== 'trading');
  for (const [symbol, rivals] of Map.groupBy(named, (pair) => pair.symbol)) {
    const [first, ...others] = rivals.toSorted((one, other) => ranks[one.status] - ranks[other.status]);
    const isOurs = isChosen(symbol, first!.quote, choice);
    const readable = isOurs ? firstReadable([first!, ...others], skip) : undefined;
    const { id, liveName, base, quote, status } = readable?.pair ?? first!;
    names.push({ id, liveName, symbol });
    for (const rival of readable?.others ?? (isOurs ? [] : others)) skip(rival, `${id} has the same symbol`);
    if (readable === undefined) continue;
    // An exchange that trades nothing ends none of its markets by that.
    const believed = isStandingStill && status === 'ended' ? 'paused' : status;
    markets.push({ symbol, base, quote, status: believed, ...readable.terms });
  }
  return { markets, skipped, names };
}

const ranks = { trading: 0, paused: 1, ended: 2 } as const satisfies Record<ListedStatus, number>;

/** A pair that can be a market; `undefined` for any other, which is reported where it should be one. */
function namedPair({ id, liveName = id, ...pair }: ListedPair, choice: ListingChoice, skip: Skip) {
  const ownBase = readCurrency(pair.base);
  const base = nameOf(ownBase, choice);
  const quote = nameOf(readCurrency(pair.quote), choice);
  if (id === undefined || liveName === undefined || quote === undefined) return undefined;
  if (base === undefined) {
    // It has no symbol of letters and digits, so its id takes that place.
    const isUnwritable = ownBase === undefined && typeof pair.base === 'string' && pair.status !== 'ended';
    if (isUnwritable && choice.quotes.includes(quote))
      skip({ id, symbol: id as MarketSymbol }, 'its base currency is not written in letters and digits');
    return undefined;
  }
  const named: NamedPair = {
    id,
    liveName,
    symbol: symbolOf(base, quote),
    base,
    quote,
    status: pair.status,
    terms: pair.terms,
  };
  if (pair.objection === undefined) return named;
  skip(named, pair.objection);
  return undefined;
}

/** Finds the first pair whose terms can be read. Those before it are reported, unless they have ended. */
function firstReadable(pairs: readonly NamedPair[], skip: Skip) {
  for (const [index, pair] of pairs.entries()) {
    const terms = readTerms(pair);
    if (typeof terms !== 'string') return { pair, terms, others: pairs.slice(index + 1) };
    if (pair.status !== 'ended') skip(pair, terms);
  }
  return undefined;
}

/** The operator's name of an asset; `undefined` where it is left out. */
function nameOf(own: CurrencyCode | undefined, { assets }: ListingChoice): CurrencyCode | undefined {
  return own !== undefined && assets?.has(own) ? assets.get(own) : own;
}

/** The market, or the reason why the pair is skipped. */
function readTerms({ terms }: NamedPair): MarketTerms | string {
  try {
    return terms();
  } catch (error) {
    if (error instanceof UpstreamError) return error.message;
    throw error;
  }
}

/** Whether a pair becomes a market. */
export function isChosen(symbol: MarketSymbol, quote: CurrencyCode, { quotes, symbols }: ListingChoice): boolean {
  return quotes.includes(quote) && (symbols === 'all' || symbols.includes(symbol));
}

export interface PairNames {
  readonly symbol: MarketSymbol;
  /** In REST requests and answers, for example `XXBTZEUR`. */
  readonly id: string;
  /** On the live connection, for example `BTC/EUR`. */
  readonly liveName: string;
}

/** More pairs than any exchange lists: beyond it those go that have been missing for longest. */
const pairsMax = 50_000;

/**
 * The names of the pairs listed since the start. One missing from a catalogue keeps them: the market's lifecycle
 * decides when it is delisted.
 */
export class PairDirectory {
  readonly bySymbol = new Map<MarketSymbol, PairNames>();
  readonly byId = new Map<string, PairNames>();
  readonly byLiveName = new Map<string, PairNames>();

  add(pairs: readonly PairNames[]): void {
    for (const pair of pairs) {
      const before = this.bySymbol.get(pair.symbol);
      // The names of a pair whose place another one took would still bring its prices.
      if (before !== undefined && this.byId.get(before.id) === before) this.byId.delete(before.id);
      if (before !== undefined && this.byLiveName.get(before.liveName) === before)
        this.byLiveName.delete(before.liveName);
      // To the end, so that those missing for longest come first.
      this.bySymbol.delete(pair.symbol);
      this.bySymbol.set(pair.symbol, pair);
      this.byId.set(pair.id, pair);
      this.byLiveName.set(pair.liveName, pair);
    }
    this.#forget(this.bySymbol.size - Math.max(pairsMax, pairs.length));
  }

  #forget(surplus: number): void {
    for (const pair of this.bySymbol.values().take(Math.max(0, surplus))) {
      this.bySymbol.delete(pair.symbol);
      if (this.byId.get(pair.id) === pair) this.byId.delete(pair.id);
      if (this.byLiveName.get(pair.liveName) === pair) this.byLiveName.delete(pair.liveName);
    }
  }
}

/** The smallest step of a price or an amount. */
export interface Step {
  /** In its shortest plain form. */
  readonly size: DecimalString;
  /** Its decimal places, 0 to 18. */
  readonly places: number;
}

/** The most decimal places of a price or an amount. */
export const placesMax = 18;

/** Reads a step such as `0.01000000`; `undefined` unless it is a decimal above zero with at most 18 places. */
export function asStep(value: unknown): Step | undefined {
  const positive = asPositive(value);
  if (positive === undefined) return undefined;
  const size = shortest(positive);
  const point = size.indexOf('.');
  const places = point === -1 ? 0 : size.length - point - 1;
  return places > placesMax ? undefined : { size, places };
}

/**
 * A count of decimal places, 0 to 18, that a market needs. Throws `UpstreamError` with the reason for skipping the
 * pair.
 */
export function requirePlaces(entry: WireObject, member: string): number {
  return required(asCount(entry[member], placesMax), `${member} is missing or out of range`);
}

/** A decimal above zero that a market needs. Throws `UpstreamError` with the reason for skipping the pair. */
export function requirePositive(entry: WireObject, member: string): DecimalString {
  return required(asPositive(entry[member]), `${member} is missing or not a positive decimal`);
}

/** A step or a smallest size that a market needs. Throws `UpstreamError` with the reason for skipping the pair. */
export function requireStep(entry: WireObject, member: string): Step {
  return required(asStep(entry[member]), `${member} is missing or not a positive decimal`);
}
