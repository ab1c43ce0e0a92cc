import { unitAt } from '../../market/decimal.ts';
import { requirePlaces } from '../listing-values.ts';
import type { ListedPair, MarketTerms } from '../market-listing.ts';
import { asPositive, asText, requireList, type WireObject } from '../wire.ts';

/**
 * Reads the answer of `markets`, in today's shape or in that of the older `trading-pairs-info`, which names a pair
 * `url_symbol` and writes its smallest order as `20.0 EUR`. Perpetuals are ignored. Bitstamp gives no minimum amount of a
 * spot order, so the smallest amount that can be written is the minimum.
 */
export function readMarkets(result: unknown): ListedPair[] {
  const spot = requireList(result, 'markets').filter(({ market_type = 'SPOT' }) => market_type === 'SPOT');
  return spot.map((entry) => {
    const [base, quote] = asText(entry.name)?.split('/') ?? [];
    return { id: asText(entry.market_symbol) ?? asText(entry.url_symbol), base, quote, terms: () => readTerms(entry) };
  });
}

function readTerms(entry: WireObject): MarketTerms {
  const pricePrecision = requirePlaces(entry, 'counter_decimals');
  const amountPrecision = requirePlaces(entry, 'base_decimals');
  return {
    status: entry.trading === 'Enabled' ? 'trading' : 'paused',
    pricePrecision,
    amountPrecision,
    tickSize: unitAt(pricePrecision),
    minOrderSize: unitAt(amountPrecision),
    minOrderValue: asPositive(entry.minimum_order_value) ?? asPositive(asText(entry.minimum_order)?.split(' ')[0]),
  };
}
