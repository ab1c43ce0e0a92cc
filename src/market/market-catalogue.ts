import type { EpochMs } from '../ground/clock.ts';
import { lossesToHold, someMarkets } from '../ground/loss-hold.ts';
import { CatalogueReviews, type ReviewState } from './catalogue-review.ts';
import { absentForMs, afterOperator, combined, type Decision, isMissing, type Lifecycle } from './lifecycle.ts';
import { NeverTraded } from './never-traded.ts';
import { type OfferedMarket, offerConverted, offerExchange } from './offered-market.ts';
import { convertedPrecision, type PricingPolicy } from './pricing.ts';
import { type Listing, mergedListing, SourceListings } from './source-listings.ts';
import { oneSource, type SourceRules } from './source-lists.ts';
import { type CurrencyCode, type MarketSymbol, symbolOf } from './symbol.ts';
import type {
  CatalogueGaps,
  CatalogueReport,
  ListedMarket,
  MarketChange,
  UpstreamMarket,
  UpstreamMarketStatus,
} from './upstream.ts';

export type { OfferedMarket } from './offered-market.ts';

/** A market as it survives a restart. */
export interface MarketRecord extends Omit<UpstreamMarket, 'status'>, Lifecycle {
  /** The exchange market a converted one derives from; `undefined` for an exchange market. */
  readonly via: MarketSymbol | undefined;
}

/** The operator's decision about a market. */
export interface MarketControls extends Decision {
  readonly symbol: MarketSymbol;
}

/** Which of the upstream's markets are offered. */
export interface MarketSelection {
  readonly quotes: ReadonlySet<CurrencyCode>;
  readonly symbols: 'all' | ReadonlySet<MarketSymbol>;
  /** How many markets a source lists at most; any number when left out. */
  readonly marketsMax?: number;
}

/** Which source lists which markets. */
export type ListedBySource = readonly (readonly [source: string, symbols: readonly MarketSymbol[]])[];

/** The decimal places that are set for a converted market; `undefined` where none are. */
type PrecisionOf = (symbol: MarketSymbol, quote: CurrencyCode) => number | undefined;

const untouched: Decision = { operatorPaused: false, delistedAt: undefined };

/**
 * Which markets exist and in which state: the upstream's catalogue, the operator's decisions and the converted
 * markets. Every change rebuilds the client's view as a whole: changes are rare.
 */
export class MarketCatalogue {
  readonly #converted: PricingPolicy['converted'];
  readonly #precisionOf: PrecisionOf;
  readonly #selection: MarketSelection;
  /** Judges the lists of sources, and holds what waits of them. */
  readonly reviews: CatalogueReviews;
  #lists: Pick<SourceRules, 'ids' | 'lists'>;
  readonly #listings = new Map<string, SourceListings>();
  /** The exchange markets, each merged from what its sources list. */
  readonly #exchange = new Map<MarketSymbol, Listing>();
  readonly #decisions = new Map<MarketSymbol, Decision>();
  readonly #neverTraded = new NeverTraded();
  #offered: ReadonlyMap<MarketSymbol, OfferedMarket> = new Map();
  #pricedFrom: ReadonlyMap<MarketSymbol, readonly MarketSymbol[]> = new Map();
  #removals: readonly EpochMs[] = [];

  /** @param precisionOf asked again at each rebuild; see `precisionsChanged` */
  constructor(
    { converted, pricePrecision }: Pick<PricingPolicy, 'converted' | 'pricePrecision'>,
    selection: MarketSelection,
    precisionOf: PrecisionOf = (symbol) => pricePrecision.get(symbol),
    lists: Pick<SourceRules, 'ids' | 'lists'> = oneSource,
  ) {
    this.#converted = converted;
    this.#precisionOf = precisionOf;
    this.#selection = selection;
    const { quotes, symbols, marketsMax = Number.POSITIVE_INFINITY } = selection;
    this.reviews = new CatalogueReviews({ quotes, isNamed: symbols !== 'all', marketsMax });
    this.#lists = lists;
    for (const id of lists.ids) this.#listings.set(id, new SourceListings());
  }

