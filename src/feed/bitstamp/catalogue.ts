import { unitAt } from '../../market/decimal.ts';
import {
  type ListedPair,
  type ListingChoice,
  type MarketTerms,
  readCurrency,
  selectMarkets,
} from '../market-listing.ts';
import { asCount, asList, asObject, asPositive, asText, UpstreamError, type WireObject } from '../wire.ts';

const placesMax = 18;

/**
 * Reads the answer of `markets`, in today's shape or in that of the older `trading-pairs-info`, which names a pair
 * `url_symbol` and writes its smallest order as `20.0 EUR`. Perpetuals are ignored. Bitstamp gives no minimum amount of a
 * spot order, so the smallest amount that can be written is the minimum. Throws only when the answer as a whole is
 * unreadable.
 */
export function readMarkets(result: unknown, choice: ListingChoice) {
  const markets = asList(result);
  if (markets === undefined) throw new UpstreamError('malformed', 'markets: not a list');
  return selectMarkets(
    markets.flatMap((value) => readPair(asObject(value) ?? {})),
    choice,
  );
}

function readPair(entry: WireObject): ListedPair | [] {
  const id = asText(entry.market_symbol) ?? asText(entry.url_symbol);
  if (id === undefined || (entry.market_type !== undefined && entry.market_type !== 'SPOT')) return [];
  const [base, quote] = asText(entry.name)?.split('/').map(readCurrency) ?? [];
  if (base === undefined || quote === undefined) return [];
  return { id, liveName: id, base, quote, terms: () => readTerms(entry) };
}

function readTerms(entry: WireObject): MarketTerms | string {
  const pricePrecision = asCount(entry.counter_decimals, placesMax);
  if (pricePrecision === undefined) return 'counter_decimals is missing or out of range';
  const amountPrecision = asCount(entry.base_decimals, placesMax);
  if (amountPrecision === undefined) return 'base_decimals is missing or out of range';
  return {
    status: entry.trading === 'Enabled' ? 'trading' : 'paused',
    pricePrecision,
    amountPrecision,
    tickSize: unitAt(pricePrecision),
    minOrderSize: unitAt(amountPrecision),
    minOrderValue: asPositive(entry.minimum_order_value) ?? asPositive(asText(entry.minimum_order)?.split(' ')[0]),
  };
}
