import type { EpochMs } from '../ground/clock.ts';
import type { MetricGroup } from '../ground/metric.ts';
import type { UnpricedReason } from '../market/client-ticker.ts';
import type { Markets, MarketsObserver } from '../market/markets.ts';
import { type MarketSymbol, parseSymbol } from '../market/symbol.ts';
import { FragmentList } from './fragment-list.ts';
import { marketFragment, tickerFragment } from './fragments.ts';
import { type Page, VersionedPage } from './page.ts';

/** One market's ticker page, or why there is none. */
export type TickerReading =
  | { readonly kind: 'page'; readonly page: Page; readonly symbol: MarketSymbol }
  | { readonly kind: 'unpriced'; readonly reason: UnpricedReason }
  | { readonly kind: 'unknown_symbol' }
  /** No catalogue was ever loaded, so the symbols are unknown. */
  | { readonly kind: 'not_loaded' }
  | { readonly kind: 'malformed_symbol' };

interface Slot {
  readonly symbol: MarketSymbol;
  readonly pages: VersionedPage;
  /** Its position in the list. */
  index: number;
  fragment: string | undefined;
  unpriced: UnpricedReason | undefined;
}

/**
 * The published state as ready bodies. A change only marks what it touches; the next read renders the marked
 * fragments again and reuses the rest, so a burst of updates costs one rebuild and every read sees all earlier changes.
 */
export class Board implements MarketsObserver {
  readonly #markets: Markets;
  readonly #staleTickers = new Set<MarketSymbol>();
  readonly #marketsPages = new VersionedPage();
  readonly #tickersPages = new VersionedPage();
  #slots = new Map<MarketSymbol, Slot>();
  #list = new FragmentList('tickers', []);
  #slotsStale = true;
  /** `undefined`: to be rendered again. */
  #marketsPage: Page | undefined;
  #tickersPage: Page | undefined;
  #recheckAt = 0;
  #readAt = 0;

  constructor(markets: Markets) {
    this.#markets = markets;
    markets.observe(this);
  }

  tickerChanged(symbol: MarketSymbol): void {
    this.#staleTickers.add(symbol);
  }

  marketsChanged(): void {
    this.#slotsStale = true;
    this.#marketsPage = undefined;
  }

