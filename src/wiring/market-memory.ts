import type { Clock, Timer } from '../clock.ts';
import type { Log } from '../log.ts';
import type { BookObserver } from '../market/book-observer.ts';
import type { DecimalString } from '../market/decimal.ts';
import type { MarketHold } from '../market/holds.ts';
import type { MarketBook } from '../market/market-book.ts';
import type { MarketRecord } from '../market/market-catalogue.ts';
import type { FeedStatus } from '../market/service-status.ts';
import { readSnapshot, writeSnapshot } from '../market/snapshot.ts';
import type { CurrencyCode, MarketSymbol } from '../market/symbol.ts';
import type { MarketToSave, MarketRecord as StoredMarket } from '../store/markets.ts';
import type { Store } from '../store/store.ts';

const snapshotName = 'market';
const saveEveryMs = 1000;

/** Writing a snapshot out holds the thread, the longer the more markets there are. It may take this part of the time. */
const shareOfTime = 0.01;
const restMaxMs = 10_000;

/**
 * Keeps what a restart needs: the markets' states as rows, and the last tickers, rates and feed time
 * as one snapshot. Saved about once a second while there is something new (of very many markets the
 * snapshot less often), so that even a process that is killed loses no more than that.
 */
export class MarketMemory implements BookObserver {
  readonly #store: Pick<Store, 'markets' | 'snapshots'>;
  readonly #book: MarketBook;
  readonly #feed: FeedStatus;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #savedRows = new Map<string, string>();
  #marketsDirty = false;
  #snapshotDirty = false;
  #timer: Timer | undefined;
  #saving: Promise<void> = Promise.resolve();
  #trouble: string | undefined;
  #restUntilMs = 0;

  constructor(store: Pick<Store, 'markets' | 'snapshots'>, book: MarketBook, feed: FeedStatus, clock: Clock, log: Log) {
    this.#clock = clock;
    this.#store = store;
    this.#book = book;
    this.#feed = feed;
    this.#log = log;
  }

  tickerChanged(): void {
    this.#snapshotDirty = true;
  }

  marketsChanged(): void {
    this.#marketsDirty = true;
  }

  /** Puts what was saved into the book. An unreadable snapshot is left alone: prices then come with the feed. */
  async restore(): Promise<void> {
    const stored = await this.#store.markets.list();
    const snapshot = readSnapshot((await this.#store.snapshots.load(snapshotName))?.payload ?? '');
    const nothing = { tickers: new Map(), references: new Map(), rates: new Map() };
    this.#book.restore(stored.map(fromStore), snapshot?.contents ?? nothing, snapshot?.listed);
    this.#book.applyHolds(stored.map(holdOf));
    this.#feed.restore(snapshot?.lastUpdatedAt);
    for (const market of stored) this.#savedRows.set(market.symbol, JSON.stringify(toStore(fromStore(market))));
  }

  start(): void {
    this.#book.observe(this);
    this.#timer = this.#clock.every(saveEveryMs, () => {
      void this.#next(() => this.#saveDirty(this.#clock.monotonicMs() >= this.#restUntilMs));
    });
  }

  /** Why nothing can be saved; `undefined` while all is well. */
  trouble(): string | undefined {
    return this.#trouble;
  }

  /** Saves now what is new. Never rejects: a failure is logged once, and everything is tried again at the next turn. */
  save(): Promise<void> {
    return this.#next(() => this.#saveDirty(true));
  }

  /** Saves one last time. */
  async stop(): Promise<void> {
    this.#timer?.cancel();
    await this.save();
  }

  /** One save after the other. */
  #next(save: () => Promise<void>): Promise<void> {
    this.#saving = this.#saving.then(save);
    return this.#saving;
  }

  async #saveDirty(snapshotToo: boolean): Promise<void> {
    try {
      if (this.#marketsDirty) await this.#saveMarkets();
      if (this.#snapshotDirty && snapshotToo) await this.#saveSnapshot();
      this.#trouble = undefined;
    } catch (error) {
      if (this.#trouble === undefined) this.#log.error({ err: error }, 'the last known market data could not be saved');
      this.#trouble = error instanceof Error ? error.message : 'unknown';
    }
  }

  async #saveMarkets(): Promise<void> {
    this.#marketsDirty = false;
    const changed = new Map<MarketToSave, string>();
    for (const record of this.#book.catalogue.records()) {
      const row = toStore(record);
      const text = JSON.stringify(row);
      if (this.#savedRows.get(row.symbol) !== text) changed.set(row, text);
    }
    if (changed.size === 0) return;
    try {
      await this.#store.markets.upsertMany([...changed.keys()]);
    } catch (error) {
      this.#marketsDirty = true;
      throw error;
    }
    for (const [row, text] of changed) this.#savedRows.set(row.symbol, text);
  }

  async #saveSnapshot(): Promise<void> {
    this.#snapshotDirty = false;
    const startedMs = this.#clock.monotonicMs();
    const payload = writeSnapshot({
      contents: this.#book.contents(),
      lastUpdatedAt: this.#feed.lastUpdatedAt,
      listed: this.#book.catalogue.listedBySource(),
    });
    const heldMs = this.#clock.monotonicMs() - startedMs;
    this.#restUntilMs = startedMs + Math.min(restMaxMs, heldMs / shareOfTime);
    try {
      await this.#store.snapshots.save(snapshotName, payload);
    } catch (error) {
      this.#snapshotDirty = true;
      throw error;
    }
  }
}

function toStore({ convertedFrom, status, operatorPaused: _keptByTheStore, ...market }: MarketRecord): MarketToSave {
  return { ...market, via: convertedFrom, upstreamStatus: status };
}

/** What the operator holds. The store alone knows it. */
export function holdOf({ symbol, heldAt, acceptedAt }: StoredMarket): MarketHold {
  return { symbol: symbol as MarketSymbol, heldAt, acceptedAt };
}

/** The rows were written by `toStore`, so their texts are what they were then. */
function fromStore(row: StoredMarket): MarketRecord {
  return {
    symbol: row.symbol as MarketSymbol,
    base: row.base as CurrencyCode,
    quote: row.quote as CurrencyCode,
    status: row.upstreamStatus,
    pricePrecision: row.pricePrecision,
    amountPrecision: row.amountPrecision,
    tickSize: row.tickSize as DecimalString,
    minOrderSize: row.minOrderSize as DecimalString,
    minOrderValue: row.minOrderValue as DecimalString | undefined,
    operatorPaused: row.operatorPaused,
    absence: row.absence,
    delistedAt: row.delistedAt,
    convertedFrom: row.via as MarketSymbol | undefined,
  };
}
