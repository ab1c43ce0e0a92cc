import { hash } from 'node:crypto';
import type { EpochMs } from '../ground/clock.ts';
import { isSuddenGrowth } from '../ground/loss-hold.ts';
import type { CurrencyCode, MarketSymbol } from './symbol.ts';
import type { CatalogueGaps, ListedMarket } from './upstream.ts';

/**
 * Why markets of a source's list wait: it lists many new ones at once, more than `markets.max`, lacks too much to be
 * believed, or has lacked so many for so long that only the operator delists them.
 */
export const pendingReasons = ['growth', 'over_maximum', 'incomplete', 'loss'] as const;
export type PendingReason = (typeof pendingReasons)[number];

/** Markets of one source's list that wait. Plain data. */
export interface PendingMarkets {
  /** Names these markets of this source: another id is of others. */
  readonly id: string;
  readonly source: string;
  readonly reason: PendingReason;
  readonly since: EpochMs;
  /** How many they are. */
  readonly count: number;
  /** All of them in the process that loads the list, in its order; elsewhere the first. */
  readonly symbols: readonly MarketSymbol[];
}

/** State of the review of one source's list, for a restart and for the processes that follow. Plain data. */
export interface ReviewState {
  readonly source: string;
  /** The quote currencies of which its list was loaded. */
  readonly quotes: readonly CurrencyCode[];
  readonly pending: readonly PendingMarkets[];
}

/** Decisions of the operator on one source's list. */
export interface ListDecision {
  readonly source: string;
  /** New ones to offer, however many they are at once. */
  readonly accepted: readonly MarketSymbol[];
  /** New ones never to offer. */
  readonly rejected: readonly MarketSymbol[];
  /** Ones that are not delisted for what the list lacked until `keptAt`. */
  readonly kept: readonly MarketSymbol[];
  readonly keptAt: EpochMs;
}

/** One load of a source's list. */
export interface LoadedList {
  readonly source: string;
  readonly markets: readonly ListedMarket[];
  readonly gaps: CatalogueGaps;
  readonly at: EpochMs;
}

/** The markets known of the source before. */
export interface KnownMarkets {
  has(symbol: MarketSymbol): boolean;
  /** How many of them are not delisted. */
  readonly openCount: number;
}

/** The bounds of a list. */
export interface ListBounds {
  /** The quote currencies that are offered. */
  readonly quotes: ReadonlySet<CurrencyCode>;
  /** The operator named the markets one by one, so that no growth is the exchange's. */
  readonly isNamed: boolean;
  /** How many markets a source lists at most. */
  readonly marketsMax: number;
}

/** The names that processes which follow are told of what waits. */
const namesMax = 20;

const none: ReadonlySet<MarketSymbol> = new Set();

const idLength = 12;

/** Makes them, with their id. */
export function pendingOf(source: string, reason: PendingReason, since: EpochMs, symbols: readonly MarketSymbol[]) {
  const id = hash('sha256', [source, reason, ...symbols.toSorted()].join(' ')).slice(0, idLength);
  return { id, source, reason, since, count: symbols.length, symbols };
}

/** Judges the loads of one source's list. */
class ListReview {
  readonly #source: string;
  /** Quote currencies of which a complete list was loaded before: more of them is growth. */
  readonly #quotes = new Set<CurrencyCode>();
  readonly #pending = new Map<PendingReason, PendingMarkets>();
  #accepted = none;
  #rejected = none;
  #kept = none;
  #keptAt = 0;
  /** A digest of the names in the latest load, if that was complete. */
  #names: string | undefined;

  constructor(source: string) {
    this.#source = source;
  }

