import { compare, type DecimalString } from '../market/decimal.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import type { CatalogueReport, RejectionReason, UpstreamTicker } from '../market/upstream.ts';
import type { SubscriptionRefusal } from './connector.ts';
import type { FeedTiming } from './parts.ts';

const never = Number.NEGATIVE_INFINITY;

class Entry {
  subscription: 'none' | 'asked' | 'accepted' | 'rejected' = 'none';
  /** Why it was rejected last. */
  refusal: SubscriptionRefusal | undefined;
  /** When a rejected one is asked for again. Monotonic. */
  retryAtMs = never;
  /** Live data came over the current connection. */
  isFresh = false;
  /** The last live ticker, of any connection. */
  live: UpstreamTicker | undefined;
  /** When live data last arrived. Monotonic. */
  liveAtMs = never;
  /** When live data last arrived, or a poll last confirmed it. Monotonic. */
  confirmedAtMs = never;
  /** A poll shows another price than the last live one. */
  isDoubted = false;
  /** Since when it is doubted, or every live ticker is refused for its values. Monotonic. */
  wrongSinceMs: number | undefined;
  /** When a poll last brought a usable ticker. Monotonic. */
  polledAtMs = never;
  resubscribedAtMs = never;
  /** The guard holds its price: REST is asked often, until both agree. */
  isHeld = false;
  /** Complete catalogue loads in a row that lacked it. */
  loadsWithout = 0;

  /** How often in a row it was refused for no known reason. */
  unclearTimes = 0;

  /** The exchange says that it does not stream it: any other refusal is one of this connection alone. */
  get isRefused(): boolean {
    return this.subscription === 'rejected' && this.refusal === 'refused';
  }

  /** Nothing was heard of it in time: data is as good as an answer. */
  get isUnanswered(): boolean {
    return this.subscription === 'rejected' && this.refusal === 'unanswered';
  }

  /** Decides as the market room does: one load can be a fault. */
  get isMissing(): boolean {
    return this.loadsWithout > 1;
  }
}

/** A doubt that lasts for less is a race between a poll and the live connection. */
const wrongForMs = 2_000;
const keptOut: ReadonlySet<RejectionReason> = new Set(['unknown_market', 'held', 'on_hold']);

/** The state of each wanted symbol: its subscription, its freshness, and whether its live data can be trusted. */
export class SubscriptionStates {
  readonly #timing: FeedTiming;
  readonly #entries = new Map<MarketSymbol, Entry>();
  /** A live update, not only snapshots, came over the current connection. */
  #hasUpdate = false;
  /** It told of all that has a price. */
  #isWhole = false;
  /** When the current connection was first asked for symbols. Monotonic. */
  #askedAtMs: number | undefined;

  constructor(timing: FeedTiming) {
    this.#timing = timing;
  }

  has(symbol: MarketSymbol): boolean {
    return this.#entries.has(symbol);
  }

  get symbols(): MarketSymbol[] {
    return [...this.#entries.keys()];
  }

  /** Takes over a catalogue. Returns the symbols that it drops because they are delisted. */
  catalogueLoaded(
    symbols: readonly MarketSymbol[],
    { isEvidence, delisted }: Pick<CatalogueReport, 'isEvidence' | 'delisted'>,
  ): MarketSymbol[] {
    const listed = new Set(symbols);
    const gone = delisted.filter((symbol) => this.#entries.delete(symbol));
    for (const symbol of delisted) listed.delete(symbol);
    for (const symbol of listed) if (!this.#entries.has(symbol)) this.#entries.set(symbol, new Entry());
    for (const [symbol, entry] of this.#entries) {
      if (listed.has(symbol)) entry.loadsWithout = 0;
      else if (isEvidence) entry.loadsWithout++;
    }
    return gone;
  }

  connectionEnded(): void {
    this.#hasUpdate = false;
    this.#isWhole = false;
    this.#askedAtMs = undefined;
    for (const entry of this.#entries.values()) {
      if (!entry.isRefused) entry.subscription = 'none';
      entry.isFresh = false;
      entry.isDoubted = false;
      entry.wrongSinceMs = undefined;
    }
  }

  /** The symbols to subscribe now: new ones, and rejected ones due for a retry. They count as asked for. */
  takeUnsubscribed(nowMs: number): MarketSymbol[] {
    const due = this.#select((entry) => {
      const isDue = entry.subscription === 'rejected' && nowMs >= entry.retryAtMs;
      if (entry.subscription !== 'none' && !isDue) return false;
      entry.subscription = 'asked';
      return true;
    });
    if (due.length > 0) this.#askedAtMs ??= nowMs;
    return due;
  }

  /**
   * The symbols asked for on the current connection and not refused: one without an answer in time may still get it.
   */
  get subscribed(): MarketSymbol[] {
    return this.#select(
      (entry) => entry.subscription === 'asked' || entry.subscription === 'accepted' || entry.isUnanswered,
    );
  }

