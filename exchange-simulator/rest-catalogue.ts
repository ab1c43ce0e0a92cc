import { type CatalogueEntry, commonCode, type Pair, type PairStatus, tickText } from './catalogue.ts';

/** A pair as today's `AssetPairs` writes it: the recorded fields and those that came later, in the order of the documentation. */
export function pairAnswer(pair: Pair, status: PairStatus): Record<string, unknown> {
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

/** Decimals an asset is kept and shown with. */
export function assetPrecision(code: string): { precision: number; displayed: number } {
  return currencies.includes(code) ? { precision: 4, displayed: 2 } : { precision: 10, displayed: 5 };
}
