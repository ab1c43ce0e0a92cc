import { dataPage } from '../answer.ts';
import { type Resource, unavailable } from '../resource.ts';

/** GET /v1/tickers (contract, Ticker). */
export const tickers: Resource = {
  route: '/v1/tickers',
  answersInMaintenance: false,
  answer({ now }, { board }) {
    const page = board.tickers(now);
    return page === undefined ? unavailable('No market has a price now.') : dataPage(page);
  },
};
