import { parseDecimal, unitAt } from '../../market/decimal.ts';
import { requirePlaces, requirePositive } from '../listing-values.ts';
import type { ListedPair, MarketTerms } from '../market-listing.ts';
import type { TickerValues } from '../polled-tickers.ts';
import { asEpoch, asText, requireList, type WireObject } from '../wire.ts';

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

/**
 * Reads one entry of `tickerAll`, whose numbers must be their source text. `change` and `open` are since today's open and
 * not over 24 hours, so neither is used.
 */
export function readTicker(entry: WireObject): TickerValues {
  return {
    bid: parseDecimal(entry.bid),
    ask: parseDecimal(entry.ask),
    last: parseDecimal(entry.last),
    high24h: parseDecimal(entry.high),
    low24h: parseDecimal(entry.low),
    volume24h: parseDecimal(entry.amount),
    vwap24h: undefined,
    priceChangePercent24h: undefined,
    // Documented as milliseconds, and sent as seconds: the size decides.
    upstreamTime: asEpoch(entry.timestamp),
  };
}
