import { isDeepStrictEqual } from 'node:util';
import type { Clock, Timer } from '../ground/clock.ts';
import type { Log } from '../ground/log.ts';
import { SerialQueue } from '../ground/serial-queue.ts';
import type { MarketHold } from '../market/doubts.ts';
import type { MarketRecord } from '../market/market-catalogue.ts';
import { type MarketState, readState, writeState } from '../market/market-state.ts';
import type { Markets, MarketsObserver } from '../market/markets.ts';
import type { FeedStatus } from '../market/service-status.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import type { MarketRecord as StoredMarket } from '../store/markets.ts';
import type { Store } from '../store/store.ts';

/** The snapshot of the market, among those of the store. */
export const marketSnapshotName = 'market';
const saveEveryMs = 1000;

/**
 * Writing a snapshot out blocks the thread, the longer the more markets there are. It may take this part of the time.
 */
const shareOfTime = 0.01;
const restMaxMs = 10_000;
/** A store that refuses is not asked again sooner: it may have taken seconds to refuse. */
const restAfterFailureMs = 5_000;

/**
 * Keeps what a restart needs: the markets' states as rows, and the last tickers, rates and feed time as one snapshot.
 * Saved about once a second while there is something new (of very many markets the snapshot less often), so that even a
 * process that is killed loses no more than that.
 */
export class MarketSnapshots implements MarketsObserver {
  readonly #store: Pick<Store, 'markets' | 'snapshots'>;
  readonly #markets: Markets;
  readonly #feed: FeedStatus;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #savedRecords = new Map<string, MarketRecord>();
  #marketsDirty = false;
  #snapshotDirty = false;
  /** Also sources that make no price move it. */
  #savedFeedAt: number | undefined;
  #timer: Timer | undefined;
  /** One save after the other. */
  readonly #saving = new SerialQueue();
  #lastError: Error | undefined;
  #restUntilMs = 0;
  #retryAtMs = 0;

  constructor(store: Pick<Store, 'markets' | 'snapshots'>, markets: Markets, feed: FeedStatus, clock: Clock, log: Log) {
    this.#clock = clock;
    this.#store = store;
    this.#markets = markets;
    this.#feed = feed;
    this.#log = log;
  }

  tickerChanged(): void {
    this.#snapshotDirty = true;
  }

  marketsChanged(): void {
    this.#marketsDirty = true;
  }

  rateChanged(): void {
    this.#snapshotDirty = true;
  }

  /** Puts what was saved into the book. An unreadable snapshot is left alone: prices then come with the feed. */
  async restore(): Promise<void> {
    const stored = await this.#store.markets.list();
    const nothing: MarketState = { tickers: [], references: [], rates: [] };
    const snapshot = readState((await this.#store.snapshots.load(marketSnapshotName))?.payload ?? '') ?? nothing;
    const records = stored.map(fromStore);
    this.#markets.restore({ ...snapshot, records });
    // Only the clock before the restart can have dated something ahead of it.
    this.#markets.clockSetBack(this.#clock.now());
    this.#markets.applyHolds(stored.map(holdOf), true);
    this.#feed.restore(snapshot.lastUpdatedAt);
    for (const record of records) this.#savedRecords.set(record.symbol, record);
  }

  start(): void {
    this.#markets.observe(this);
    this.#timer = this.#clock.every(saveEveryMs, () => void this.#saving.run(() => this.#saveDue()));
  }

  /** Why nothing can be saved; `undefined` while all is well. */
  lastError(): Error | undefined {
    return this.#lastError;
  }

  /** Saves now what is new. Never rejects: a failure is logged once, and everything is tried again at the next turn. */
  save(): Promise<void> {
    return this.#saving.run(() => this.#saveDirty(true));
  }

  /** Saves one last time. */
  async stop(): Promise<void> {
    this.#timer?.cancel();
    await this.save();
  }

  async #saveDue(): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs >= this.#retryAtMs) await this.#saveDirty(nowMs >= this.#restUntilMs);
  }

  async #saveDirty(snapshotToo: boolean): Promise<void> {
    try {
      if (this.#marketsDirty) await this.#saveMarkets();
      const isNew = this.#snapshotDirty || this.#feed.lastUpdatedAt !== this.#savedFeedAt;
      if (isNew && snapshotToo) await this.#saveSnapshot();
      this.#lastError = undefined;
    } catch (error) {
      if (this.#lastError === undefined)
        this.#log.error({ err: error }, 'the last known market data could not be saved');
      this.#lastError = error instanceof Error ? error : new Error('unknown');
      this.#retryAtMs = this.#clock.monotonicMs() + restAfterFailureMs;
    }
  }

  async #saveMarkets(): Promise<void> {
    this.#marketsDirty = false;
    const records = this.#markets.catalogue.records();
    const changed = records.filter((record) => !isDeepStrictEqual(this.#savedRecords.get(record.symbol), record));
    if (changed.length === 0) return;
    try {
      await this.#store.markets.upsertMany(changed);
    } catch (error) {
      this.#marketsDirty = true;
      throw error;
    }
    for (const record of changed) this.#savedRecords.set(record.symbol, record);
  }

  async #saveSnapshot(): Promise<void> {
    this.#snapshotDirty = false;
    const startedMs = this.#clock.monotonicMs();
    const { lastUpdatedAt } = this.#feed;
    const payload = writeState({
      ...this.#markets.contents(),
      lastUpdatedAt,
      listed: this.#markets.catalogue.listedBySource(),
      reviews: this.#markets.catalogue.reviews.states(),
    });
    const tookMs = this.#clock.monotonicMs() - startedMs;
    this.#restUntilMs = startedMs + Math.min(restMaxMs, tookMs / shareOfTime);
    try {
      await this.#store.snapshots.save(marketSnapshotName, payload);
      this.#savedFeedAt = lastUpdatedAt;
    } catch (error) {
      this.#snapshotDirty = true;
      throw error;
    }
  }
}

/** Gives the operator's hold of a market, which the store alone knows. */
export function holdOf({ symbol, heldAt, acceptedAt, acceptedSource }: StoredMarket): MarketHold {
  return { symbol: symbol as MarketSymbol, heldAt, acceptedAt, acceptedSource };
}

/** The rows were written from such records, so their texts are what they were then. */
function fromStore(stored: StoredMarket) {
  const { heldAt: _held, acceptedAt: _accepted, acceptedSource: _source, updatedAt: _updated, ...record } = stored;
  return record as MarketRecord;
}