  accepted(symbol: MarketSymbol): void {
    const entry = this.#entries.get(symbol);
    if (entry === undefined) return;
    entry.subscription = 'accepted';
    entry.refusal = undefined;
    entry.unclearTimes = 0;
  }

  /** Notes that it is not subscribed. Returns whether the reason is another than the last time. */
  rejected(symbol: MarketSymbol, refusal: SubscriptionRefusal, nowMs: number): boolean {
    const entry = this.#entries.get(symbol);
    if (entry === undefined) return false;
    const isNew = entry.refusal !== refusal;
    entry.unclearTimes = refusal === 'unclear' ? entry.unclearTimes + 1 : 0;
    entry.subscription = 'rejected';
    entry.refusal = refusal;
    entry.retryAtMs = nowMs + this.#retryAfterMs(refusal, entry.unclearTimes);
    entry.isFresh = false;
    return isNew;
  }

  #retryAfterMs(refusal: SubscriptionRefusal, times: number): number {
    const { rejectedRetryMs, resubscribeEveryMs, sessionRetryMs, unclearRetryMs } = this.#timing;
    switch (refusal) {
      case 'refused':
        return rejectedRetryMs;
      case 'unclear':
        return Math.min(resubscribeEveryMs, unclearRetryMs * 2 ** (times - 1));
      case 'full':
        return sessionRetryMs;
      case 'lost':
        return 0;
      case 'unanswered':
        return resubscribeEveryMs;
    }
  }

  /**
   * Notes a live ticker and the market room's verdict on it. Returns whether it proves that the connection delivers: an
   * accepted one does, and one that only the operator or the guard keeps out. One out of order proves nothing, and
   * one rejected for its values leaves the symbol to be served over REST.
   */
  liveArrived(
    ticker: UpstreamTicker,
    isSnapshot: boolean,
    rejection: RejectionReason | undefined,
    nowMs: number,
  ): boolean {
    const entry = this.#entries.get(ticker.symbol);
    if (entry === undefined || rejection === 'out_of_order') return false;
    if (entry.isUnanswered) entry.subscription = 'accepted';
    entry.isFresh = true;
    if (rejection !== undefined && !keptOut.has(rejection)) {
      entry.wrongSinceMs ??= nowMs;
      return false;
    }
    entry.wrongSinceMs = undefined;
    entry.loadsWithout = 0;
    entry.live = ticker;
    entry.liveAtMs = nowMs;
    entry.confirmedAtMs = nowMs;
    entry.isDoubted = false;
    this.#hasUpdate ||= !isSnapshot;
    return true;
  }

  /** All that has a price was told over the current connection: the others have none, and no update is to prove it. */
  toldWhole(): void {
    this.#isWhole = true;
  }

  /**
   * Enough of the symbols that may bring live data did so over this connection, and one was an update: nearly all at
   * first, any once the others were silent for `staleAfterMs`, so that silent ones never hold the rest back.
   */
  isCovered(nowMs: number): boolean {
    const expected = this.expected;
    const fresh = this.#count((entry) => entry.isFresh);
    if (this.#isWhole) return fresh > 0;
    const hasWaited = nowMs - (this.#askedAtMs ?? nowMs) >= this.#timing.staleAfterMs;
    const needed = hasWaited ? 1 : expected * this.#timing.liveShareMin;
    return this.#hasUpdate && expected > 0 && fresh >= needed;
  }

  /**
   * Whether the live connection serves this symbol, though nothing may move: it is subscribed, and its last live price
   * holds.
   */
  isLive(symbol: MarketSymbol, nowMs: number): boolean {
    const entry = this.#entries.get(symbol);
    if (entry?.live === undefined || entry.subscription === 'none' || entry.subscription === 'rejected') return false;
    if (entry.wrongSinceMs !== undefined && nowMs - entry.wrongSinceMs >= wrongForMs) return false;
    return entry.isFresh || nowMs - entry.confirmedAtMs < 2 * this.#timing.staleAfterMs;
  }

  /** Whether it is subscribed, and nothing came over this connection or one before: the market may never have moved. */
  isQuiet(symbol: MarketSymbol): boolean {
    const entry = this.#entries.get(symbol);
    if (entry === undefined || entry.live !== undefined || entry.isFresh) return false;
    return entry.subscription === 'asked' || entry.subscription === 'accepted';
  }

  /**
   * Whether a good price came over the current connection, or a poll confirmed the last one since it was first asked
   * for symbols.
   */
  isHeard(symbol: MarketSymbol): boolean {
    return (this.#entries.get(symbol)?.confirmedAtMs ?? never) >= (this.#askedAtMs ?? Number.POSITIVE_INFINITY);
  }

  /** Whether a live price of one of these symbols arrived after an instant, by the monotonic clock. */
  hasLiveSince(atMs: number, symbols: readonly MarketSymbol[]): boolean {
    return symbols.some((symbol) => (this.#entries.get(symbol)?.liveAtMs ?? never) > atMs);
  }

  /** Whether polls serve this symbol. */
  isPolled(symbol: MarketSymbol, nowMs: number): boolean {
    const { polledAtMs = never, wrongSinceMs = never } = this.#entries.get(symbol) ?? {};
    return polledAtMs >= wrongSinceMs && nowMs - polledAtMs < this.#timing.staleAfterMs + this.#timing.quietCheckMs;
  }

  /** A poll brought a usable ticker. */
  pollTaken(symbol: MarketSymbol, nowMs: number): void {
    const entry = this.#entries.get(symbol);
    if (entry !== undefined) entry.polledAtMs = nowMs;
  }

  /** How many symbols may bring live data: all but those rejected, or missing and silent. */
  get expected(): number {
    return this.#count((entry) => entry.subscription !== 'rejected' && (entry.isFresh || !entry.isMissing));
  }

  /** More than a tenth of the symbols is not streamed: polls are what they live on. */
  get isPartlyStreamed(): boolean {
    return this.#count((entry) => entry.subscription === 'rejected') * 10 > this.#entries.size;
  }

  /** Notes whether the guard holds a symbol. Returns true when that is new. */
  held(symbol: MarketSymbol, isHeld: boolean): boolean {
    const entry = this.#entries.get(symbol);
    if (entry === undefined || entry.isHeld === isHeld) return false;
    entry.isHeld = isHeld;
    return isHeld;
  }

  get hasHeld(): boolean {
    return this.#count((entry) => entry.isHeld) > 0;
  }

  /**
   * The symbols to poll while the rest is live: held, rejected, doubted, silent for too long; not those that are
   * missing.
   */
  toPoll(nowMs: number): MarketSymbol[] {
    return this.#select(
      (entry) =>
        !entry.isMissing &&
        (entry.subscription === 'rejected' || entry.isHeld || entry.isDoubted || this.#isSilent(entry, nowMs)),
    );
  }

  /**
   * Compares a polled ticker with the last live one, unless live data came after the request. Returns whether the live
   * price is in doubt.
   */
  polled(ticker: UpstreamTicker, nowMs: number): boolean {
    const entry = this.#entries.get(ticker.symbol);
    if (entry === undefined || entry.subscription === 'rejected') return false;
    if (entry.live !== undefined && entry.live.receivedAt >= ticker.askedAt && entry.isFresh) return false;
    entry.isDoubted = entry.live === undefined || !isSamePrice(entry.live, ticker);
    if (!entry.isDoubted) entry.confirmedAtMs = nowMs;
    entry.wrongSinceMs = entry.isDoubted ? (entry.wrongSinceMs ?? nowMs) : undefined;
    return entry.isDoubted;
  }

  /** Gives those of `symbols` that are still in doubt and were not renewed lately. They count as renewed. */
  takeDoubted(symbols: readonly MarketSymbol[], nowMs: number): MarketSymbol[] {
    const asked = new Set(symbols);
    return this.#select((entry, symbol) => {
      if (!asked.has(symbol) || !entry.isDoubted || entry.subscription !== 'accepted') return false;
      if (nowMs - entry.resubscribedAtMs < this.#timing.resubscribeEveryMs) return false;
      entry.resubscribedAtMs = nowMs;
      return true;
    });
  }

  health(nowMs: number) {
    return {
      symbolsWanted: this.#entries.size,
      symbolsSubscribed: this.#count((entry) => entry.subscription === 'accepted'),
      symbolsRejected: this.#select((entry) => entry.subscription === 'rejected'),
      symbolsQuiet: this.#count((entry) => !entry.isMissing && this.#isSilent(entry, nowMs)),
      symbolsDoubted: this.#count((entry) => entry.isDoubted),
    };
  }

  #isSilent(entry: Entry, nowMs: number): boolean {
    return nowMs - entry.confirmedAtMs >= this.#timing.staleAfterMs;
  }

  #select(test: (entry: Entry, symbol: MarketSymbol) => boolean): MarketSymbol[] {
    const selected: MarketSymbol[] = [];
    for (const [symbol, entry] of this.#entries) if (test(entry, symbol)) selected.push(symbol);
    return selected;
  }

  #count(test: (entry: Entry) => boolean): number {
    return this.#select(test).length;
  }
}

function isSamePrice(live: UpstreamTicker, polled: UpstreamTicker): boolean {
  return isSameValue(live.bid, polled.bid) && isSameValue(live.ask, polled.ask);
}

function isSameValue(one: DecimalString | undefined, other: DecimalString | undefined): boolean {
  return one === undefined || other === undefined ? one === other : compare(one, other) === 0;
}
