import type { EpochMs } from '../../clock.ts';
import { parseDecimal, unitAt } from '../../market/decimal.ts';
import { requirePlaces } from '../listing-values.ts';
import type { ListedPair, MarketTerms } from '../market-listing.ts';
import type { TickerValues } from '../polled-tickers.ts';
import type { BestPrices } from '../top-of-book.ts';
import { asEpoch, asList, asPositive, asText, requireList, type WireObject } from '../wire.ts';

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

/** The first level of an `order_book` frame's data: both sides are sent whole, best price first. */
export function readTopOfBook(data: WireObject): BestPrices & { readonly upstreamTime: EpochMs | undefined } {
  const best = (side: unknown) => parseDecimal(asList(asList(side)?.[0])?.[0]);
  // Microseconds have more digits than a count may; the last three are below our resolution.
  const upstreamTime = asEpoch(asText(data.microtimestamp)?.slice(0, -3));
  return { bid: best(data.bids), ask: best(data.asks), upstreamTime };
}

/**
 * Reads one entry of `ticker`. `open` is today's and `open_24` that of 24 hours ago; the change is given.
 * `timestamp` has whole seconds and would order these tickers before live ones of the same second, so it is not used.
 */
export function readPolledTicker(entry: WireObject): TickerValues {
  return {
    bid: parseDecimal(entry.bid),
    ask: parseDecimal(entry.ask),
    last: parseDecimal(entry.last),
    high24h: parseDecimal(entry.high),
    low24h: parseDecimal(entry.low),
    volume24h: parseDecimal(entry.volume),
    vwap24h: parseDecimal(entry.vwap),
    priceChangePercent24h: parseDecimal(entry.percent_change_24),
    upstreamTime: undefined,
  };
}

/** The id of such an entry's pair: `BTC/EUR` is `btceur` in requests and channels. */
export function idOf({ pair }: WireObject): string | undefined {
  return asText(pair)?.replace('/', '').toLowerCase();
}
