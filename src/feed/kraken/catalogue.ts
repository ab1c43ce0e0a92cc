import { unitAt } from '../../market/decimal.ts';
import { type CurrencyCode, type MarketSymbol, symbolOf } from '../../market/symbol.ts';
import type { SkippedPair, UpstreamMarket, UpstreamMarketStatus } from '../../market/upstream.ts';
import { asCount, asObject, asPositive, asText, UpstreamError, type WireObject } from '../wire.ts';
import { type AssetNames, currencyOfAsset, liveNameOf, type PairNames } from './names.ts';

interface CatalogueChoice {
  readonly quotes: readonly CurrencyCode[];
  readonly symbols: 'all' | readonly MarketSymbol[];
}

interface ReadCatalogue {
  readonly markets: readonly UpstreamMarket[];
  readonly skipped: readonly SkippedPair[];
  /** Of every pair with a known name, chosen or not: a rate source may poll a pair that is not one of our markets. */
  readonly names: readonly PairNames[];
}

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
 * Ignores pairs without a `wsname` (dark pools). In `skipped` it reports a pair that should be a market and lacks a
 * required value, and one whose live name is not its own. Throws only when the answer as a whole is unreadable.
 */
export function readAssetPairs(result: unknown, assets: AssetNames, choice: CatalogueChoice): ReadCatalogue {
  const pairs = asObject(result);
  if (pairs === undefined) throw new UpstreamError('malformed', 'AssetPairs: not an object');
  const markets: UpstreamMarket[] = [];
  const skipped: SkippedPair[] = [];
  const names = new Map<MarketSymbol, PairNames>();
  for (const [id, value] of Object.entries(pairs)) {
    const pair = asObject(value) ?? {};
    const identity = readIdentity(id, pair, assets);
    if (identity === undefined) continue;
    const { symbol, liveName } = identity.names;
    const skip = (reason: string) => skipped.push({ name: id, symbol, reason });
    if (liveName !== `${identity.base}/${identity.quote}`) {
      // It would get the prices of the market whose name it carries.
      skip(`its live name ${liveName} differs from its base and quote, ${identity.base}/${identity.quote}`);
    } else if (names.has(symbol)) {
      skip(`${names.get(symbol)?.id} has the same live name, ${liveName}`);
    } else {
      names.set(symbol, identity.names);
      if (!isChosen(identity, choice)) continue;
      const market = readMarket(identity, pair);
      if (typeof market === 'string') skip(market);
      else markets.push(market);
    }
  }
  return { markets, skipped, names: [...names.values()] };
}

interface Identity {
  readonly names: PairNames;
  readonly base: CurrencyCode;
  readonly quote: CurrencyCode;
}

function readIdentity(id: string, pair: WireObject, assets: AssetNames): Identity | undefined {
  const liveName = liveNameOf(asText(pair.wsname) ?? '');
  const base = currencyOfAsset(asText(pair.base) ?? '', assets);
  const quote = currencyOfAsset(asText(pair.quote) ?? '', assets);
  if (liveName === undefined || base === undefined || quote === undefined) return undefined;
  return { names: { id, liveName, symbol: symbolOf(base, quote) }, base, quote };
}

function isChosen(identity: Identity, choice: CatalogueChoice): boolean {
  if (!choice.quotes.includes(identity.quote)) return false;
  return choice.symbols === 'all' || choice.symbols.includes(identity.names.symbol);
}

/** The market, or the reason why it is skipped. */
function readMarket(identity: Identity, pair: WireObject): UpstreamMarket | string {
  const pricePrecision = asCount(pair.pair_decimals, placesMax);
  if (pricePrecision === undefined) return 'pair_decimals is missing or out of range';
  const amountPrecision = asCount(pair.lot_decimals, placesMax);
  if (amountPrecision === undefined) return 'lot_decimals is missing or out of range';
  const tickSize = pair.tick_size === undefined ? unitAt(pricePrecision) : asPositive(pair.tick_size);
  if (tickSize === undefined) return 'tick_size is not a positive decimal';
  const minOrderSize = asPositive(pair.ordermin);
  if (minOrderSize === undefined) return 'ordermin is missing or not a positive decimal';
  return {
    symbol: identity.names.symbol,
    base: identity.base,
    quote: identity.quote,
    status: pair.status === undefined ? 'trading' : pairStatus(pair.status),
    pricePrecision,
    amountPrecision,
    tickSize,
    minOrderSize,
    minOrderValue: asPositive(pair.costmin),
  };
}

/** `trading` only for `online`; in every other state, known or not, the exchange takes fewer kinds of order or none. */
export function pairStatus(status: unknown): UpstreamMarketStatus {
  return status === 'online' ? 'trading' : 'paused';
}
