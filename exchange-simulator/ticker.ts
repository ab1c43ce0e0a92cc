/** The values of a market's ticker, with the names and in the order of Kraken's protocol. */
export const tickerFields = [
  'bid',
  'bid_qty',
  'ask',
  'ask_qty',
  'last',
  'volume',
  'vwap',
  'low',
  'high',
  'change',
  'change_pct',
  'trades',
] as const;

export type TickerField = (typeof tickerFields)[number];

/** Each value as its source text. */
export type TickerValues = Readonly<Record<TickerField, string>>;

/** Values with faults applied: any JSON text, or none. */
export type WireTicker = Readonly<Record<TickerField, string | undefined>>;

/** `units` with `decimals` places: 562183 and 1 give `56218.3`, −5 and 3 give `-0.005`. */
export function unitsText(units: number | bigint, decimals: number): string {
  const negative = units < 0;
  const digits = String(negative ? -units : units).padStart(decimals + 1, '0');
  const split = digits.length - decimals;
  const text = decimals === 0 ? digits : `${digits.slice(0, split)}.${digits.slice(split)}`;
  return negative ? `-${text}` : text;
}

const numeric = /^-?[\d.]+([eE][-+]?\d+)?$/;

/**
 * A value as a JSON string, as most exchanges write numbers; a fault's value that is not a number is left unchanged.
 */
export function quoted(value: string): string {
  return numeric.test(value) ? `"${value}"` : value;
}