  get state(): ReviewState {
    const pending = this.pending.map((each) => ({ ...each, symbols: each.symbols.slice(0, namesMax) }));
    return { source: this.#source, quotes: [...this.#quotes], pending };
  }

  get pending(): readonly PendingMarkets[] {
    return [...this.#pending.values()];
  }

  restore({ quotes, pending }: Pick<ReviewState, 'quotes' | 'pending'>): void {
    for (const quote of quotes) this.#quotes.add(quote);
    this.#pending.clear();
    for (const each of pending) this.#pending.set(each.reason, each);
  }

  /** Returns whether something that waited is to be offered, which the next load does. */
  decide({ accepted, rejected, kept, keptAt }: ListDecision): boolean {
    this.#accepted = new Set(accepted);
    this.#rejected = new Set(rejected);
    this.#kept = new Set(kept);
    this.#keptAt = keptAt;
    const waited = this.pending.flatMap(({ symbols }) => symbols);
    // Of what another process told, not all names are known here: that one tells what is left.
    for (const { reason, symbols, since } of this.pending.filter((each) => each.count === each.symbols.length)) {
      const isSettled = (symbol: MarketSymbol) =>
        this.#rejected.has(symbol) || (reason === 'growth' && this.#accepted.has(symbol));
      if (reason !== 'incomplete')
        this.#set(
          reason,
          symbols.filter((each) => !isSettled(each)),
          since,
        );
    }
    return waited.some((symbol) => this.#accepted.has(symbol));
  }

  keeps(symbol: MarketSymbol, missingSince: EpochMs): boolean {
    return missingSince <= this.#keptAt && this.#kept.has(symbol);
  }

  judge({ markets, gaps, at }: LoadedList, known: KnownMarkets, { quotes, isNamed, marketsMax }: ListBounds) {
    const isRepeated = this.#isRepeated(markets, gaps);
    const added = markets.filter(({ symbol }) => !known.has(symbol));
    const offered = added.filter(({ symbol }) => !this.#rejected.has(symbol));
    const growth = isNamed ? [] : symbolsOf(offered.filter((each) => this.#isGrowth(each)));
    const room = Math.max(0, marketsMax - known.openCount);
    // More than there is room for is no growth, but too many.
    const isSudden = isSuddenGrowth(Math.min(growth.length, room), known.openCount);
    const isHeld = this.#holdGrowth(growth, isSudden, isRepeated || room === 0, at);
    const waits = isHeld ? new Set(growth) : none;
    const surplus = symbolsOf(offered)
      .filter((symbol) => !waits.has(symbol))
      .slice(room);
    this.#set('over_maximum', surplus, at);
    if (gaps.isComplete) for (const quote of quotes) this.#quotes.add(quote);
    const isRejected = (symbol: MarketSymbol) => this.#rejected.has(symbol);
    const withheld = new Set([...waits, ...surplus, ...symbolsOf(added).filter(isRejected)]);
    return { taken: markets.filter(({ symbol }) => !withheld.has(symbol)), withheld, isRepeated };
  }

  /** @param missed the open markets that a load lacks */
  judged(missed: readonly MarketSymbol[], isEvidence: boolean, at: EpochMs): void {
    this.#set('incomplete', isEvidence ? [] : missed, at);
  }

  #isGrowth({ symbol, quote }: ListedMarket): boolean {
    return this.#quotes.has(quote) && !this.#accepted.has(symbol);
  }

  /**
   * Returns whether new markets wait. Growth that waits makes everything new of that source wait, until two equal
   * loads in a row show that no more than usual is new.
   *
   * @param isOver whether a growth that is not sudden ends the wait
   */
  #holdGrowth(growth: readonly MarketSymbol[], isSudden: boolean, isOver: boolean, at: EpochMs): boolean {
    const isHeld = isSudden || (this.#pending.has('growth') && !isOver);
    if (!isHeld) this.#pending.delete('growth');
    else if (growth.length > 0) this.#set('growth', growth, at);
    return isHeld;
  }

  #set(reason: PendingReason, symbols: readonly MarketSymbol[], at: EpochMs): void {
    const since = this.#pending.get(reason)?.since ?? at;
    if (symbols.length === 0) this.#pending.delete(reason);
    else this.#pending.set(reason, pendingOf(this.#source, reason, since, symbols));
  }

  /** A complete load that names the same markets as the one before, which was complete too. */
  #isRepeated(markets: readonly ListedMarket[], { skipped, isComplete }: CatalogueGaps): boolean {
    const names = [...markets, ...skipped].map(({ symbol }) => symbol).sort();
    const digest = isComplete ? hash('sha256', names.join(' ')) : undefined;
    const isRepeated = digest !== undefined && digest === this.#names;
    this.#names = digest;
    return isRepeated;
  }
}

/**
 * Judges what sources list: a sudden growth waits for the operator, and so does what is above the maximum. Known
 * markets go on. The first list of a quote currency is no growth.
 */
export class CatalogueReviews {
  readonly #bounds: ListBounds;
  readonly #reviews = new Map<string, ListReview>();
  #decisions: readonly ListDecision[] = [];
  /** Called when a source's list is to be loaded again, because something in it that waited is to be offered. */
  onAccepted: (source: string) => void = () => {};

  constructor(bounds: ListBounds) {
    this.#bounds = bounds;
  }

  /** Gives all that waits, by source. */
  get pending(): readonly PendingMarkets[] {
    return [...this.#reviews.values()].flatMap(({ pending }) => pending);
  }

  /** Gives what a restart and other processes need. */
  states(): readonly ReviewState[] {
    return [...this.#reviews.values()].map(({ state }) => state);
  }

  restore(states: readonly ReviewState[]): void {
    for (const state of states) this.#of(state.source).restore(state);
  }

  /** The sources that are left. */
  keepOnly(sources: readonly string[]): void {
    for (const source of this.#reviews.keys()) if (!sources.includes(source)) this.#reviews.delete(source);
  }

  /** Applies everything that the operator has decided, before or now. */
  decide(decisions: readonly ListDecision[]): void {
    this.#decisions = decisions;
    for (const decision of decisions) {
      const isAccepted = this.#reviews.get(decision.source)?.decide(decision) === true;
      if (isAccepted) this.onAccepted(decision.source);
    }
  }

  /** Whether the operator decided that a market stays though its sources have not listed it since then. */
  keeps(symbol: MarketSymbol, missingSince: EpochMs): boolean {
    return this.#reviews.values().some((review) => review.keeps(symbol, missingSince));
  }

  /**
   * Judges one load, before it is taken.
   *
   * @returns the markets to take, those to leave out, and whether it is complete and equal to the one before
   */
  judge(list: LoadedList, known: KnownMarkets) {
    return this.#of(list.source).judge(list, known, this.#bounds);
  }

  /**
   * Notes what a load lacked.
   *
   * @param missed open markets
   * @param isEvidence whether it is believed
   */
  judged(
    { source, at }: Pick<LoadedList, 'source' | 'at'>,
    missed: readonly MarketSymbol[],
    isEvidence: boolean,
  ): void {
    this.#of(source).judged(missed, isEvidence, at);
  }

  #of(source: string): ListReview {
    return this.#reviews.getOrInsertComputed(source, () => {
      const review = new ListReview(source);
      const decision = this.#decisions.find((each) => each.source === source);
      if (decision !== undefined) review.decide(decision);
      return review;
    });
  }
}

function symbolsOf(markets: readonly ListedMarket[]): MarketSymbol[] {
  return markets.map(({ symbol }) => symbol);
}
