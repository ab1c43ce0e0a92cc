import type { DecimalString } from '../market/decimal.ts';
import { toBig } from '../market/decimal.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import type { RejectionReason, UpstreamTicker } from '../market/upstream.ts';
import type { FeedTiming } from './timing.ts';

interface Entry {
  subscription: 'none' | 'asked' | 'accepted' | 'rejected';
  rejectedAtMs: number;
  /** Live data came over the current connection. */
  fresh: boolean;
  /** The last live ticker, of any connection. */
  live: UpstreamTicker | undefined;
  /** When live data last came, or a poll last agreed with it. Monotonic. */
  provenAtMs: number;
  /** A poll shows another price than the last live one. */
  doubted: boolean;
  resubscribedAtMs: number;
  /** Catalogue loads in a row that lacked it. */
  missedLoads: number;
}

const never = Number.NEGATIVE_INFINITY;
const missedLoadsMax = 3;

/** What the feed knows about each symbol it wants: subscription, freshness, and whether its live data can be trusted. */
export class SymbolBook {
  readonly #timing: FeedTiming;
  readonly #entries = new Map<MarketSymbol, Entry>();

  constructor(timing: FeedTiming) {
    this.#timing = timing;
  }

  has(symbol: MarketSymbol): boolean {
    return this.#entries.has(symbol);
  }

  get symbols(): MarketSymbol[] {
    return [...this.#entries.keys()];
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Takes over a catalogue. Gives the symbols that are gone: those missing from three loads in a row. */
  catalogueLoaded(symbols: readonly MarketSymbol[]): { readonly gone: MarketSymbol[]; readonly missing: number } {
    const listed = new Set(symbols);
    for (const symbol of listed) if (!this.#entries.has(symbol)) this.#entries.set(symbol, newEntry());
    const gone: MarketSymbol[] = [];
    let missing = 0;
    for (const [symbol, entry] of this.#entries) {
      entry.missedLoads = listed.has(symbol) ? 0 : entry.missedLoads + 1;
      if (entry.missedLoads >= missedLoadsMax) gone.push(symbol);
      else if (entry.missedLoads > 0) missing += 1;
    }
    for (const symbol of gone) this.#entries.delete(symbol);
    return { gone, missing };
  }

  connectionEnded(): void {
    for (const entry of this.#entries.values()) {
      if (entry.subscription !== 'rejected') entry.subscription = 'none';
      entry.fresh = false;
      entry.doubted = false;
    }
  }

  /** The symbols to subscribe now: new ones, and rejected ones whose time has come. They count as asked for. */
  takeUnsubscribed(nowMs: number): MarketSymbol[] {
    return this.#select((entry) => {
      const again = entry.subscription === 'rejected' && nowMs - entry.rejectedAtMs >= this.#timing.rejectedRetryMs;
      if (entry.subscription !== 'none' && !again) return false;
      entry.subscription = 'asked';
      return true;
    });
  }

  accepted(symbol: MarketSymbol): void {
    const entry = this.#entries.get(symbol);
    if (entry !== undefined) entry.subscription = 'accepted';
  }

  rejected(symbol: MarketSymbol, nowMs: number): void {
    const entry = this.#entries.get(symbol);
    if (entry === undefined) return;
    entry.subscription = 'rejected';
    entry.rejectedAtMs = nowMs;
    entry.fresh = false;
  }

  /**
   * Takes note of a live ticker and of what the market room said to it. One that is out of order proves
   * nothing. One that was refused for its values proves the connection, and leaves the symbol to be served over REST.
   */
  liveArrived(ticker: UpstreamTicker, reason: RejectionReason | undefined, nowMs: number): void {
    const entry = this.#entries.get(ticker.symbol);
    if (entry === undefined || reason === 'out_of_order') return;
    entry.fresh = true;
    if (reason !== undefined && reason !== 'unknown_market') return;
    entry.live = ticker;
    entry.provenAtMs = nowMs;
    entry.doubted = false;
  }

  /** Some symbols may bring live data, and at least `liveShareMin` of them have done so over this connection. */
  get isCovered(): boolean {
    const expected = this.expected;
    const fresh = this.#count((entry) => entry.fresh);
    return expected > 0 && fresh >= expected * this.#timing.liveShareMin;
  }

  /** How many symbols may bring live data: all but the rejected ones. */
  get expected(): number {
    return this.#count((entry) => entry.subscription !== 'rejected');
  }

  /** The symbols to serve or to check over REST while the rest is live: rejected, doubted, silent for too long. */
  restServed(nowMs: number): MarketSymbol[] {
    return this.#select((entry) => entry.subscription === 'rejected' || entry.doubted || this.#isSilent(entry, nowMs));
  }

  /**
   * Compares a polled ticker with the last live one. Live data that arrived after the question was sent
   * leaves nothing to compare. Gives `true` when the live price is in doubt now.
   */
  polled(ticker: UpstreamTicker, nowMs: number): boolean {
    const entry = this.#entries.get(ticker.symbol);
    if (entry === undefined || entry.subscription === 'rejected') return false;
    if (entry.live !== undefined && entry.live.receivedAt >= ticker.askedAt && entry.fresh) return false;
    entry.doubted = entry.live === undefined || !samePrices(entry.live, ticker);
    if (!entry.doubted) entry.provenAtMs = nowMs;
    return entry.doubted;
  }

  /** Those of `symbols` that are still in doubt and were not renewed lately. They count as renewed. */
  takeDoubted(symbols: readonly MarketSymbol[], nowMs: number): MarketSymbol[] {
    const asked = new Set(symbols);
    return this.#select((entry, symbol) => {
      if (!asked.has(symbol) || !entry.doubted || entry.subscription !== 'accepted') return false;
      if (nowMs - entry.resubscribedAtMs < this.#timing.resubscribeEveryMs) return false;
      entry.resubscribedAtMs = nowMs;
      return true;
    });
  }

  counts(nowMs: number): { subscribed: number; rejected: MarketSymbol[]; quiet: number; doubted: number } {
    return {
      subscribed: this.#count((entry) => entry.subscription === 'accepted'),
      rejected: this.#select((entry) => entry.subscription === 'rejected'),
      quiet: this.#count((entry) => this.#isSilent(entry, nowMs)),
      doubted: this.#count((entry) => entry.doubted),
    };
  }

  #isSilent(entry: Entry, nowMs: number): boolean {
    return nowMs - entry.provenAtMs >= this.#timing.staleAfterMs;
  }

  #select(test: (entry: Entry, symbol: MarketSymbol) => boolean): MarketSymbol[] {
    const selected: MarketSymbol[] = [];
    for (const [symbol, entry] of this.#entries) if (test(entry, symbol)) selected.push(symbol);
    return selected;
  }

  #count(test: (entry: Entry) => boolean): number {
    let count = 0;
    for (const entry of this.#entries.values()) if (test(entry)) count += 1;
    return count;
  }
}

function newEntry(): Entry {
  return {
    subscription: 'none',
    rejectedAtMs: never,
    fresh: false,
    live: undefined,
    provenAtMs: never,
    doubted: false,
    resubscribedAtMs: never,
    missedLoads: 0,
  };
}

function samePrices(live: UpstreamTicker, polled: UpstreamTicker): boolean {
  return sameValue(live.bid, polled.bid) && sameValue(live.ask, polled.ask);
}

function sameValue(one: DecimalString | undefined, other: DecimalString | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one === other || toBig(one).eq(toBig(other));
}
