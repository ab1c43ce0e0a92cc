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
 * Reads the data of `tradingPairs`, whose numbers must be their source text. Coinmate gives a pair no state: one that is
 * listed is trading. Throws only when the answer as a whole is unreadable.
 */
export function readTradingPairs(data: unknown, choice: ListingChoice) {
  const pairs = asList(data);
  if (pairs === undefined) throw new UpstreamError('malformed', 'tradingPairs: not a list');
  return selectMarkets(
    pairs.flatMap((value) => readPair(asObject(value) ?? {})),
    choice,
  );
}

function readPair(entry: WireObject): ListedPair | [] {
  const id = asText(entry.name);
  if (id === undefined) return [];
  const [base, quote] = [readCurrency(entry.firstCurrency), readCurrency(entry.secondCurrency)];
  if (base === undefined || quote === undefined) return [];
  return { id, liveName: id, base, quote, terms: () => readTerms(entry) };
}

function readTerms(entry: WireObject): MarketTerms | string {
  const pricePrecision = asCount(entry.priceDecimals, placesMax);
  if (pricePrecision === undefined) return 'priceDecimals is missing or out of range';
  const amountPrecision = asCount(entry.lotDecimals, placesMax);
  if (amountPrecision === undefined) return 'lotDecimals is missing or out of range';
  const minOrderSize = asPositive(entry.minAmount);
  if (minOrderSize === undefined) return 'minAmount is missing or not a positive decimal';
  return {
    status: 'trading',
    pricePrecision,
    amountPrecision,
    tickSize: unitAt(pricePrecision),
    minOrderSize,
    minOrderValue: undefined,
  };
}
