import { dataPage } from '../answer.ts';
import { catalogueNotLoaded, type Resource } from '../resource.ts';

/** GET /v1/markets (contract, Market). */
export const markets: Resource = {
  route: '/v1/markets',
  answersInMaintenance: false,
  answer({ now }, { board }) {
    const page = board.markets(now);
    return page === undefined ? catalogueNotLoaded() : dataPage(page);
  },
};
