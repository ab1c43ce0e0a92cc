import type { CurrencyCode, MarketSymbol } from '../../market/symbol.ts';

/**
 * Where a conversion rate comes from, as it is configured. A URL may carry credentials; they appear in no error and no
 * log.
 */
export type RateOrigin =
  /** The rates of `cnb` are in CZK, those of `ecb` are of EUR. */
  | { readonly source: 'cnb' | 'ecb'; readonly url: string }
  /**
   * Any JSON document with a number, or a string that holds one, at the pointer (RFC 6901), for example `/rates/CZK`.
   */
  | { readonly source: 'json'; readonly url: string; readonly pointer: string }
  /** A market of the rate's base and quote, which need not be of a configured quote currency. */
  | { readonly source: 'exchange'; readonly market: MarketSymbol };

/** Where the banks publish their fixings themselves. */
export const bankUrls = {
  cnb: 'https://api.cnb.cz/cnbapi/exrates/daily?lang=EN',
  ecb: 'https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml',
} as const;

/** The banks that have a rate, in the order in which they are asked. */
function banksFor(base: CurrencyCode, quote: CurrencyCode): ('cnb' | 'ecb')[] {
  return [...(quote === 'CZK' ? (['cnb'] as const) : []), ...(base === 'EUR' ? (['ecb'] as const) : [])];
}

/**
 * The second source that a rate is compared with: the configured one, else the first bank that has the rate and is not
 * its source. `undefined` where there is none.
 */
export function secondOrigin(
  { source, compare }: { readonly source: RateOrigin['source']; readonly compare?: RateOrigin | 'off' },
  base: CurrencyCode,
  quote: CurrencyCode,
): RateOrigin | undefined {
  if (compare !== undefined) return compare === 'off' ? undefined : compare;
  const bank = banksFor(base, quote).find((each) => each !== source);
  return bank && { source: bank, url: bankUrls[bank] };
}
