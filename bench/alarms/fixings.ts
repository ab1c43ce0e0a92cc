import { readFileSync } from 'node:fs';
import type { EpochMs } from '../../src/ground/clock.ts';
import type { DecimalString } from '../../src/market/decimal.ts';
import type { CurrencyCode } from '../../src/market/symbol.ts';
import type { ConversionRate } from '../../src/market/upstream.ts';

/** One day's published rate of a currency for one euro. */
export interface Fixing {
  readonly date: string;
  readonly mid: DecimalString;
}

const hourMs = 3_600_000;
/** About when the Czech National Bank publishes, and the European Central Bank after it: UTC in winter. */
const publishedAfterMs = 13.5 * hourMs;
export const secondAfterMs = 1.5 * hourMs;

const [header, ...rows] = readFileSync(new URL('ecb-reference-rates.csv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .filter((line) => !line.startsWith('#'))
  .map((line) => line.split(','));

export const currencies: readonly string[] = header!.slice(1);

/** Every reference rate of the European Central Bank from the start of 2008, oldest first. */
export function fixingsOf(currency: string, from = '', to = '9999'): readonly Fixing[] {
  const column = header!.indexOf(currency);
  return rows
    .filter(([date = '']) => date >= from && date <= to)
    .map((row) => ({ date: row[0]!, mid: row[column] as DecimalString }));
}

export function publishedAt({ date }: Fixing): number {
  return Date.parse(date) + publishedAfterMs;
}

/** A reading of a rate for one euro. */
export function rateOf(mid: string, source: string, atMs: number, fixingDate?: string): ConversionRate {
  return {
    base: 'EUR' as CurrencyCode,
    quote: 'XXX' as CurrencyCode,
    mid: mid as DecimalString,
    source,
    fixingDate,
    refreshedAt: atMs as EpochMs,
  };
}
