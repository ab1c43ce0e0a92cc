import { Board } from '../board/board.ts';
import { watchMaintenance } from '../board/maintenance-watch.ts';
import { ServiceBoard } from '../board/service-board.ts';
import type { Timer } from '../clock.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { Guard } from '../market/guard.ts';
import { heldLog } from '../market/held-log.ts';
import { MarketBook } from '../market/market-book.ts';
import { FeedStatus } from '../market/service-status.ts';
import { watchTerms } from '../market/term-watch.ts';
import { CatalogueReview } from '../persistence/catalogue-review.ts';
import { MarketMemory } from '../persistence/market-memory.ts';
import { loadTerms } from '../persistence/operator-changes.ts';
import type { Store } from '../store/store.ts';
import type { ServiceOptions } from './service-options.ts';

/** The market room and what publishes it. */
export type MarketRoom = ReturnType<typeof marketRoom>;

/** Makes it, empty. `start()` puts into it what was known before a restart, and keeps saving it. */
export function marketRoom({ configuration, clock, log }: ServiceOptions, store: Store) {
  const guard = new Guard(configuration.guard);
  const book = bookFor(configuration, guard);
  book.observe(heldLog(log));
  const feedStatus = new FeedStatus();
  const service = new ServiceBoard(feedStatus, clock);
  const memory = new MarketMemory(store, book, feedStatus, clock, log);
  const review = new CatalogueReview({ store, book, memory, log, delistAfterMs: configuration.markets.delistAfterMs });
  const watches: Timer[] = [];
  return {
    book,
    guard,
    feedStatus,
    review,
    service,
    board: new Board(book),
    memory,
    async start() {
      // Before any price is made.
      await loadTerms(store, book, clock);
      await memory.restore();
      memory.start();
      service.setWindows(await store.windows.list({ currentAt: clock.now() }));
      watches.push(watchTerms(book, clock, log), watchMaintenance(service, clock, log));
    },
    async stop() {
      for (const watch of watches) watch.cancel();
      await review.stop();
      await memory.stop();
    },
  };
}

/** An empty market book on the operator's terms. */
export function bookFor({ markets, pricing, rates, sources }: Configuration, guard?: Guard): MarketBook {
  const symbols = markets.symbols === 'all' ? 'all' : new Set(markets.symbols);
  const policy = { ...pricing, rateValidForMs: rates.validForMs };
  const rules = {
    ids: sources.map(({ id }) => id),
    lists: pricing.sources,
    mode: pricing.source,
    returnAfterMs: pricing.returnAfterMs,
  };
  return new MarketBook(policy, { quotes: new Set(markets.quotes), symbols }, guard, rules);
}
