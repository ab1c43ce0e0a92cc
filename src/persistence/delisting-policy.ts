import type { EpochMs } from '../ground/clock.ts';
import type { Log } from '../ground/log.ts';
import { SerialQueue } from '../ground/serial-queue.ts';
import type { Markets } from '../market/markets.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import { type CatalogueGaps, type SkippedPair, skippedPairsName } from '../market/upstream.ts';
import type { Store } from '../store/store.ts';
import { StoreError } from '../store/store-error.ts';

interface DelistingPolicyParts {
  readonly store: Store;
  readonly markets: Pick<Markets, 'catalogue'>;
  /** Writes what is known of the markets to the store. */
  readonly snapshots: { save(): Promise<void> };
  readonly log: Log;
  readonly delistAfterMs: number;
}

/**
 * Decides, after each load of the catalogue by the feed of this process, what becomes of markets that the exchange no
 * longer lists, or lists as ended. A delisting goes through the store, as an operator's does: every process learns of
 * it, it is in the audit log, and it never happens twice.
 */
export class DelistingPolicy {
  readonly #parts: DelistingPolicyParts;
  readonly #store: Store;
  #missing: ReadonlySet<MarketSymbol> = new Set();
  #heldBack: ReadonlySet<MarketSymbol> = new Set();
  #removed: ReadonlySet<MarketSymbol> = new Set();
  readonly #skippedBySource = new Map<string, readonly SkippedPair[]>();
  #skipped: string | undefined;
  readonly #queue = new SerialQueue();

  constructor(parts: DelistingPolicyParts) {
    this.#parts = parts;
    this.#store = parts.store.as('service');
  }

  /** The feed of this process loaded the catalogue of a source. */
  loaded(source: string, at: EpochMs, gaps?: CatalogueGaps): void {
    void this.#queue.run(() => this.#review(at, source, gaps?.skipped ?? []));
  }

  /** Resolves once nothing is being decided. */
  async stop(): Promise<void> {
    await this.#queue.idle();
  }

  async #review(at: EpochMs, source: string, skipped: readonly SkippedPair[]): Promise<void> {
    const { snapshots, log } = this.#parts;
    try {
      this.#reportMissing();
      this.#skippedBySource.set(source, skipped);
      await this.#keepSkipped([...this.#skippedBySource.values()].flat());
      // The store has to know a market before it can delist it. Asked after that: a ticker that came keeps its market.
      await snapshots.save();
      await this.#removeForgotten();
      const { due, missing, isHeldBack } = this.#absences();
      if (isHeldBack) await this.#holdBack(due, missing.length);
      else for (const symbol of due) await this.#delist(symbol, at);
    } catch (error) {
      log.error({ err: error }, 'the review of the catalogue failed; the next load brings another');
    }
  }

  /** A former version has left markets there that had ended before they were first seen. */
  async #removeForgotten(): Promise<void> {
    const { forgotten } = this.#parts.markets.catalogue;
    const left = [...forgotten].filter((symbol) => !this.#removed.has(symbol));
    if (left.length === 0) return;
    const count = await this.#store.markets.forget(left);
    this.#removed = new Set(forgotten);
    this.#parts.log.warn(
      { symbols: left.slice(0, 50), count },
      'markets that never had a price and have ended are none',
    );
  }

  #absences() {
    return this.#parts.markets.catalogue.absences(this.#parts.delistAfterMs);
  }

  #reportMissing(): void {
    const { log, delistAfterMs } = this.#parts;
    const missing = new Set(this.#absences().missing);
    const gone = [...missing.difference(this.#missing)];
    const back = [...this.#missing.difference(missing)];
    this.#missing = missing;
    if (gone.length > 0) {
      log.warn(
        { symbols: gone, delistAfterMs },
        'markets that the exchange no longer lists, or lists as ended, are paused',
      );
    }
    if (back.length > 0) log.info({ symbols: back }, 'markets are no longer missing from the exchange');
  }

  async #keepSkipped(skipped: readonly SkippedPair[]): Promise<void> {
    const text = JSON.stringify(skipped);
    if (text === this.#skipped) return;
    await this.#store.snapshots.save(skippedPairsName, text);
    this.#skipped = text;
  }

  async #holdBack(due: readonly MarketSymbol[], missing: number): Promise<void> {
    const { log } = this.#parts;
    for (const symbol of due) {
      if (this.#heldBack.has(symbol)) continue;
      const summary = `Held back the delisting of ${symbol}: ${missing} markets are missing at once, over a tenth of all.`;
      await this.#store.audit.record({
        action: 'market.hold_back',
        subject: { kind: 'market', id: symbol },
        summary,
        details: { missing },
      });
    }
    const isNew = due.some((symbol) => !this.#heldBack.has(symbol));
    this.#heldBack = new Set(due);
    if (isNew) log.warn({ symbols: due, missing }, 'delisting is held back: over a tenth of the markets are missing');
  }

  async #delist(symbol: MarketSymbol, at: EpochMs): Promise<void> {
    const { log, delistAfterMs } = this.#parts;
    const reason = `the exchange has not listed it for ${delistAfterMs / 3_600_000} h, or only as ended`;
    // Asked once more when the store lets it write, for which it can have waited.
    const isDue = () => this.#absences().due.includes(symbol);
    try {
      const { delistedAt } = await this.#store.markets.delist(symbol, at, reason, isDue);
      if (delistedAt === undefined) return;
      log.warn({ symbol }, 'market delisted for good: it ended at the exchange');
    } catch (error) {
      if (!(error instanceof StoreError && error.reason === 'market_delisted')) throw error;
    }
  }
}
