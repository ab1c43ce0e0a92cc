import Type, { type Static } from 'typebox';
import { publicMarketStatuses } from '../contract/schemas.ts';
import { combined, isMissing, type Lifecycle, listedUntil, statusOf } from '../market/lifecycle.ts';
import type { Markets } from '../market/markets.ts';
import type { MarketRecord as StoredMarket } from '../store/markets.ts';
import { openEnum, tabled, texts, viewOf } from './fields.ts';

export const marketFields = {
  ...tabled('Market'),
  status: openEnum(publicMarketStatuses, 'The status that clients see.'),
  pausedBy: Type.Array(openEnum(['exchange', 'operator'], 'Who paused it.'), { description: texts.Market.pausedBy }),
  ...tabled('Market.terms'),
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
