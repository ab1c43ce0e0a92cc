declare const marketSymbol: unique symbol;
declare const currencyCode: unique symbol;

/** Base and quote currency joined without a separator, upper case: `BTCEUR` (contract, Market). */
export type MarketSymbol = string & { readonly [marketSymbol]: true };

/** A currency in its common spelling, upper case letters and digits: `BTC`, `EUR`, `1INCH`. */
export type CurrencyCode = string & { readonly [currencyCode]: true };

const code = /^[A-Z0-9]{1,16}$/;
const symbolText = /^[A-Za-z0-9]{2,32}$/;

/** `undefined` unless the text is 1 to 16 ASCII capitals and digits. */
export function parseCurrency(text: unknown): CurrencyCode | undefined {
  return typeof text === 'string' && code.test(text) ? (text as CurrencyCode) : undefined;
}

export function symbolOf(base: CurrencyCode, quote: CurrencyCode): MarketSymbol {
  return `${base}${quote}` as string as MarketSymbol;
}

/**
 * Reads a symbol as a client writes it, in any case. Only ASCII letters and digits are folded, so no other script's
 * letter turns into one of ours. `undefined` when the text cannot be a symbol.
 */
export function parseSymbol(text: string): MarketSymbol | undefined {
  return symbolText.test(text) ? (text.toUpperCase() as MarketSymbol) : undefined;
}
