import type { Market } from '../market-walk.ts';
import { unitsText, type WireTicker } from '../ticker.ts';

/** One side of a book: price as JSON text, amount. The best price first. */
export type Side = ReadonlyMap<string, string>;

export interface Book {
  readonly buy: Side;
  readonly sell: Side;
}

const depth = 4;

/** A small book below a market's best prices. A side whose best price a fault removes is empty. */
export function bookOf(market: Market, values: WireTicker): Book {
  return {
    buy: sideOf(market, values.bid, values.bid_qty, -1),
    sell: sideOf(market, values.ask, values.ask_qty, 1),
  };
}

function sideOf(market: Market, best: string | undefined, amount = '0', direction: 1 | -1): Side {
  const { priceDecimals, tickUnits } = market.pair;
  const levels = new Map<string, string>();
  if (best === undefined) return levels;
  levels.set(best, amount);
  const units = Math.round(Number(best) * 10 ** priceDecimals);
  for (let level = 1; level < depth; level++) {
    const price = units + direction * level * tickUnits;
    if (price > 0) levels.set(unitsText(price, priceDecimals), '1.00000000');
  }
  return levels;
}

/** The changes from one book to the next, `[side, price, amount]`; an amount of zero removes a level. */
export function changesOf(before: Book, after: Book): [side: 'buy' | 'sell', price: string, amount: string][] {
  return (['buy', 'sell'] as const).flatMap((side) => {
    const gone = [...before[side].keys()].filter((price) => !after[side].has(price));
    const set = [...after[side]].filter(([price, amount]) => before[side].get(price) !== amount);
    return [
      ...gone.map((price): [typeof side, string, string] => [side, price, '0.00000000']),
      ...set.map(([price, amount]): [typeof side, string, string] => [side, price, amount]),
    ];
  });
}
