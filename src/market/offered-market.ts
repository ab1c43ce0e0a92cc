import type { EpochMs } from '../ground/clock.ts';
import { shortest, unitAt } from './decimal.ts';
import { type Lifecycle, listedUntil, type MarketStatus, statusOf } from './lifecycle.ts';
import type { MarketSymbol } from './symbol.ts';
import type { UpstreamMarket } from './upstream.ts';

/** A market as clients see it (contract, Market), with the internal facts about it. */
export interface OfferedMarket extends Omit<UpstreamMarket, 'status'> {
  readonly status: MarketStatus;
  /** The exchange market that prices it: itself, or the one a converted market derives from. */
  readonly exchangeSymbol: MarketSymbol;
  readonly isConverted: boolean;
  /** The first instant at which a delisted market is gone from the list; `undefined` while it is not delisted. */
  readonly listedUntil: EpochMs | undefined;
}

/** A market of the exchange as it is offered. */
export function offerExchange(market: UpstreamMarket, lifecycle: Lifecycle): OfferedMarket {
  const { minOrderValue } = market;
  return {
    ...market,
    status: statusOf(lifecycle),
    tickSize: shortest(market.tickSize),
    minOrderSize: shortest(market.minOrderSize),
    minOrderValue: minOrderValue === undefined ? undefined : shortest(minOrderValue),
    exchangeSymbol: market.symbol,
    isConverted: false,
    listedUntil: listedUntil(lifecycle),
  };
}

/** The market that is converted from one of the exchange, under its own names and decimals. */
export function offerConverted(
  market: UpstreamMarket,
  lifecycle: Lifecycle,
  own: Pick<OfferedMarket, 'symbol' | 'quote' | 'pricePrecision'>,
): OfferedMarket {
  return {
    ...offerExchange(market, lifecycle),
    ...own,
    tickSize: unitAt(own.pricePrecision),
    minOrderValue: undefined,
    isConverted: true,
  };
}
