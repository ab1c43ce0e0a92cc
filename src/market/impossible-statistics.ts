import { type DecimalString, isAbove, isPositive, toBig } from './decimal.ts';
import type { OptionalValue, UpstreamTicker } from './upstream.ts';

/** From -100, the loss of everything, to below 100,000. */
const possibleChange = /^(?:\d{1,5}(?:\.\d*)?|-\d{1,2}(?:\.\d*)?|-100(?:\.0*)?)$/;

/**
 * Statistics that cannot be: a change beyond any of a day, a trade or an average outside half to double the range of
 * their 24 hours.
 */
export function impossibleIn(ticker: UpstreamTicker): OptionalValue[] {
  const { priceChangePercent24h: change, high24h, low24h } = ticker;
  const impossible: OptionalValue[] =
    change === undefined || possibleChange.test(change) ? [] : ['priceChangePercent24h'];
  if (high24h === undefined || low24h === undefined || !isPositive(low24h)) return impossible;
  const isOutside = (price: DecimalString | undefined) => {
    if (price === undefined) return false;
    if (isPositive(price) && !isAbove(low24h, price) && !isAbove(price, high24h)) return false;
    return toBig(price).times(2).lt(low24h) || toBig(high24h).times(2).lt(price);
  };
  for (const name of ['last', 'vwap24h'] as const) if (isOutside(ticker[name])) impossible.push(name);
  return impossible;
}
