import { unitAt } from '../../market/decimal.ts';
import { requirePlaces, requirePositive } from '../listing-values.ts';
import type { ListedPair, MarketTerms } from '../market-listing.ts';
import { asText, requireList, type WireObject } from '../wire.ts';

/**
 * Reads the data of `tradingPairs`, whose numbers must be their source text. Coinmate gives a pair no state: one that is
 * listed is trading.
 */
export function readTradingPairs(data: unknown): ListedPair[] {
  return requireList(data, 'tradingPairs').map((entry) => ({
    id: asText(entry.name),
    base: entry.firstCurrency,
    quote: entry.secondCurrency,
    terms: () => readTerms(entry),
  }));
}

function readTerms(entry: WireObject): MarketTerms {
  const pricePrecision = requirePlaces(entry, 'priceDecimals');
  return {
    status: 'trading',
    pricePrecision,
    amountPrecision: requirePlaces(entry, 'lotDecimals'),
    tickSize: unitAt(pricePrecision),
    minOrderSize: requirePositive(entry, 'minAmount'),
    minOrderValue: undefined,
  };
}
