import type { EpochMs } from '../ground/clock.ts';
import { oldPriceAfterMs } from './data-flow.ts';
import type { OfferedMarket } from './market-catalogue.ts';
import type { Markets } from './markets.ts';
import type { ServedPrice } from './served-price.ts';
import type { MarketSymbol } from './symbol.ts';

/** A market of an exchange that has a price. */
export interface ServedMarket extends ServedPrice {
  readonly symbol: MarketSymbol;
  readonly status: OfferedMarket['status'];
  /** Since its price was last proved current, in milliseconds. */
  readonly ageMs: number;
}

/** Lists the markets of exchanges that have a price, and how each is served; converted ones are made from these. */
export function servedMarkets(markets: Markets, now: EpochMs): readonly ServedMarket[] {
  return markets.catalogue.listed(now).flatMap(({ symbol, isConverted, status }): ServedMarket[] => {
    const hasPrice = markets.acceptedTicker(symbol) !== undefined && markets.unpricedFrom(symbol) > now;
    const served = isConverted || status === 'delisted' || !hasPrice ? undefined : markets.sources.servedPrice(symbol);
    return served === undefined ? [] : [{ ...served, symbol, status, ageMs: Math.max(0, now - served.provedAt) }];
  });
}

/**
 * Whether the price may be another by now without anybody's fault showing: it trades, no live connection would tell,
 * and it was not proved current for long.
 */
export function isOld({ status, reach, ageMs }: ServedMarket): boolean {
  return status === 'trading' && reach !== 'live' && ageMs > oldPriceAfterMs;
}

/** Gives the market whose price was not proved current for longest. */
export function oldestOf(served: readonly ServedMarket[]): ServedMarket | undefined {
  return served.reduce<ServedMarket | undefined>(
    (oldest, each) => (oldest === undefined || each.ageMs > oldest.ageMs ? each : oldest),
    undefined,
  );
}
