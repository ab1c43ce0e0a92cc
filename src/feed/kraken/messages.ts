import { unitAt } from '../../market/decimal.ts';
import type { CurrencyCode } from '../../market/symbol.ts';
import type { ListedStatus, MarketTerms } from '../../market/upstream.ts';
import {
  type ListedPair,
  placesMax,
  readCurrency,
  requirePlaces,
  requirePositive,
  type StateTable,
  statusIn,
} from '../market-listing.ts';
import { readCommonValues, type TickerValues } from '../rest-answers.ts';
import {
  asCount,
  asDecimal,
  asInstant,
  asList,
  asObject,
  asPositive,
  asText,
  requireObject,
  type WireObject,
} from '../wire.ts';

/** Kraken's own codes that differ from the common ones. */
const commonCodes = new Map([
  ['XBT', 'BTC'],
  ['XDG', 'DOGE'],
]);

/**
 * Legacy asset ids, with X before crypto assets and Z before state currencies. The list is closed: newer ids carry no
 * prefix (`XTZ` is Tezos, not a prefixed `TZ`), so a prefix is only removed by id.
 */
const legacyIds = 'XETC XETH XLTC XMLN XREP XXBT XXDG XXLM XXMR XXRP XZEC ZAUD ZCAD ZEUR ZGBP ZJPY ZUSD'.split(' ');
const legacyAssets = new Map(legacyIds.map((id) => [id, id.slice(1)]));

/** Asset id to Kraken's altname (`ZEUR` to `EUR`), from the REST call `Assets`. */
export type AssetNames = ReadonlyMap<string, string>;

/** The common code of a Kraken code: `XBT` is `BTC`, `EUR` stays. */
export function commonCode(krakenCode: string): string {
  return commonCodes.get(krakenCode) ?? krakenCode;
}

/**
 * The currency behind an asset id, in capitals also where Kraken writes a lower-case letter (`AAPLx`, a tokenised
 * share); `undefined` when its name is not a currency code (`ETH2.S`).
 */
export function currencyOfAsset(assetId: string, assets: AssetNames): CurrencyCode | undefined {
  return readCurrency(commonCode(assets.get(assetId) ?? legacyAssets.get(assetId) ?? assetId));
}

/** The version-2 channel name of a pair's `wsname`: `XBT/EUR` is `BTC/EUR`. `undefined` unless it has two halves. */
export function liveNameOf(wsname: string): string | undefined {
  const halves = wsname.split('/');
  return halves.length === 2 && halves.every((half) => half !== '') ? halves.map(commonCode).join('/') : undefined;
}

/** Reads the result of `Assets`: asset id to altname. */
export function readAssets(result: unknown): AssetNames {
  const assets = Object.entries(requireObject(result, 'Assets'));
  return new Map(
    assets.flatMap(([id, asset]) => {
      const altname = asText(asObject(asset)?.altname);
      return altname === undefined ? [] : [[id, altname]];
    }),
  );
}

/**
 * Reads the result of `AssetPairs`, also in the older shape without `status`, `tick_size` and `costmin`. Ignores pairs
 * without `wsname` (dark pools).
 */
export function readAssetPairs(result: unknown, assets: AssetNames = new Map()): ListedPair[] {
  const pairs = Object.entries(requireObject(result, 'AssetPairs'));
  const listed = pairs.flatMap(([id, pair]) => readPair(id, asObject(pair) ?? {}, assets) ?? []);
  // The pair whose name is in capitals takes precedence over one with lower-case letters.
  return listed.toSorted((one, other) => caseRank(one) - caseRank(other));
}

function readPair(id: string, pair: WireObject, assets: AssetNames): ListedPair | undefined {
  const liveName = liveNameOf(asText(pair.wsname) ?? '');
  const base = currencyOfAsset(asText(pair.base) ?? '', assets);
  const quote = currencyOfAsset(asText(pair.quote) ?? '', assets);
  if (liveName === undefined || base === undefined || quote === undefined) return undefined;
  // It would get the prices of the market whose name it carries.
  const isOwnName = liveName.toUpperCase() === `${base}/${quote}`;
  const objection = isOwnName
    ? undefined
    : `its live name ${liveName} differs from its base and quote, ${base}/${quote}`;
  const status = pair.status === undefined ? 'trading' : pairStatus(pair.status);
  return { id, liveName, base, quote, status, objection, terms: () => readTerms(pair) };
}

function caseRank({ liveName, base, quote }: ListedPair): number {
  return liveName === `${base}/${quote}` ? 0 : 1;
}

function readTerms(pair: WireObject): MarketTerms {
  const pricePrecision = requirePlaces(pair, 'pair_decimals');
  return {
    pricePrecision,
    amountPrecision: requirePlaces(pair, 'lot_decimals'),
    tickSize: pair.tick_size === undefined ? unitAt(pricePrecision) : requirePositive(pair, 'tick_size'),
    minOrderSize: requirePositive(pair, 'ordermin'),
    minOrderValue: asPositive(pair.costmin),
  };
}

/** `maintenance`, `work_in_progress` and `delisted` are on the channel `instrument` only. */
export const pairStates = {
  online: 'trading',
  cancel_only: 'paused',
  limit_only: 'paused',
  maintenance: 'paused',
  post_only: 'paused',
  reduce_only: 'paused',
  work_in_progress: 'paused',
  delisted: 'ended',
} as const satisfies StateTable;

export function pairStatus(status: unknown): ListedStatus {
  return statusIn(pairStates, status);
}

/** The terms in an entry of the channel `instrument`, without values that are missing or unreadable. */
export function readAnnouncedTerms(pair: WireObject): Partial<MarketTerms> | undefined {
  const terms = {
    pricePrecision: asCount(pair.price_precision, placesMax),
    amountPrecision: asCount(pair.qty_precision, placesMax),
    tickSize: asPositive(pair.price_increment) ?? asPositive(pair.tick_size),
    minOrderSize: asPositive(pair.qty_min),
    minOrderValue: asPositive(pair.cost_min),
  };
  const announced = Object.entries(terms).filter(([, value]) => value !== undefined);
  return announced.length === 0 ? undefined : Object.fromEntries(announced);
}

/** Reads one entry of the live channel's `data`. A value that is missing or not a decimal is `undefined`. */
export function readLiveTicker(entry: WireObject): TickerValues {
  return {
    ...readCommonValues(entry),
    priceChangePercent24h: asDecimal(entry.change_pct),
    upstreamTime: asInstant(entry.timestamp),
  };
}

/**
 * Reads one entry of the REST call `Ticker`. Index 1 of `v`, `p`, `l` and `h` is over 24 hours (index 0 is since
 * midnight). It carries no time, and no change over 24 hours.
 */
export function readPolledTicker(entry: WireObject): TickerValues {
  const at = (member: string, index: number) => asList(entry[member])?.[index];
  const [bid, ask, last] = ['b', 'a', 'c'].map((member) => at(member, 0));
  const [high, low, volume, vwap] = ['h', 'l', 'v', 'p'].map((member) => at(member, 1));
  const values = readCommonValues({ bid, ask, last, high, low, volume, vwap });
  return { ...values, priceChangePercent24h: undefined, upstreamTime: undefined };
}
