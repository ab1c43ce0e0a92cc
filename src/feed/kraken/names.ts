import type { CurrencyCode } from '../../market/symbol.ts';
import { readCurrency } from '../market-listing.ts';

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
 * The currency behind an asset id, in capitals also where Kraken writes a lower-case letter (`AAPLx`, a tokenised share);
 * `undefined` when its name is not a currency code (`ETH2.S`).
 */
export function currencyOfAsset(assetId: string, assets: AssetNames): CurrencyCode | undefined {
  return readCurrency(commonCode(assets.get(assetId) ?? legacyAssets.get(assetId) ?? assetId));
}

/** The version-2 channel name of a pair's `wsname`: `XBT/EUR` is `BTC/EUR`. `undefined` unless it has two halves. */
export function liveNameOf(wsname: string): string | undefined {
  const halves = wsname.split('/');
  return halves.length === 2 && halves.every((half) => half !== '') ? halves.map(commonCode).join('/') : undefined;
}
