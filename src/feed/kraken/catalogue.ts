import { unitAt } from '../../market/decimal.ts';
import type { UpstreamMarketStatus } from '../../market/upstream.ts';
import { type ListedPair, type ListingChoice, type MarketTerms, selectMarkets } from '../market-listing.ts';
import { asCount, asObject, asPositive, asText, UpstreamError, type WireObject } from '../wire.ts';
import { type AssetNames, currencyOfAsset, liveNameOf } from './names.ts';

const placesMax = 18;

/** Reads the result of `Assets`: asset id to altname. */
export function readAssets(result: unknown): AssetNames {
  const assets = asObject(result);
  if (assets === undefined) throw new UpstreamError('malformed', 'Assets: not an object');
  const names = new Map<string, string>();
  for (const [id, asset] of Object.entries(assets)) {
    const altname = asText(asObject(asset)?.altname);
    if (altname !== undefined) names.set(id, altname);
  }
  return names;
}

/**
 * Reads the result of `AssetPairs`, in today's shape or in the older one without `status`, `tick_size` and `costmin`.
 * Ignores pairs without a `wsname` (dark pools). Throws only when the answer as a whole is unreadable.
 */
export function readAssetPairs(result: unknown, assets: AssetNames, choice: ListingChoice) {
  const pairs = asObject(result);
  if (pairs === undefined) throw new UpstreamError('malformed', 'AssetPairs: not an object');
  const listed = Object.entries(pairs).flatMap(([id, value]) => readPair(id, asObject(value) ?? {}, assets) ?? []);
  // A symbol belongs first to the pair that is written as it is, then to one with lower-case letters.
  return selectMarkets(
    listed.toSorted((one, other) => caseRank(one) - caseRank(other)),
    choice,
  );
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
  return { id, liveName, base, quote, objection, terms: () => readTerms(pair) };
}

function caseRank({ liveName, base, quote }: ListedPair): number {
  return liveName === `${base}/${quote}` ? 0 : 1;
}

/** The market, or the reason why it is skipped. */
function readTerms(pair: WireObject): MarketTerms | string {
  const pricePrecision = asCount(pair.pair_decimals, placesMax);
  if (pricePrecision === undefined) return 'pair_decimals is missing or out of range';
  const amountPrecision = asCount(pair.lot_decimals, placesMax);
  if (amountPrecision === undefined) return 'lot_decimals is missing or out of range';
  const tickSize = pair.tick_size === undefined ? unitAt(pricePrecision) : asPositive(pair.tick_size);
  if (tickSize === undefined) return 'tick_size is not a positive decimal';
  const minOrderSize = asPositive(pair.ordermin);
  if (minOrderSize === undefined) return 'ordermin is missing or not a positive decimal';
  const status = pair.status === undefined ? 'trading' : pairStatus(pair.status);
  return { status, pricePrecision, amountPrecision, tickSize, minOrderSize, minOrderValue: asPositive(pair.costmin) };
}

/** `trading` only for `online`; in every other state, known or not, the exchange takes fewer kinds of order or none. */
export function pairStatus(status: unknown): UpstreamMarketStatus {
  return status === 'online' ? 'trading' : 'paused';
}