  /**
   * Takes other sources, or another order. A market that no source of its list has is held against the first, so that
   * it can go missing.
   */
  replaceSources(lists: Pick<SourceRules, 'ids' | 'lists'>): void {
    this.#lists = lists;
    this.reviews.keepOnly(lists.ids);
    for (const id of this.#listings.keys()) if (!lists.ids.includes(id)) this.#listings.delete(id);
    for (const id of lists.ids) if (!this.#listings.has(id)) this.#listings.set(id, new SourceListings());
    for (const [symbol, { market, absence }] of this.#exchange) {
      const list = this.#listOf(symbol);
      if (!list.some((id) => this.#of(id).find(symbol) !== undefined)) this.#of(list[0]!).set(market, absence);
      this.#merge(symbol);
    }
    this.rebuild();
  }

  /** False until a catalogue was loaded, now or before a restart. */
  get everLoaded(): boolean {
    return this.#exchange.size > 0;
  }

  /**
   * Takes over records from before a restart or of another process. Ignores markets outside the selection, and keeps
   * the operator's decisions about markets known here: the other side may know less.
   *
   * @param listed which source listed what; the first one listed what is not there
   * @param reviews of what each source listed; without them, all that is offered was
   * @param forgotten those of another process, see `forgotten`
   */
  restore(
    records: readonly MarketRecord[],
    listed: ListedBySource = [],
    reviews?: readonly ReviewState[],
    forgotten: readonly MarketSymbol[] = [],
  ): void {
    for (const record of records) {
      const { via, upstreamStatus: status, absence, operatorPaused, delistedAt, ...facts } = record;
      const { symbol } = facts;
      if (via === undefined && !this.#isSelected(record)) continue;
      const known = this.#decisions.get(symbol) ?? { operatorPaused, delistedAt };
      this.#decisions.set(symbol, afterOperator(known, { operatorPaused: known.operatorPaused, delistedAt }));
      if (via === undefined) this.#exchange.set(symbol, { market: { ...facts, status }, absence });
      else this.#exchange.delete(symbol);
    }
    this.#restoreListings(listed);
    const quotes = [...this.#selection.quotes];
    const loaded = listed.filter(([, symbols]) => symbols.length > 0);
    this.reviews.restore(reviews ?? loaded.map(([source]) => ({ source, quotes, pending: [] })));
    this.#neverTraded.restored(records);
    for (const symbol of forgotten) this.#forget(symbol, [...this.#listings.keys()]);
    this.rebuild();
  }

  /**
   * A successful load of one source's catalogue. A market is missing only while every source of its list lacks it, and
   * its precision, tick and minimums are those of the first that lists it, wherever its price comes from.
   *
   * @param hadPrice whether a market ever had a price, as far as that is known
   */
  load(
    listings: readonly ListedMarket[],
    at: EpochMs,
    gaps: CatalogueGaps = { skipped: [], isComplete: true },
    source = this.#lists.ids[0]!,
    hadPrice: (symbol: MarketSymbol) => boolean = () => true,
  ): CatalogueReport {
    const own = this.#of(source);
    const chosen = listings.filter((market) => this.#isSelected(market));
    for (const symbol of this.#neverTraded.loaded(chosen, hadPrice)) this.#forget(symbol, [source]);
    const isKnown = (symbol: MarketSymbol) => own.find(symbol) !== undefined;
    const list = { source, markets: own.offered(chosen), gaps, at };
    const openCount = [...own.symbols].filter((symbol) => this.#isOpen(symbol)).length;
    const judged = this.reviews.judge(list, { has: isKnown, openCount });
    const loaded = { ...gaps, markets: judged.taken, isRepeated: judged.isRepeated };
    const { missed, isEvidence } = own.load(loaded, at, (symbol) => this.#isOpen(symbol));
    this.reviews.judged(list, missed, isEvidence);
    for (const { symbol } of judged.taken) this.#merge(symbol);
    for (const symbol of isEvidence ? missed : []) this.#merge(symbol);
    this.rebuild();
    return {
      isEvidence,
      withheld: judged.withheld,
      lacking: missed.length,
      delisted: [...this.#exchange.keys()].filter((symbol) => !this.#isOpen(symbol)),
    };
  }

  /**
   * The market sent a ticker, so the source has it whatever its catalogue says. Returns whether that changes
   * anything.
   */
  ticked(symbol: MarketSymbol, source = this.#lists.ids[0]!): boolean {
    if (!this.#of(source).ticked(symbol) || !this.#isOpen(symbol)) return false;
    this.#merge(symbol);
    this.rebuild();
    return true;
  }

  /** Gives a market's status at a source; `undefined` where it does not list it. */
  statusAt(source: string, symbol: MarketSymbol): UpstreamMarketStatus | undefined {
    return this.#of(source).statusOf(symbol);
  }

  /** Whether a source's catalogue is known; until then it may list any market. */
  isLoaded(source: string): boolean {
    return !this.#of(source).isEmpty;
  }

  /** The sources that trade none of the markets they list. */
  haltedSources(): ReadonlySet<string> {
    return new Set(this.#lists.ids.filter((id) => this.#of(id).isHalted));
  }

  /** Gives what each source lists, for a restart. */
  listedBySource(): ListedBySource {
    return this.#lists.ids.map((id) => [id, [...this.#of(id).symbols]]);
  }

  /**
   * Finds what the upstream's catalogue lacks or lists as ended: the markets of which two loads in a row say so, and
   * those of them that have been missing for long enough to be delisted. Held back while more than a tenth of all
   * markets are missing: that is rather a fault of the upstream, so that only the operator delists.
   *
   * @param delistAfterMs how long a market has to be missing to be due
   */
  absences(delistAfterMs: number) {
    const open = [...this.#exchange.values()].filter((listing) => this.#isOpen(symbolIn(listing)));
    const missing = open.filter((listing) => isMissing(listing) && !this.#isReplaced(listing));
    const isKept = (listing: Listing) => this.reviews.keeps(symbolIn(listing), listing.absence!.since);
    const due = missing.filter((listing) => absentForMs(listing) >= delistAfterMs && !isKept(listing));
    const isHeldBack = due.length > 0 && lossesToHold(missing, open.length, new Set(), someMarkets).length > 0;
    return { missing: missing.map(symbolIn), due: due.map(symbolIn), isHeldBack };
  }

  /**
   * Gives the markets of former records that are none any more: all that was ever known of them is that they are
   * listed as ended.
   */
  get forgotten(): ReadonlySet<MarketSymbol> {
    return this.#neverTraded.forgotten;
  }

  /** Takes what a source announced of a market. */
  change(symbol: MarketSymbol, change: MarketChange, source = this.#lists.ids[0]!): void {
    if (!this.#of(source).change(symbol, change)) return;
    this.#merge(symbol);
    this.rebuild();
  }

  applyControls(controls: readonly MarketControls[]): void {
    for (const { symbol, operatorPaused, delistedAt } of controls) {
      this.#decisions.set(symbol, afterOperator(this.#decisionOn(symbol), { operatorPaused, delistedAt }));
    }
    this.rebuild();
  }

  /** The decimal places of a market where none are set. */
  usualPrecision({ isConverted, exchangeSymbol, pricePrecision }: OfferedMarket): number {
    const exchange = isConverted ? this.find(exchangeSymbol) : undefined;
    return exchange === undefined ? pricePrecision : convertedPrecision(exchange.pricePrecision);
  }

  find(symbol: MarketSymbol): OfferedMarket | undefined {
    return this.#offered.get(symbol);
  }

  /** Every market ever offered, ordered by symbol; long delisted ones included. */
  all(): Iterable<OfferedMarket> {
    return this.#offered.values();
  }

  /** The markets that clients see at `now`, ordered by symbol. */
  listed(now: EpochMs): OfferedMarket[] {
    return [...this.#offered.values()].filter((market) => market.listedUntil === undefined || now < market.listedUntil);
  }

  /** The first instant after `now` at which a delisted market leaves the list; `undefined` when none will. */
  nextRemovalAt(now: EpochMs): EpochMs | undefined {
    return this.#removals.find((instant) => instant > now);
  }

  /** The symbols priced by this exchange market: its own and those converted from it. */
  pricedFrom(exchangeSymbol: MarketSymbol): readonly MarketSymbol[] {
    return this.#pricedFrom.get(exchangeSymbol) ?? [];
  }

  /** Gives what to persist, converted markets included. */
  records(): MarketRecord[] {
    return [...this.#offered.values()].map((offered) => {
      const { status: _status, exchangeSymbol, isConverted, listedUntil: _listedUntil, ...facts } = offered;
      const { market, absence } = this.#exchange.get(exchangeSymbol)!;
      return {
        ...facts,
        upstreamStatus: market.status,
        ...this.#decisionOn(offered.symbol),
        absence: isConverted ? undefined : absence,
        via: isConverted ? exchangeSymbol : undefined,
      };
    });
  }

  #of(source: string): SourceListings {
    return this.#listings.get(source)!;
  }

  #listOf(symbol: MarketSymbol): readonly string[] {
    return this.#lists.lists.get(symbol) ?? this.#lists.ids;
  }

  #isOpen(symbol: MarketSymbol): boolean {
    return this.#decisionOn(symbol).delistedAt === undefined;
  }

  /** A record that no configured source listed is held against the first one of its list, so that it can go missing. */
  #restoreListings(listed: ListedBySource): void {
    const known = new Map(listed.map(([source, symbols]) => [source, new Set(symbols)]));
    for (const [symbol, { market, absence }] of this.#exchange) {
      const list = this.#listOf(symbol);
      const own = list.filter((source) => known.get(source)?.has(symbol) === true);
      for (const source of own.length > 0 ? own : list.slice(0, 1)) this.#of(source).set(market, absence);
    }
  }

  /** @param sources where it is no market; without any other it is none at all */
  #forget(symbol: MarketSymbol, sources: readonly string[]): void {
    for (const source of sources) this.#of(source).forget(symbol);
    if (this.#listOf(symbol).some((source) => this.#of(source).find(symbol) !== undefined)) return;
    this.#exchange.delete(symbol);
    this.#neverTraded.forget(symbol);
  }

  /** Makes one market of what its sources list. */
  #merge(symbol: MarketSymbol): void {
    const merged = mergedListing(this.#listOf(symbol).flatMap((source) => this.#of(source).find(symbol) ?? []));
    if (merged !== undefined) this.#exchange.set(symbol, merged);
  }

  #decisionOn(symbol: MarketSymbol): Decision {
    return this.#decisions.get(symbol) ?? untouched;
  }

  #lifecycleOf({ market, absence }: Listing): Lifecycle {
    return { upstreamStatus: market.status, absence, ...this.#decisionOn(market.symbol) };
  }

  #isSelected({ symbol, quote }: Pick<UpstreamMarket, 'symbol' | 'quote'>): boolean {
    const { quotes, symbols } = this.#selection;
    return quotes.has(quote) && (symbols === 'all' || symbols.has(symbol));
  }

  /** Makes what clients see. Other precisions may hold for converted markets. */
  rebuild(): void {
    const offered: OfferedMarket[] = [];
    for (const listing of this.#exchange.values()) {
      if (!this.#isReplaced(listing)) offered.push(offerExchange(listing.market, this.#lifecycleOf(listing)));
      offered.push(...this.#offerConverted(listing));
    }
    offered.sort((a, b) => (a.symbol < b.symbol ? -1 : 1));
    const pricedFrom = new Map<MarketSymbol, MarketSymbol[]>();
    for (const { symbol, exchangeSymbol } of offered)
      pricedFrom.getOrInsertComputed(exchangeSymbol, () => []).push(symbol);
    this.#offered = new Map(offered.map((market) => [market.symbol, market]));
    this.#pricedFrom = pricedFrom;
    const removals = offered.map((market) => market.listedUntil).filter((instant) => instant !== undefined);
    this.#removals = removals.sort((a, b) => a - b);
  }

  /** A source quotes it itself, which comes before converting. */
  #isDirect(symbol: MarketSymbol): boolean {
    const listing = this.#exchange.get(symbol);
    return listing !== undefined && !this.#isReplaced(listing);
  }

  /** No source quotes it any more, but it can be converted again. */
  #isReplaced(listing: Listing): boolean {
    const { symbol, base, quote } = listing.market;
    const converted = this.#converted.get(quote);
    if (converted === undefined || !isMissing(listing) || !this.#isOpen(symbol)) return false;
    const origin = symbolOf(base, converted.via);
    return this.#exchange.has(origin) && this.#isOpen(origin);
  }

  #offerConverted(listing: Listing): OfferedMarket[] {
    const { market } = listing;
    const markets: OfferedMarket[] = [];
    for (const [quote, { via }] of this.#converted) {
      const symbol = symbolOf(market.base, quote);
      if (market.quote !== via || market.base === quote || this.#isDirect(symbol)) continue;
      const lifecycle = combined(this.#lifecycleOf(listing), this.#decisionOn(symbol));
      const pricePrecision = this.#precisionOf(symbol, quote) ?? convertedPrecision(market.pricePrecision);
      markets.push(offerConverted(market, lifecycle, { symbol, quote, pricePrecision }));
    }
    return markets;
  }
}

function symbolIn({ market }: Listing): MarketSymbol {
  return market.symbol;
}
