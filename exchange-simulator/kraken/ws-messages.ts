import { type CatalogueEntry, type Pair, tickText } from '../catalogue.ts';
import type { Market } from '../market-walk.ts';
import { tickerFields, unitsText, type WireTicker } from '../ticker.ts';
import { assetPrecision } from './rest-answers.ts';

/** When a ticker is sent: when the best bid or offer changes, or with each trade. */
export type EventTrigger = 'bbo' | 'trades';

export const heartbeat = '{"channel":"heartbeat"}';

/** When a request arrived and when its answer is sent, in the format of the protocol. */
export interface Times {
  readonly time_in: string;
  readonly time_out: string;
}

/** Sent on connect and when the system's status changes. The id has more digits than a double holds. */
export function statusMessage(system: string, connectionId: bigint): string {
  return `{"channel":"status","type":"update","data":[{"version":"2.0.10","system":"${system}","api_version":"v2","connection_id":${connectionId}}]}`;
}

/** The answer to a successful request, its members in alphabetical order as on the real exchange. */
export function acknowledgement(method: string, requestId: number | undefined, result: object, times: Times): string {
  const ordered = Object.fromEntries(Object.entries(result).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return JSON.stringify({ method, req_id: requestId, result: ordered, success: true, ...times });
}

/** The answer to a refused request, or to one refused symbol of it. */
export function refusal(
  error: string,
  method: string | undefined,
  requestId: number | undefined,
  symbol: string | undefined,
  times: Times,
): string {
  return JSON.stringify({ error, method, req_id: requestId, success: false, symbol, ...times });
}

export function pong(requestId: number | undefined, times: Times): string {
  return JSON.stringify({ method: 'pong', req_id: requestId, ...times });
}

/** The whole catalogue for the instrument channel. Dark pools are not on it. */
export function instrumentSnapshot(entries: Iterable<CatalogueEntry>, markets: ReadonlyMap<string, Market>): string {
  const assets = new Set<string>();
  const pairs: string[] = [];
  for (const { pair } of entries) {
    if (pair === undefined) continue;
    assets.add(pair.base);
    assets.add(pair.quote);
    pairs.push(instrumentPair(pair, markets.get(pair.symbol)?.status ?? 'online'));
  }
  return instrumentFrame('snapshot', [...assets].toSorted(), pairs);
}

/** One pair that was listed, delisted or changed. */
export function instrumentUpdate(market: Market): string {
  return instrumentFrame('update', [], [instrumentPair(market.pair, market.status)]);
}

function instrumentFrame(type: string, assets: readonly string[], pairs: readonly string[]): string {
  const assetTexts = assets.map((code) => {
    const { precision, displayed } = assetPrecision(code);
    return `{"id":"${code}","status":"enabled","precision":${precision},"precision_display":${displayed},"borrowable":false,"collateral_value":0.00}`;
  });
  return `{"channel":"instrument","type":"${type}","data":{"assets":[${assetTexts.join(',')}],"pairs":[${pairs.join(',')}]}}`;
}

/** Built as text: small numbers must not become exponents nor lose trailing zeros. */
function instrumentPair(pair: Pair, status: string): string {
  const tick = tickText(pair);
  return (
    `{"symbol":"${pair.symbol}","base":"${pair.base}","quote":"${pair.quote}","status":"${status}"` +
    `,"qty_precision":${pair.lotDecimals},"qty_increment":${unitsText(1, pair.lotDecimals)}` +
    `,"price_precision":${pair.priceDecimals},"cost_precision":${pair.costDecimals}` +
    `,"marginable":false,"has_index":true,"cost_min":${pair.costMin}` +
    `,"tick_size":${tick},"price_increment":${tick},"qty_min":${pair.orderMin}}`
  );
}

/**
 * A frame of the ticker channel, built as text so that every digit is sent as it is:
 * `JSON.stringify` would drop trailing zeros. `timestamp` is left out in older frames.
 */
export function tickerFrame(
  type: 'snapshot' | 'update',
  symbol: string,
  values: WireTicker,
  timestamp: string | undefined,
): string {
  let text = `{"channel":"ticker","type":"${type}","data":[{"symbol":"${symbol}"`;
  for (const field of tickerFields) {
    const value = values[field];
    if (value !== undefined) text += `,"${field}":${value}`;
  }
  return timestamp === undefined ? `${text}}]}` : `${text},"timestamp":"${timestamp}"}]}`;
}
