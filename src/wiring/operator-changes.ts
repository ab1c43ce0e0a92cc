import type { ServiceBoard } from '../board/service-board.ts';
import type { Clock, EpochMs, Timer } from '../clock.ts';
import type { Log } from '../log.ts';
import type { MarketBook } from '../market/market-book.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import type { Store } from '../store/store.ts';
import type { ChangeListener, ChangeWatch } from '../store/watch-changes.ts';

const pruneEveryMs = 3_600_000;

/** Far more changes than a server misses while it is busy; one that missed more loads everything anew. */
const changesKept = 100_000;

/** Whoever takes over what operators and account holders decide, in whatever process they decide it. */
export interface Followers {
  readonly keys: { refresh(): Promise<void> };
  readonly book: Pick<MarketBook, 'applyControls'>;
  readonly service: Pick<ServiceBoard, 'setWindows'>;
}

/**
 * Follows the store: what another process or the client application writes about keys, markets and maintenance holds
 * here a tenth of a second later.
 */
export class OperatorChanges {
  readonly #store: Store;
  readonly #followers: Followers;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #auditForMs: number;
  #isReachable = true;
  #watch: ChangeWatch | undefined;
  #pruning: Timer | undefined;

  constructor(store: Store, followers: Followers, clock: Clock, log: Log, auditForMs: number) {
    this.#store = store;
    this.#followers = followers;
    this.#clock = clock;
    this.#log = log;
    this.#auditForMs = auditForMs;
  }

  start(): void {
    this.#watch = this.#store.watchChanges({ clock: this.#clock }, this.#listener());
    this.#pruning = this.#clock.every(pruneEveryMs, () => void this.#prune());
  }

  async stop(): Promise<void> {
    this.#pruning?.cancel();
    await this.#watch?.stop();
  }

  /** Looks now: what this process just wrote holds when it resolves, unless the store cannot be read. Never rejects. */
  async look(): Promise<void> {
    await this.#watch?.look();
  }

  /** False from a failed look at the store to the next that succeeds. */
  reachable(): boolean {
    return this.#isReachable;
  }

  #listener(): ChangeListener {
    const { keys, book, service } = this.#followers;
    return {
      changed: async (topics) => {
        if (topics.access) await keys.refresh();
        if (topics.marketControls) await loadMarketControls(this.#store, book);
        if (topics.maintenanceWindows) await loadMaintenanceWindows(this.#store, service, this.#clock);
      },
      failed: (error) => {
        this.#isReachable = false;
        this.#log.error({ err: error }, 'changes in the store cannot be read; serving continues as before');
      },
      recovered: () => {
        this.#isReachable = true;
        this.#log.info({}, 'changes in the store are followed again');
      },
    };
  }

  async #prune(): Promise<void> {
    try {
      await this.#store.accessChanges.prune(changesKept);
      await this.#store.audit.prune((this.#clock.now() - this.#auditForMs) as EpochMs);
    } catch (error) {
      this.#log.error({ err: error }, 'old entries in the store could not be removed; the next try is in an hour');
    }
  }
}

/** What the operator paused or delisted. */
async function loadMarketControls(store: Store, book: Followers['book']): Promise<void> {
  const markets = await store.markets.list();
  book.applyControls(
    markets.map(({ symbol, operatorPaused, delistedAt }) => ({
      symbol: symbol as MarketSymbol,
      operatorPaused,
      delistedAt,
    })),
  );
}

export async function loadMaintenanceWindows(store: Store, service: Followers['service'], clock: Clock): Promise<void> {
  service.setWindows(await store.windows.list({ currentAt: clock.now() }));
}
