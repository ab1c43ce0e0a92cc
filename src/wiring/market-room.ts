import { Board } from '../board/board.ts';
import { watchMaintenance } from '../board/maintenance-watch.ts';
import { ServiceBoard } from '../board/service-board.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { Timer } from '../ground/clock.ts';
import { doubtLog } from '../market/doubt-log.ts';
import { Guard } from '../market/guard.ts';
import type { MarketSelection } from '../market/market-catalogue.ts';
import { Markets } from '../market/markets.ts';
import { FeedStatus } from '../market/service-status.ts';
import type { SourceRules } from '../market/source-lists.ts';
import { watchTerms } from '../market/term-watch.ts';
import { CatalogueReviewer } from '../persistence/catalogue-reviewer.ts';
import { DelistingPolicy } from '../persistence/delisting-policy.ts';
import { MarketSnapshots } from '../persistence/market-snapshots.ts';
import { SourceBans } from '../persistence/source-bans.ts';
import { loadRateControls, loadTerms } from '../persistence/store-follower.ts';
import type { Store } from '../store/store.ts';
import type { ServiceOptions } from './service-options.ts';

/** The market room and what publishes it. */
export type MarketRoom = ReturnType<typeof marketRoom>;

/** Makes it, empty. `start()` puts into it what was known before a restart, and keeps saving it. */
export function marketRoom({ configuration, clock, log }: ServiceOptions, store: Store) {
  const guard = new Guard(configuration.guard);
  const markets = marketsFor(configuration, guard);
  markets.observe(doubtLog(log));
  const feedStatus = new FeedStatus();
  const service = new ServiceBoard(feedStatus, clock);
  const snapshots = new MarketSnapshots(store, markets, feedStatus, clock, log);
  const { delistAfterMs } = configuration.markets;
  const delisting = new DelistingPolicy({ store, markets, snapshots, log, delistAfterMs });
  const reviewer = new CatalogueReviewer({ store, markets, log, delistAfterMs });
  markets.observe(reviewer);
  const watches: Timer[] = [];
  return {
    markets,
    guard,
    feedStatus,
    review: {
      /** The feed of this process loaded the list of a source. */
      loaded(...load: Parameters<DelistingPolicy['loaded']>) {
        delisting.loaded(...load);
        reviewer.loaded();
      },
    },
    service,
    board: new Board(markets),
    snapshots,
    bans: new SourceBans(store, clock, log),
    async start() {
      // Before any price is made.
      await loadTerms(store, markets, clock);
      await snapshots.restore();
      await loadRateControls(store, markets.rates, true);
      snapshots.start();
      service.setWindows(await store.windows.list({ currentAt: clock.now() }));
      watches.push(watchTerms(markets, clock, log), watchMaintenance(service, clock, log));
    },
    async stop() {
      for (const watch of watches) watch.cancel();
      await delisting.stop();
      await reviewer.stop();
      await snapshots.stop();
    },
  };
}

/** An empty market book on the operator's terms. */
export function marketsFor(configuration: Configuration, guard?: Guard): Markets {
  const { markets, pricing, rates } = configuration;
  const policy = { ...pricing, rateValidForMs: rates.validForMs };
  const selection: MarketSelection = {
    quotes: new Set(markets.quotes),
    symbols: markets.symbols === 'all' ? 'all' : new Set(markets.symbols),
    marketsMax: markets.max,
  };
  return new Markets(policy, selection, guard, rulesOf(configuration));
}

export function rulesOf({ sources, pricing }: Configuration): SourceRules {
  return {
    ids: sources.map(({ id }) => id),
    paused: new Set(sources.filter(({ isPaused }) => isPaused).map(({ id }) => id)),
    lists: pricing.sources,
    mode: pricing.source,
    returnAfterMs: pricing.returnAfterMs,
  };
}
