import type { Clock, EpochMs } from '../ground/clock.ts';
import type { RateSink } from './conversion-rates.ts';
import type { Markets } from './markets.ts';
import type { FeedStatus } from './service-status.ts';
import type { FeedPath, FeedSink } from './upstream.ts';

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
): FeedSink & RateSink {
  const { id } = source;
  /** When the newest values of this source stood that a price was made of, by path; said once. */
  const served: Record<FeedPath, EpochMs | undefined> = { live: undefined, fallback: undefined };
  return {
    catalogueLoaded: (listed, at, gaps) => markets.catalogueLoaded(listed, at, gaps, id),
    marketChanged: (symbol, change) => markets.marketChanged(symbol, change, id),
    tickerReceived(ticker) {
      const before = markets.acceptedTicker(ticker.symbol);
      const rejection = markets.tickerReceived(ticker, source);
      // After a restart the price from before is served until the wait for another source is over.
      const isMade = markets.acceptedTicker(ticker.symbol) !== before;
      if (rejection === undefined && isMade && markets.sources.isMaking(ticker.symbol, source))
        served[ticker.path] = ticker.askedAt;
      // The first price is one of a source that spoke before, once another has spoken too.
      const first = feedStatus.lastUpdatedAt === undefined ? markets.acceptedTicker(ticker.symbol) : undefined;
      if (first !== undefined) feedStatus.pricesCurrent(first.capturedAt, clock.now(), clock.monotonicMs());
      return rejection;
    },
    priceWithdrawn: (symbol, at) => markets.priceWithdrawn(symbol, source, at),
    referencePricesChanged: (symbol, prices) => markets.referencePricesChanged(symbol, prices, source),
    rateRefreshed: (rate, isWitnessExpected) => markets.rates.read(rate, isWitnessExpected),
    rateCompared: (rate) => markets.rates.compared(rate),
    rateUnwitnessed: (quote) => markets.rates.unwitnessed(quote),
    feedCurrent(path, at, pollEveryMs) {
      // The status is that of the prices served: one that is made of nothing that this source says stays as old.
      const way = pollEveryMs === undefined ? 'live' : 'fallback';
      const servedAt = served[way];
      served[way] = undefined;
      if (servedAt !== undefined) feedStatus.pricesCurrent(servedAt, clock.now(), clock.monotonicMs());
      feedStatus.source(id).current(path === 'live', at, clock.monotonicMs(), pollEveryMs);
    },
    feedPathChanged: () => {},
  };
}
