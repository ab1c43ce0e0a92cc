import type { Clock } from '../clock.ts';
import type { MarketBook } from '../market/market-book.ts';
import type { FeedStatus } from '../market/service-status.ts';
import type { FeedSink } from '../market/upstream.ts';

/** Leads what the feed tells into the market book and the feed's status. */
export function feedSink(book: MarketBook, status: FeedStatus, clock: Pick<Clock, 'monotonicMs'>): FeedSink {
  return {
    catalogueLoaded: (markets, at) => book.catalogueLoaded(markets, at),
    marketStatusChanged: (symbol, upstreamStatus) => book.marketStatusChanged(symbol, upstreamStatus),
    tickerReceived: (ticker) => book.tickerReceived(ticker),
    referencePricesChanged: (symbol, prices) => book.referencePricesChanged(symbol, prices),
    rateRefreshed: (rate) => book.rateRefreshed(rate),
    feedCurrent: (path, at) => status.feedCurrent(path, at, clock.monotonicMs()),
    feedPathChanged: (path) => status.pathChanged(path),
  };
}
