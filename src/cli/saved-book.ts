import type { Clock } from '../clock.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { silentLog } from '../log.ts';
import type { MarketBook } from '../market/market-book.ts';
import type { Store } from '../store/store.ts';

/** The market as the server that ran last saved it, on the terms of the database. */
export async function savedBook(store: Store, configuration: Configuration, clock: Clock): Promise<MarketBook> {
  const { FeedStatus } = await import('../market/service-status.ts');
  const { bookFor } = await import('../wiring/market-room.ts');
  const { MarketMemory } = await import('../wiring/market-memory.ts');
  const { loadTerms } = await import('../wiring/operator-changes.ts');
  const book = bookFor(configuration);
  await loadTerms(store, book, clock);
  await new MarketMemory(store, book, new FeedStatus(), clock, silentLog).restore();
  return book;
}
