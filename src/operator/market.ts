import type { Static } from 'typebox';
import { Type } from '../contract/schema-builder.ts';
import * as part from '../contract/schema-parts.ts';
import { type PublicMarketStatus, publicMarketStatuses } from '../contract/schemas.ts';
import type { EpochMs } from '../ground/clock.ts';
import { combined, isMissing, type Lifecycle, listedUntil, statusOf } from '../market/lifecycle.ts';
import type { Markets } from '../market/markets.ts';
import type { MarketRecord as StoredMarket } from '../store/markets.ts';
import { nullableDecimal, nullableInstantFields, nullableLine, openEnum, viewOf } from './fields.ts';

export const marketFields = {
  id: part.symbol('The symbol, by which markets are addressed.', 'BTCCZK'),
  symbol: part.symbol('Base and quote currency joined without a separator.', 'BTCCZK'),
  base: part.currency('Code of the base currency.', 'BTC'),
  quote: part.currency('Code of the quote currency.', 'CZK'),
  convertedFrom: nullableLine(
    'The exchange market that its prices are converted from; null for a market of the exchange.',
    'BTCEUR',
    32,
  ),
  status: openEnum(publicMarketStatuses, 'The status that clients see.'),
  pausedBy: Type.Array(openEnum(['exchange', 'operator'], 'Who paused it.'), {
    description: 'Who paused it, or the market it is converted from; empty unless the status is `paused`.',
  }),
  operatorPaused: Type.Boolean({ description: 'Whether an operator paused this very market.' }),
  ...nullableInstantFields('heldAt', 'Since when an operator holds what makes its prices.'),
  pricePrecision: part.places('Decimal places of its prices.', 0),
  amountPrecision: part.places('Decimal places of amounts.', 8),
  tickSize: part.decimal('Smallest step of a price.', '1'),
  minOrderSize: part.decimal('Smallest size of an order, in the base currency.', '0.00005'),
  minOrderValue: nullableDecimal('Smallest value of an order, in the quote currency.', '0.5'),
  ...nullableInstantFields(
    'missingSince',
    'Since when the exchange’s list has lacked it or listed it as ended, or the market it is converted from; null else.',
  ),
  ...nullableInstantFields('delistedAt', 'When it was delisted, which is final.'),
  ...nullableInstantFields('listedUntil', 'The first instant at which a delisted market is no longer listed.'),
};

export type MarketView = Static<ReturnType<typeof Type.Object<typeof marketFields>>>;

/** The facts of a market that the database and the catalogue of a running service both hold. */
type MarketFacts = Omit<StoredMarket, 'acceptedAt' | 'acceptedSource' | 'updatedAt'>;

/** The markets of a running service, in their order. */
export function catalogueMarkets(markets: Pick<Markets, 'catalogue' | 'onHoldSince'>): readonly MarketView[] {
  return storedMarkets(
    markets.catalogue.records().map((record) => ({ ...record, heldAt: markets.onHoldSince(record.symbol) })),
  );
}

/** Counts the markets that clients see, by state. */
export function marketsByStatus(
  { catalogue }: Pick<Markets, 'catalogue'>,
  now: EpochMs,
): Readonly<Record<PublicMarketStatus, number>> {
  const counts = { trading: 0, paused: 0, delisted: 0 };
  for (const { status } of catalogue.listed(now)) counts[status]++;
  return counts;
}

/** The markets of the database, in their order. The status of a base market carries over to those converted from it. */
export function storedMarkets(markets: readonly MarketFacts[]): readonly MarketView[] {
  const bySymbol = new Map(markets.map((market) => [market.symbol, market]));
  return markets.map((market) => {
    const base = market.via === undefined ? undefined : bySymbol.get(market.via);
    return viewIn(market, base === undefined ? market : combined(base, market));
  });
}

function viewIn(market: MarketFacts, lifecycle: Lifecycle): MarketView {
  const status = statusOf(lifecycle);
  const pausedBy = [
    ...(lifecycle.upstreamStatus === 'paused' || isMissing(lifecycle) ? (['exchange'] as const) : []),
    ...(lifecycle.operatorPaused ? (['operator'] as const) : []),
  ];
  return viewOf(marketFields, {
    ...market,
    id: market.symbol,
    convertedFrom: market.via,
    status,
    pausedBy: status === 'paused' ? pausedBy : [],
    missingSince: isMissing(lifecycle) ? lifecycle.absence?.since : undefined,
    delistedAt: lifecycle.delistedAt,
    listedUntil: listedUntil(lifecycle),
  });
}
