import type { Clock } from '../ground/clock.ts';
import type { Markets } from './markets.ts';
import type { FeedStatus } from './service-status.ts';
import type { FeedSink } from './upstream.ts';

/** The parts of a process that hold what the feed reports. */
export interface FeedTarget {
  readonly markets: Markets;
  readonly feedStatus: FeedStatus;
}

/** Passes what the feed of one source reports to the part that handles it. */
export function marketSink(
  { markets, feedStatus }: FeedTarget,
  clock: Pick<Clock, 'now' | 'monotonicMs'>,
  source = markets.sources.first,
): FeedSink {
  const { id } = source;
  return {
    catalogueLoaded: (listed, at, gaps) => markets.catalogueLoaded(listed, at, gaps, id),
    marketChanged: (symbol, change) => markets.marketChanged(symbol, change, id),
    tickerReceived: (ticker) => markets.tickerReceived(ticker, source),
    priceWithdrawn: (symbol, at) => markets.priceWithdrawn(symbol, source, at),
    referencePricesChanged: (symbol, prices) => markets.referencePricesChanged(symbol, prices, source),
    rateRefreshed: (rate) => markets.rateRefreshed(rate),
    // How the markets are served is decided over all sources; one may have been asked later than this.
    feedCurrent(path, at, pollEveryMs) {
      const newestAt = feedStatus.isNewer(at, clock.now()) ? at : feedStatus.lastUpdatedAt!;
      feedStatus.updated(feedStatus.path, newestAt, clock.monotonicMs());
      feedStatus.source(id).current(path === 'live', at, clock.monotonicMs(), pollEveryMs);
    },
    feedPathChanged: () => {},
  };
}
