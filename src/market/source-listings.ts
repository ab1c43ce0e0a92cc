import type { EpochMs } from '../ground/clock.ts';
import { type Absence, absentForMs, isMissing, longerAbsence } from './lifecycle.ts';
import type { MarketSymbol } from './symbol.ts';
import type { CatalogueGaps, ListedMarket, MarketChange, UpstreamMarket, UpstreamMarketStatus } from './upstream.ts';

/** A market as one source lists it, or listed it last. */
export interface Listing {
  readonly market: UpstreamMarket;
  readonly absence: Absence | undefined;
}

/** One load of a source's catalogue, as far as it is taken. */
interface Load extends CatalogueGaps {
  readonly markets: readonly ListedMarket[];
  /** It names what the one before named, and both were complete. */
  readonly isRepeated: boolean;
}

/** The catalogue of one source. */
export class SourceListings {
  readonly #listings = new Map<MarketSymbol, Listing>();
  /** Symbols of the last load that had ended when they were first seen, and have not traded since. */
  #endedFirst: ReadonlySet<MarketSymbol> = new Set();

  /** Markets that it lists, and those that it lacks now. */
  get symbols(): Iterable<MarketSymbol> {
    return this.#listings.keys();
  }

  /** Nothing was ever loaded. */
  get isEmpty(): boolean {
    return this.#listings.size === 0;
  }

  find(symbol: MarketSymbol): Listing | undefined {
    return this.#listings.get(symbol);
  }

  /** It lists markets, and trades none of them. */
  get isHalted(): boolean {
    return this.#listings.size > 0 && this.#listings.values().every(({ market }) => market.status !== 'trading');
  }

  /** Gives a market's status; `undefined` where it was never listed, and once two loads in a row lack it. */
  statusOf(symbol: MarketSymbol): UpstreamMarketStatus | undefined {
    const listing = this.#listings.get(symbol);
    return listing === undefined || isMissing(listing) ? undefined : listing.market.status;
  }

  set(market: UpstreamMarket, absence: Absence | undefined): void {
    this.#listings.set(market.symbol, { market, absence });
  }

  /** The market was never one of this source. */
  forget(symbol: MarketSymbol): void {
    this.#listings.delete(symbol);
  }

  /**
   * Leaves out of a load what had ended when it was first seen, until it trades: it was never a market of this source,
   * also where the exchange calls all of its markets paused, as in maintenance.
   */
  offered(markets: readonly ListedMarket[]): readonly ListedMarket[] {
    const isStillNone = ({ symbol, status }: ListedMarket) =>
      status === 'ended' || (status === 'paused' && this.#endedFirst.has(symbol));
    const none = markets.filter((market) => !this.#listings.has(market.symbol) && isStillNone(market));
    this.#endedFirst = new Set(none.map(({ symbol }) => symbol));
    return markets.filter(({ symbol }) => !this.#endedFirst.has(symbol));
  }

  /**
   * A load. What it lacks is missing only if it is complete, and lists half of the known markets or more or was equal
   * to the one before; an empty one is no evidence of anything. A market that it lists as ended is absent from the
   * first load on, and one that was never listed otherwise is none.
   *
   * @param isOpen whether a market is not delisted
   * @returns the open markets it lacks, and whether that is evidence
   */
  load(
    { markets, skipped, isComplete, isRepeated }: Load,
    at: EpochMs,
    isOpen: (symbol: MarketSymbol) => boolean,
  ): { readonly missed: readonly MarketSymbol[]; readonly isEvidence: boolean } {
    const seen = new Set([...markets, ...skipped].map(({ symbol }) => symbol));
    const open = [...this.#listings.keys()].filter(isOpen);
    const missed = open.filter((symbol) => !seen.has(symbol));
    const isEvidence = markets.length > 0 && isComplete && (isRepeated || missed.length * 2 <= open.length);
    for (const market of markets) {
      const { symbol, status } = market;
      const known = this.#listings.get(symbol);
      if (status !== 'ended') this.set({ ...market, status }, undefined);
      else if (known !== undefined && isOpen(symbol))
        this.set({ ...known.market, status: 'paused' }, isEvidence ? longerAbsence(known.absence, at) : known.absence);
    }
    for (const symbol of isEvidence ? missed : []) {
      const { market, absence } = this.#listings.get(symbol)!;
      this.set(market, longerAbsence(absence, at));
    }
    return { missed, isEvidence };
  }

  /**
   * The source sent a ticker of it, so it has it, whatever its catalogue says. Returns whether that changes anything.
   */
  ticked(symbol: MarketSymbol): boolean {
    const listing = this.#listings.get(symbol);
    if (listing?.absence === undefined) return false;
    this.set(listing.market, undefined);
    return true;
  }

  /** Returns whether that changes anything. */
  change(symbol: MarketSymbol, change: MarketChange): boolean {
    const listing = this.#listings.get(symbol);
    if (listing === undefined) return false;
    const { market, absence } = listing;
    const names = Object.keys(change) as (keyof MarketChange)[];
    if (names.every((name) => change[name] === market[name])) return false;
    this.set({ ...market, ...change }, absence);
    return true;
  }
}

/**
 * One market of what its sources list: the first one’s precision, tick and minimums; trading where one of them trades
 * it; absent only while all of them lack it.
 *
 * @param listings of its sources, in order of preference
 */
export function mergedListing(listings: readonly Listing[]): Listing | undefined {
  const [first] = listings;
  if (first === undefined) return undefined;
  const { market } = first;
  const there = listings.filter((listing) => !isMissing(listing));
  const isTrading = there.some((listing) => listing.market.status === 'trading');
  const status = there.length === 0 ? market.status : isTrading ? 'trading' : 'paused';
  return { market: { ...market, status }, absence: shortestAbsence(listings) };
}

function shortestAbsence(listings: readonly Listing[]): Absence | undefined {
  const absences = listings.map(({ absence }) => absence);
  return absences.reduce((shortest, absence) => {
    if (shortest === undefined || absence === undefined) return undefined;
    return absentForMs({ absence }) < absentForMs({ absence: shortest }) ? absence : shortest;
  });
}