  /** `/v1/markets`; `undefined` when no catalogue was ever loaded. */
  markets(now: EpochMs): Page | undefined {
    this.#expire(now);
    if (!this.#markets.catalogue.everLoaded) return undefined;
    if (this.#marketsPage === undefined) {
      const fragments = this.#markets.catalogue.listed(now).map(marketFragment);
      this.#marketsPage = this.#marketsPages.with(`{"markets":[${fragments.join(',')}]}`);
    }
    return this.#marketsPage;
  }

  /** `/v1/tickers`; `undefined` when no market has a price. */
  tickers(now: EpochMs): Page | undefined {
    this.#expire(now);
    this.#refreshAll(now);
    if (this.#tickersPage === undefined) {
      const text = this.#list.text();
      if (text === undefined) return undefined;
      this.#tickersPage = this.#tickersPages.with(text, () => this.#list.prepare());
    }
    return this.#tickersPage;
  }

  /** `/v1/ticker` for a symbol as the client wrote it. */
  ticker(text: string, now: EpochMs): TickerReading {
    this.#expire(now);
    // Nearly every client writes the symbol in capitals, and then there is nothing to parse.
    const slot = this.#slots.get(text as MarketSymbol) ?? this.#slotOf(text);
    if ('kind' in slot) return slot;
    if (this.#staleTickers.delete(slot.symbol)) this.#refresh(slot, now);
    if (slot.fragment === undefined) {
      return slot.unpriced === undefined ? { kind: 'unknown_symbol' } : { kind: 'unpriced', reason: slot.unpriced };
    }
    return { kind: 'page', page: slot.pages.with(slot.fragment), symbol: slot.symbol };
  }

  /** The slot of a symbol in any case, or why there is none. */
  #slotOf(text: string): Slot | TickerReading {
    const symbol = parseSymbol(text);
    if (symbol === undefined) return { kind: 'malformed_symbol' };
    if (!this.#markets.catalogue.everLoaded) return { kind: 'not_loaded' };
    return this.#slots.get(symbol) ?? { kind: 'unknown_symbol' };
  }

  /** How many markets trade and have no price, by reason. For metrics and readiness. */
  unpriced(now: EpochMs): Map<UnpricedReason, number> {
    this.#expire(now);
    this.#refreshAll(now);
    const counts = new Map<UnpricedReason, number>();
    for (const { symbol, unpriced } of this.#slots.values()) {
      if (unpriced === undefined || this.#markets.catalogue.find(symbol)?.status !== 'trading') continue;
      counts.set(unpriced, (counts.get(unpriced) ?? 0) + 1);
    }
    return counts;
  }

  /** How many markets should have a price, by whether they have one: they trade, and nothing of them is withheld. */
  expected(now: EpochMs): Readonly<Record<'priced' | 'unpriced', number>> {
    this.#expire(now);
    this.#refreshAll(now);
    const counts = { priced: 0, unpriced: 0 };
    for (const { symbol, unpriced } of this.#slots.values()) {
      const market = this.#markets.catalogue.find(symbol);
      if (market?.status !== 'trading' || this.#markets.withheldFor(market).length > 0) continue;
      counts[unpriced === undefined ? 'priced' : 'unpriced']++;
    }
    return counts;
  }

  /**
   * Marks what changes by the clock alone: a rate expires, a delisted market leaves the list, or a clock set back
   * leaves times ahead of it.
   */
  #expire(now: EpochMs): void {
    const isSetBack = now < this.#readAt;
    this.#readAt = now;
    this.#markets.advance(now);
    if (this.#slotsStale) this.#rebuildSlots();
    else if (now < this.#recheckAt && !isSetBack) return;
    this.#recheckAt = this.#markets.nextChangeAt(now);
    this.#marketsPage = undefined;
    for (const symbol of this.#slots.keys()) this.#staleTickers.add(symbol);
  }

  #rebuildSlots(): void {
    const slots = new Map<MarketSymbol, Slot>();
    for (const { symbol } of this.#markets.catalogue.all()) {
      const slot = this.#slots.get(symbol) ?? this.#newSlot(symbol);
      slot.index = slots.size;
      slots.set(symbol, slot);
    }
    this.#slots = slots;
    this.#list = new FragmentList('tickers', [...slots.values()]);
    this.#slotsStale = false;
    this.#tickersPage = undefined;
  }

  #refreshAll(now: EpochMs): void {
    for (const symbol of this.#staleTickers) {
      const slot = this.#slots.get(symbol);
      if (slot !== undefined) this.#refresh(slot, now);
    }
    this.#staleTickers.clear();
  }

  #refresh(slot: Slot, now: EpochMs): void {
    this.#recheckAt = this.#markets.nextChangeAt(now);
    const verdict = this.#markets.pricer.price(slot.symbol, now);
    const fragment = verdict.kind === 'priced' ? tickerFragment(verdict.ticker) : undefined;
    slot.unpriced = verdict.kind === 'unpriced' ? verdict.reason : undefined;
    if (fragment === slot.fragment) return;
    slot.fragment = fragment;
    this.#list.changed(slot.index);
    this.#tickersPage = undefined;
  }

  #newSlot(symbol: MarketSymbol): Slot {
    return { symbol, pages: new VersionedPage(), index: 0, fragment: undefined, unpriced: undefined };
  }
}

export const boardMetrics: MetricGroup<{ readonly board: Board; readonly now: EpochMs }> = {
  title: 'Data',
  metrics: [
    {
      name: 'markets_without_price',
      help: 'Markets that trade and have no price now, by reason.',
      labels: ['reason'],
      read: ({ board, now }) => board.unpriced(now),
    },
    {
      name: 'markets_expected',
      help: 'Markets that should have a price, by whether they have one: they trade, and nothing of them is withheld.',
      labels: ['price'],
      read: ({ board, now }) => board.expected(now),
    },
  ],
};
