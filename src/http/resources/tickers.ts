import { dataPage, feedHeaders } from '../answer.ts';
import { type Resource, unavailable } from '../resource.ts';

/** GET /v1/tickers (contract, Ticker). */
export const tickers: Resource = {
  route: '/v1/tickers',
  answersInMaintenance: false,
  answer({ now }, { board, service }) {
    const page = board.tickers(now);
    const feed = feedHeaders[service.feedStatus(now)];
    return page === undefined ? unavailable('No market has a price now.', feed) : dataPage(page, feed);
  },
};
