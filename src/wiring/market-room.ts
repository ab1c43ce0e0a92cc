import { Board } from '../board/board.ts';
import { ServiceBoard } from '../board/service-board.ts';
import type { Clock, Timer } from '../clock.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { isoInstant } from '../contract/instant.ts';
import type { Log } from '../log.ts';
import { Guard } from '../market/guard.ts';
import { type BookObserver, MarketBook } from '../market/market-book.ts';
import { FeedStatus } from '../market/service-status.ts';
import { termVersion } from '../market/terms.ts';
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

/** Says when the guard begins to hold a price or a rate, and when it no longer does. */
function heldLog(log: Log): BookObserver {
  return {
    heldChanged(subject, held, before) {
      if ((held === undefined) === (before === undefined)) return;
      if (held === undefined) log.info({ subject, values: before?.values }, 'no longer held by the guard');
      else
        log.warn({ subject, reason: held.reason, values: held.values }, 'held by the guard: the last good value stays');
    },
  };
}

/** Short, so that a wall clock that was set is noticed. */
const lookEveryMs = 1_000;

/** Lets terms begin on their instant even when no price is read then, and logs it. */
export function watchTerms(book: MarketBook, clock: Clock, log: Log): Timer {
  let loggedUntil = clock.now();
  let next: Timer | undefined;
  const look = () => {
    const now = clock.now();
    book.advance(now);
    const begun = book.terms().filter(({ from }) => from !== undefined && from > loggedUntil && from <= now);
    for (const term of begun) log.info({ term: termVersion(term), ...term.values }, 'a term holds from now on');
    if (now > loggedUntil) loggedUntil = now;
    next?.cancel();
    const leftMs = book.nextTermsAt() - now;
    if (leftMs <= lookEveryMs) next = clock.after(leftMs, look);
  };
  const looking = clock.every(lookEveryMs, look);
  look();
  return {
    cancel() {
      looking.cancel();
      next?.cancel();
    },
  };
}

/** Says when a maintenance window begins and when it ends. */
function watchMaintenance(service: ServiceBoard, clock: Clock, log: Log): Timer {
  let wasRunning = false;
  return clock.every(lookEveryMs, () => {
    const { api, maintenance } = service.read(clock.now());
    const isRunning = api === 'maintenance';
    if (isRunning && !wasRunning) log.info({ until: maintenance && isoInstant(maintenance.to) }, 'maintenance begins');
    if (!isRunning && wasRunning) log.info({}, 'maintenance ends');
    wasRunning = isRunning;
  });
}
