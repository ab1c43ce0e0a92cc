import type { Log } from '../ground/log.ts';
import { SerialQueue } from '../ground/serial-queue.ts';
import type { PendingMarkets } from '../market/catalogue-review.ts';
import type { Markets, MarketsObserver } from '../market/markets.ts';
import { pendingLists } from '../market/pending-lists.ts';
import { loadPending, savePending } from '../operator/review.ts';
import type { Store } from '../store/store.ts';

interface CatalogueReviewerParts {
  readonly store: Store;
  readonly markets: Pick<Markets, 'catalogue'>;
  readonly log: Log;
  readonly delistAfterMs: number;
}

/**
 * Keeps in the store what waits of the lists of sources, for operators in any process, and notes in log and audit log
 * when it began and ended. Only the process that loads the lists does.
 */
export class CatalogueReviewer implements MarketsObserver {
  readonly #parts: CatalogueReviewerParts;
  readonly #store: Store;
  readonly #queue = new SerialQueue();
  #hasLoaded = false;
  #noted: readonly PendingMarkets[] | undefined;
  #saved: string | undefined;

  constructor(parts: CatalogueReviewerParts) {
    this.#parts = parts;
    this.#store = parts.store.as('service');
  }

  /** The feed of this process loaded a list. */
  loaded(): void {
    this.#hasLoaded = true;
    this.marketsChanged();
  }

  marketsChanged(): void {
    if (this.#hasLoaded) void this.#queue.run(() => this.#look());
  }

  /** Resolves once nothing is being saved. */
  async stop(): Promise<void> {
    await this.#queue.idle();
  }

  async #look(): Promise<void> {
    const { markets, delistAfterMs, log } = this.#parts;
    const pending = pendingLists(markets.catalogue, delistAfterMs);
    // Another process loads the lists now, and told this one the first names alone.
    if (pending.some(({ count, symbols }) => count !== symbols.length)) return;
    const key = pending.map(({ id, since }) => `${id} ${since}`).join();
    if (key === this.#saved) return;
    try {
      // What waited before a restart was noted then.
      this.#noted ??= await loadPending(this.#store);
      await savePending(this.#store, pending);
      await this.#note(pending, this.#noted);
      this.#noted = pending;
      this.#saved = key;
    } catch (error) {
      log.error({ err: error }, 'what waits of the lists of markets could not be saved; the next load tries again');
    }
  }

  async #note(pending: readonly PendingMarkets[], noted: readonly PendingMarkets[]): Promise<void> {
    const { log } = this.#parts;
    for (const { source, reason, count, symbols } of lacking(pending, noted)) {
      log.warn({ source, reason, count, symbols: symbols.slice(0, 20) }, 'markets of a list wait');
      // That delisting is held back is recorded market by market, and an incomplete list mostly ends by itself.
      if (reason === 'growth' || reason === 'over_maximum') await this.#record(source, reason, count);
    }
    for (const { source, reason } of lacking(noted, pending))
      log.info({ source, reason }, 'markets of a list no longer wait');
  }

  async #record(source: string, reason: 'growth' | 'over_maximum', count: number): Promise<void> {
    const why = reason === 'growth' ? 'too many new ones at once' : 'more than markets.max';
    await this.#store.audit.record({
      action: 'catalogue.hold_back',
      subject: { kind: 'source', id: source },
      summary: `Held back ${count} markets of the list of ${source}: ${why}.`,
      details: { count, reason },
    });
  }
}

/** Finds those of which the others have none of that source, reason and beginning. */
function lacking(some: readonly PendingMarkets[], others: readonly PendingMarkets[]): readonly PendingMarkets[] {
  return some.filter(
    (one) =>
      !others.some(
        ({ source, reason, since }) => source === one.source && reason === one.reason && since === one.since,
      ),
  );
}
