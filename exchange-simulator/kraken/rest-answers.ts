import { type CatalogueEntry, commonCode, type MarketState, type Pair, tickText } from '../catalogue.ts';
import { corrupted, type FaultBoard } from '../fault-board.ts';
import type { Market } from '../market-walk.ts';
import { quoted } from '../ticker.ts';

/** A pair as today's `AssetPairs` answers it: the recorded fields and the newer ones, in the documented order. */
export function pairAnswer(pair: Pair, status: MarketState): Record<string, unknown> {
  const { recorded } = pair;
  const fields = Object.entries(recorded).flatMap(([field, value]) =>
    field === 'pair_decimals'
      ? [
          ['cost_decimals', pair.costDecimals],
          [field, value],
        ]
      : [[field, value]],
  );
  return { ...Object.fromEntries(fields), costmin: pair.costMin, tick_size: tickText(pair), status };
}

/** A pair in EUR as `AssetPairs` answers it, with its id, of an asset that `Assets` does not know. */
export function inventedPair(base: string): readonly [id: string, pair: Record<string, unknown>] {
  const fees = [
    [0, 0.4],
    [10_000, 0.35],
    [50_000, 0.24],
    [100_000, 0.22],
  ];
  const id = `${base}EUR`;
  return [
    id,
    {
      altname: id,
      wsname: `${base}/EUR`,
      aclass_base: 'currency',
      base,
      aclass_quote: 'currency',
      quote: 'ZEUR',
      lot: 'unit',
      cost_decimals: 5,
      pair_decimals: 4,
      lot_decimals: 8,
      lot_multiplier: 1,
      leverage_buy: [],
      leverage_sell: [],
      fees,
      fees_maker: fees,
      fee_volume_currency: 'ZUSD',
      margin_call: 80,
      margin_stop: 40,
      ordermin: '1',
      costmin: '0.45',
      tick_size: '0.0001',
      status: 'online',
    },
  ];
}

/** `Assets`: every asset the listed pairs are made of, by its own id. */
export function assetsAnswer(entries: readonly CatalogueEntry[]): Record<string, unknown> {
  const assets = new Map<string, unknown>();
  for (const { pair, recorded } of entries) {
    if (pair === undefined) continue;
    const [base = '', quote = ''] = pair.wsname.split('/');
    assets.set(recorded.base, asset(base));
    assets.set(recorded.quote, asset(quote));
  }
  return Object.fromEntries([...assets].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function asset(altname: string): unknown {
  const { precision, displayed } = assetPrecision(commonCode(altname));
  return { aclass: 'currency', altname, decimals: precision, display_decimals: displayed, status: 'enabled' };
}

const currencies = ['AUD', 'CAD', 'CHF', 'CZK', 'EUR', 'GBP', 'JPY', 'USD'];

/** The decimals in which an asset is booked and displayed. */
export function assetPrecision(code: string): { precision: number; displayed: number } {
  return currencies.includes(code) ? { precision: 4, displayed: 2 } : { precision: 10, displayed: 5 };
}

/** One member of the answer to REST `Ticker`: `"XXBTZEUR":{"a":[…],"b":[…],…}`. */
export function tickerAnswer(market: Market, faults: FaultBoard, nowMs: number): string {
  const today = market.today(nowMs);
  const { symbol, id } = market.pair;
  const values = corrupted(faults, symbol, 'rest', market.values(nowMs));
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
