import { sourceQuotes, sourceStates } from '../operator/source.ts';
import type { AdminParts } from './sources.ts';

/** A source, and in how many markets it is what. */
export interface SourceView {
  readonly id: string;
  readonly kind: string;
  readonly path: 'live' | 'fallback' | null;
  /** Null in a process that follows the feed of another. */
  readonly connection: string | null;
  readonly markets: Readonly<Record<(typeof sourceStates)[number], number>>;
}

/** Every source, in order of preference. */
export function sourceViews(parts: Pick<AdminParts, 'market' | 'feed' | 'clock' | 'replication'>): SourceView[] {
  const { market, feed, clock, replication } = parts;
  const now = clock.now();
  const isElsewhere = replication()?.isLeading === false;
  const offered = market.book.catalogue.listed(now).filter((each) => !each.isConverted && each.status !== 'delisted');
  const quotes = offered.flatMap(({ symbol }) => sourceQuotes(market.book, symbol, now));
  return feed.sources().map(({ id, kind, health }) => {
    const own = quotes.filter((quote) => quote.id === id);
    const counts = sourceStates.map((state) => [state, own.filter((quote) => quote.state === state).length] as const);
    const markets = Object.fromEntries(counts) as SourceView['markets'];
    return isElsewhere
      ? { id, kind, path: null, connection: null, markets }
      : { id, kind, path: health.path ?? null, connection: health.connection, markets };
  });
}
