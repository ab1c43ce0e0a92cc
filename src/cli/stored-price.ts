import type { Clock } from '../clock.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { silentLog } from '../log.ts';
import { FeedStatus } from '../market/service-status.ts';
import { explainPrice, type PriceAnswer } from '../operator/price.ts';
import type { Store } from '../store/store.ts';
import { MarketMemory } from '../wiring/market-memory.ts';
import { bookFor } from '../wiring/market-room.ts';

/** Explains a price from what the server saved last, without a server. */
export async function storedPrice(
  store: Store,
  configuration: Configuration,
  clock: Clock,
  symbol: string,
): Promise<PriceAnswer> {
  const book = bookFor(configuration);
  await new MarketMemory(store, book, new FeedStatus(), clock, silentLog).restore();
  return explainPrice(book, symbol, clock.now());
}
