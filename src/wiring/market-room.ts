import { Board } from '../board/board.ts';
import { ServiceBoard } from '../board/service-board.ts';
import type { Clock } from '../clock.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { Log } from '../log.ts';
import { FeedStatus } from '../market/service-status.ts';
import type { Store } from '../store/store.ts';
import { bookFor } from './book.ts';
import { MarketMemory } from './market-memory.ts';
import { loadMaintenanceWindows } from './operator-changes.ts';
import type { Teardown } from './teardown.ts';

/** What the market room is made with. */
interface MarketRoomParts {
  readonly configuration: Configuration;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
}

/** The market room and what publishes it. */
export type MarketRoom = Awaited<ReturnType<typeof startMarketRoom>>;

/** Makes it with all that was known before a restart, which it goes on saving. */
export async function startMarketRoom({ configuration, store, clock, log }: MarketRoomParts, teardown: Teardown) {
  const book = bookFor(configuration);
  const feedStatus = new FeedStatus();
  const memory = new MarketMemory(store, book, feedStatus, clock, log);
  await memory.restore();
  memory.start();
  teardown.add(() => memory.stop());
  const service = new ServiceBoard(feedStatus, clock);
  await loadMaintenanceWindows(store, service, clock);
  return { book, feedStatus, memory, service, board: new Board(book) };
}
