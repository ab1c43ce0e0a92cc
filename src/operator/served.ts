import type { Static } from 'typebox';
import * as part from '../contract/schema-parts.ts';
import { oldestOf, type ServedMarket } from '../market/served-markets.ts';
import { type ServedPath, servedPaths } from '../market/served-price.ts';
import * as fields from './fields.ts';

/** How a price was last proved current. */
export const provedBy = fields.openEnum(
  ['live', 'fallback'],
  '`live`: it came over the live connection. `fallback`: over REST.',
);

/** How a price comes, measured by the best path of its market. */
export const servedOver = fields.openEnum(
  servedPaths,
  '`best`: live from the first source that offers the market, or merely quiet there. `polled`: over REST, because the live subscription is refused or lost. `standby`: from a later source. `silent`: nobody delivers it now, and its last price stands.',
);

/** Counts markets by how their prices come. */
export const servedCounts = {
  markets: fields.count('Markets of exchanges that have a price.', 200),
  best: fields.count('Served over their best path: live, or merely quiet.', 16),
  polled: fields.count('Served over REST, because the live subscription is refused or lost.', 184),
  standby: fields.count('Served by a later source than the first that offers them.', 0),
  silent: fields.count('Delivered by nobody now: the last price stands.', 0),
} as const;

export const ServedSchema = fields.named(
  'ServedMarkets',
  'Markets of exchanges that have a price, by how it comes. Converted markets are made from these.',
  {
    ...servedCounts,
    oldest: fields.nullable(
      fields.object('A market, and when its price was last proved current.', {
        market: part.symbol('The market.', 'BTCEUR'),
        ageMs: fields.count('Since then, in milliseconds.', 4_200),
        by: provedBy,
      }),
      'The market whose price was not proved current for longest; null without any.',
    ),
  },
);

/** Counts markets by how their prices come. */
export function countServed(served: readonly ServedMarket[]) {
  const count = (path: ServedPath) => served.filter(({ over }) => over === path).length;
  return {
    markets: served.length,
    best: count('best'),
    polled: count('polled'),
    standby: count('standby'),
    silent: count('silent'),
  };
}

/** Shows how these markets are served. */
export function servedBody(served: readonly ServedMarket[]): Static<typeof ServedSchema> {
  const oldest = oldestOf(served);
  return {
    ...countServed(served),
    oldest:
      oldest === undefined ? null : { market: oldest.symbol, ageMs: Math.floor(oldest.ageMs), by: oldest.provedBy },
  };
}
