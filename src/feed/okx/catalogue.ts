import type { UpstreamMarketStatus } from '../../market/upstream.ts';
import { requirePositive, requireStep } from '../listing-values.ts';
import type { ListedPair, MarketTerms } from '../market-listing.ts';
import { asText, requireList, type WireObject } from '../wire.ts';

/**
 * Reads the data of `public/instruments`, spot only. Only `live` is trading; every other state, known (`suspend`,
 * `preopen`, `test`, `post_only`, `rebase`, `settling`) or new, takes fewer kinds of order or none. There is no minimum
 * value of an order.
 */
export function readInstruments(data: unknown): ListedPair[] {
  const spot = requireList(data, 'instruments').filter(({ instType }) => instType === 'SPOT');
  return spot.map((entry) => ({
    id: asText(entry.instId),
    base: entry.baseCcy,
    quote: entry.quoteCcy,
    terms: () => readTerms(entry),
  }));
}

function readTerms(entry: WireObject): MarketTerms {
  const tick = requireStep(entry, 'tickSz');
  return {
    status: instrumentStatus(entry.state),
    pricePrecision: tick.places,
    amountPrecision: requireStep(entry, 'lotSz').places,
    tickSize: tick.size,
    minOrderSize: requirePositive(entry, 'minSz'),
    minOrderValue: undefined,
  };
}

export function instrumentStatus(state: unknown): UpstreamMarketStatus {
  return state === 'live' ? 'trading' : 'paused';
}
