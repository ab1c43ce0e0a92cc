import Type from 'typebox';
import { lastInstantMs } from '../../contract/instant.ts';
import * as part from '../../contract/schema-parts.ts';
import { component } from '../../operator/fields.ts';
import { historyEveryMs, historyPoints } from '../price-history.ts';
import { marketOf, symbolParams } from './markets.ts';
import { operation } from './operation.ts';

export const PricePointSchema = Type.Object(
  {
    atMs: Type.Integer({
      description: 'Milliseconds since the Unix epoch.',
      minimum: 0,
      examples: [1_795_255_200_000],
    }),
    bid: part.decimal('Best bid on the exchange; of a converted market at the mid rate.', '83900.5'),
    ask: part.decimal('Best ask on the exchange; of a converted market at the mid rate.', '83910.5'),
    buy: part.decimal('The buy price of clients.', '84100.1'),
    sell: part.decimal('The sell price of clients.', '83710.9'),
  },
  { description: 'Prices at an instant.' },
);

export const HistorySchema = Type.Object(
  {
    symbol: part.symbol('The market.', 'BTCCZK'),
    everyMs: Type.Integer({ description: 'Time between two points.', minimum: 1, examples: [historyEveryMs] }),
    points: Type.Array(component<typeof PricePointSchema>('PricePoint'), {
      description: 'Oldest first. Where the market had no price, points are missing.',
      maxItems: historyPoints,
    }),
  },
  { description: 'The prices of a market in the last hour.' },
);

export const readMarketHistory = operation({
  method: 'GET',
  path: '/api/markets/:symbol/history',
  operationId: 'readMarketHistory',
  tag: 'Markets',
  summary: 'The last hour of a market',
  description: 'A point every 5 seconds, of this process: after a restart it begins anew.',
  params: symbolParams,
  query: Type.Object({
    since: Type.Optional(
      Type.Integer({
        description: 'Only points after this instant, in milliseconds since the Unix epoch.',
        minimum: 0,
        maximum: lastInstantMs,
        examples: [1_795_255_200_000],
      }),
    ),
  }),
  answer: { status: 200, description: 'The points.', schema: component<typeof HistorySchema>('History') },
  problems: ['NOT_FOUND'],
  handle({ params, query }, management) {
    const { symbol } = marketOf(management, params.symbol);
    return { symbol, everyMs: historyEveryMs, points: management.history.points(symbol, query.since ?? -1) };
  },
});
