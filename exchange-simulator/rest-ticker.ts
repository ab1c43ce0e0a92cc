import type { FaultBoard } from './fault-board.ts';
import type { Market } from './market-walk.ts';
import { spoilt } from './ticker-faults.ts';

const numeric = /^-?[\d.]+([eE][-+]?\d+)?$/;

/** One member of the answer to REST `Ticker`: `"XXBTZEUR":{"a":[…],"b":[…],…}`. */
export function restTicker(market: Market, faults: FaultBoard, nowMs: number): string {
  const today = market.today(nowMs);
  const { symbol, id } = market.pair;
  const values = spoilt(faults, symbol, 'rest', market.values(nowMs));
  const members = [
    side('a', values.ask, values.ask_qty),
    side('b', values.bid, values.bid_qty),
    member('c', values.last, today.lastQty),
    member('v', today.volume, values.volume),
    member('p', today.vwap, values.vwap),
    values.trades === undefined ? undefined : `"t":[${Math.min(today.trades, Number(values.trades))},${values.trades}]`,
    member('l', today.low, values.low),
    member('h', today.high, values.high),
    `"o":"${today.open}"`,
  ];
  return `"${id}":{${members.filter((text) => text !== undefined).join(',')}}`;
}

/** Best ask or bid: price, the amount in whole lots, and the amount with three decimals. */
function side(key: string, price: string | undefined, quantity: string | undefined): string | undefined {
  const amount = quantity ?? '0';
  const split = amount.indexOf('.');
  const whole = split < 0 ? amount : amount.slice(0, split);
  return price === undefined ? undefined : `"${key}":[${quoted(price)},"${whole}","${Number(amount).toFixed(3)}"]`;
}

function member(key: string, first: string | undefined, second: string | undefined): string | undefined {
  return first === undefined || second === undefined ? undefined : `"${key}":[${quoted(first)},${quoted(second)}]`;
}

/** REST writes numbers as strings; what a fault put there instead of a number stays as it is. */
function quoted(value: string): string {
  return numeric.test(value) ? `"${value}"` : value;
}
