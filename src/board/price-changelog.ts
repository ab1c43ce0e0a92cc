import { randomBase62 } from '../ground/base62.ts';
import type { EpochMs, Randomness } from '../ground/clock.ts';
import type { Markets, MarketsObserver } from '../market/markets.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import type { Board } from './board.ts';
import type { Page } from './page.ts';

/**
 * The changes up to a version. Each price is JSON: `{"version":…,"ticker":…}`, the ticker in the bytes of `/v1/ticker`.
 */
export interface PriceUpdate {
  readonly version: string;
  /** These are all prices: what is not among them has none. */
  readonly isComplete: boolean;
  readonly prices: readonly string[];
  /** Markets that had a price and have none now. */
  readonly removed: readonly MarketSymbol[];
}

interface Entry {
  /** `undefined` while the market has no price. */
  readonly page: Page | undefined;
  readonly changedIn: number;
}

const epochLength = 10;

/**
 * The published prices of all markets with a number for each change, so that a reader who knows a number gets only what
 * changed since. It keeps the latest price of a market and no history: what a slow reader misses costs nothing.
 */
export class PriceChangelog implements MarketsObserver {
  readonly #markets: Markets;
  readonly #board: Board;
  /** Distinguishes the numbers of this process from those of others. */
  readonly #epoch: string;
  readonly #entries = new Map<MarketSymbol, Entry>();
  readonly #stale = new Set<MarketSymbol>();
  readonly #listeners = new Set<() => void>();
  #number = 0;
  #isAllStale = true;
  #recheckAt = 0;
  #readAt = 0;

  constructor(markets: Markets, board: Board, randomness: Randomness) {
    this.#markets = markets;
    this.#board = board;
    this.#epoch = randomBase62(epochLength, randomness);
    markets.observe(this);
  }

  tickerChanged(symbol: MarketSymbol): void {
    this.#stale.add(symbol);
    this.#notify();
  }

  marketsChanged(): void {
    this.#isAllStale = true;
    this.#notify();
  }

  /** Calls `listener` whenever prices may have changed. Returns a function that ends the subscription. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Takes in what has changed until now. */
  refresh(now: EpochMs): void {
    // Terms that begin now mark everything.
    this.#markets.advance(now);
    const isAll = this.#isAllStale || now >= this.#recheckAt || now < this.#readAt;
    this.#readAt = now;
    const symbols = isAll ? this.#everySymbol() : [...this.#stale];
    this.#stale.clear();
    this.#isAllStale = false;
    const next = this.#number + 1;
    for (const symbol of symbols) if (this.#take(symbol, next, now)) this.#number = next;
    if (isAll) this.#recheckAt = this.#markets.nextChangeAt(now);
  }

  /** Gives the changes since a version that an update named; everything where it was another process's. */
  since(version: string | undefined): PriceUpdate {
    const known = this.#numberOf(version);
    const prices: string[] = [];
    const removed: MarketSymbol[] = [];
    for (const [symbol, { page, changedIn }] of this.#entries) {
      if (known !== undefined && changedIn <= known) continue;
      if (page !== undefined) prices.push(priceText(page));
      else if (known !== undefined) removed.push(symbol);
    }
    return { version: `${this.#epoch}-${this.#number}`, isComplete: known === undefined, prices, removed };
  }

  #take(symbol: MarketSymbol, number: number, now: EpochMs): boolean {
    const reading = this.#board.ticker(symbol, now);
    const page = reading.kind === 'page' ? reading.page : undefined;
    const before = this.#entries.get(symbol)?.page;
    if (page === before || page?.entityTag('identity') === before?.entityTag('identity')) return false;
    this.#entries.set(symbol, { page, changedIn: number });
    return true;
  }

  #everySymbol(): Iterable<MarketSymbol> {
    const offered = [...this.#markets.catalogue.all()].map(({ symbol }) => symbol);
    return new Set([...this.#entries.keys(), ...offered]);
  }

  #numberOf(version: string | undefined): number | undefined {
    const [epoch, digits = ''] = version?.split('-') ?? [];
    const number = epoch === this.#epoch && /^\d{1,15}$/.test(digits) ? Number(digits) : undefined;
    return number !== undefined && number <= this.#number ? number : undefined;
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

function priceText(page: Page): string {
  const { body } = page.as('identity');
  return `{"version":${page.entityTag('identity')},"ticker":${typeof body === 'string' ? body : body.toString('latin1')}}`;
}
