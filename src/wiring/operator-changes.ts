import type { ServiceBoard } from '../board/service-board.ts';
import type { Clock, EpochMs } from '../clock.ts';
import type { Log } from '../log.ts';
import type { MarketBook } from '../market/market-book.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import type { Store } from '../store/store.ts';
import type { ChangeListener } from '../store/watch-changes.ts';

const pruneEveryMs = 3_600_000;

/** Far more changes than a server misses while it is busy; one that missed more loads everything anew. */
const changesKept = 100_000;

/** Whoever takes over what operators and account holders decide, in whatever process they decide it. */
export interface Followers {
  readonly keys: { refresh(): Promise<void> };
  readonly book: Pick<MarketBook, 'applyControls'>;
  readonly service: Pick<ServiceBoard, 'setWindows'>;
}

export interface OperatorChanges {
  /** Looks now: what this process just wrote holds when it resolves, unless the store cannot be read. Never rejects. */
  look(): Promise<void>;
  /** False from a failed look at the store to the next that succeeds. */
  reachable(): boolean;
  stop(): Promise<void>;
}

/**
 * Follows the store: what another process or the client application writes about keys, markets and
 * maintenance holds here a tenth of a second later.
 */
export function followOperatorChanges(
  store: Store,
  followers: Followers,
  clock: Clock,
  log: Log,
  auditForMs: number,
): OperatorChanges {
  let reachable = true;
  const listener: ChangeListener = {
    async changed(topics) {
      if (topics.access) await followers.keys.refresh();
      if (topics.marketControls) await loadMarketControls(store, followers.book);
      if (topics.maintenanceWindows) await loadMaintenanceWindows(store, followers.service, clock);
    },
    failed(error) {
      reachable = false;
      log.error({ err: error }, 'changes in the store cannot be read; serving goes on as before');
    },
    recovered() {
      reachable = true;
      log.info({}, 'changes in the store are followed again');
    },
  };
  const watch = store.watchChanges({ clock }, listener);
  const pruning = clock.every(pruneEveryMs, () => {
    prune(store, (clock.now() - auditForMs) as EpochMs).catch((error) => {
      log.error(
        { err: error },
        'what is no longer needed in the store could not be removed; the next try is in an hour',
      );
    });
  });
  return {
    async stop() {
      pruning.cancel();
      await watch.stop();
    },
    look: () => watch.look(),
    reachable: () => reachable,
  };
}

async function prune(store: Store, auditBefore: EpochMs): Promise<void> {
  await store.accessChanges.prune(changesKept);
  await store.audit.prune(auditBefore);
}

/** What the operator paused or delisted. */
export async function loadMarketControls(store: Store, book: Followers['book']): Promise<void> {
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
