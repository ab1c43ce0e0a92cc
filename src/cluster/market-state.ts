import type { Clock } from '../clock.ts';
import type { MarketBook } from '../market/market-book.ts';
import type { MarketRecord } from '../market/market-catalogue.ts';
import type { FeedStatus } from '../market/service-status.ts';
import { readSnapshot, writeSnapshot } from '../market/snapshot.ts';
import type { FeedPath } from '../market/upstream.ts';

/** What a node holds that comes from the feed. */
export interface MarketParts {
  readonly book: MarketBook;
  readonly feedStatus: FeedStatus;
  readonly clock: Clock;
}

/** Everything a node needs to go on from, as text. */
export function writeState({ book, feedStatus }: MarketParts): string {
  const snapshot = writeSnapshot({ contents: book.contents(), lastUpdatedAt: feedStatus.lastUpdatedAt });
  return JSON.stringify({ path: feedStatus.path, records: [...book.catalogue.records()], snapshot });
}

/**
 * Puts what `writeState` wrote into the book. Nothing that the node has already told its clients is taken back: a market whose
 * ticker here is newer keeps it, and so do rates and the feed's time. Throws when the text is of another version.
 */
export function restoreState(text: string, { book, feedStatus, clock }: MarketParts): void {
  const { path, records, snapshot } = JSON.parse(text) as {
    path: FeedPath;
    records: readonly MarketRecord[];
    snapshot: string;
  };
  const read = readSnapshot(snapshot);
  if (read === undefined || !Array.isArray(records)) throw new TypeError('not a state of the market');
  const { tickers, references, rates } = read.contents;
  const known = book.contents();
  book.restore(records, {
    tickers: newer(tickers, known.tickers, ({ capturedAt }) => capturedAt),
    references,
    rates: newer(rates, known.rates, ({ refreshedAt }) => refreshedAt),
  });
  if (read.lastUpdatedAt !== undefined && read.lastUpdatedAt >= (feedStatus.lastUpdatedAt ?? 0)) {
    const ageMs = Math.max(0, clock.now() - read.lastUpdatedAt);
    feedStatus.feedCurrent(path, read.lastUpdatedAt, clock.monotonicMs() - ageMs);
  }
}

/** Those that are not older than what is known under the same name. */
function newer<Name, Value>(
  given: ReadonlyMap<Name, Value>,
  known: ReadonlyMap<Name, Value>,
  instantOf: (value: Value) => number,
): ReadonlyMap<Name, Value> {
  const isNewer = ([name, value]: [Name, Value]) => {
    const before = known.get(name);
    return before === undefined || instantOf(value) >= instantOf(before);
  };
  return new Map([...given].filter(isNewer));
}
