import { isoInstant } from '../contract/instant.ts';
import type { MarketBody, TickerBody } from '../contract/schemas.ts';
import type { ClientTicker } from '../market/client-ticker.ts';
import type { OfferedMarket } from '../market/market-catalogue.ts';

/** One Ticker as JSON text (contract, Ticker): members in the contract's order, absent ones left out. */
export function tickerFragment(ticker: ClientTicker): string {
  const { market, capturedAt } = ticker;
  return JSON.stringify({
    symbol: market.symbol,
    base: market.base,
    quote: market.quote,
    buyPrice: ticker.buyPrice,
    sellPrice: ticker.sellPrice,
    high24h: ticker.high24h,
    low24h: ticker.low24h,
    volume24h: ticker.volume24h,
    vwap24h: ticker.vwap24h,
    priceChangePercent1h: ticker.priceChangePercent1h,
    priceChangePercent24h: ticker.priceChangePercent24h,
    priceChangePercent7d: ticker.priceChangePercent7d,
    timestamp: isoInstant(capturedAt),
    timestampMs: capturedAt,
  } satisfies Written<TickerBody>);
}

/** One Market as JSON text (contract, Market). */
export function marketFragment(market: OfferedMarket): string {
  return JSON.stringify({
    symbol: market.symbol,
    base: market.base,
    quote: market.quote,
    status: market.status,
    pricePrecision: market.pricePrecision,
    amountPrecision: market.amountPrecision,
    tickSize: market.tickSize,
    minOrderSize: market.minOrderSize,
    minOrderValue: market.minOrderValue,
  } satisfies Written<MarketBody>);
}

/** A body before serialization, every member named: JSON leaves out `undefined` members. */
type Written<Body> = { [Member in keyof Body]-?: Body[Member] | undefined };
