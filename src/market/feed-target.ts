import type { Clock } from '../clock.ts';
import type { MarketBook } from './market-book.ts';
import { clockDriftMs, type FeedStatus } from './service-status.ts';
import type { FeedSink } from './upstream.ts';

/** The parts of a process that hold what the feed reports. */
export interface FeedTarget {
  readonly book: MarketBook;
  readonly feedStatus: FeedStatus;
}

/** Passes what the feed of one source reports to the part that handles it. */
export function marketSink(
  { book, feedStatus }: FeedTarget,
  clock: Pick<Clock, 'monotonicMs'>,
  source = book.sources.first,
): FeedSink {
  const { id } = source;
  return {
    catalogueLoaded: (markets, at, gaps) => book.catalogueLoaded(markets, at, gaps, id),
    marketStatusChanged: (symbol, status) => book.marketStatusChanged(symbol, status, id),
    tickerReceived: (ticker) => book.tickerReceived(ticker, source),
    referencePricesChanged: (symbol, prices) => book.referencePricesChanged(symbol, prices, source),
    rateRefreshed: (rate) => book.rateRefreshed(rate),
    // How the markets are served is decided over all sources. The clock of a process that led before may have been ahead.
    feedCurrent(_, at) {
      const known = feedStatus.lastUpdatedAt ?? at;
      const notBefore = known > at && known <= at + clockDriftMs ? known : at;
      feedStatus.feedCurrent(feedStatus.path, notBefore, clock.monotonicMs());
    },
    feedPathChanged: () => {},
  };
}
