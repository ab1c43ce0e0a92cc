import type { EpochMs } from '../clock.ts';
import type { BookContents } from './market-book.ts';

/** What is kept over a restart: the book's contents, and when the feed last proved current. */
export interface MarketSnapshot {
  readonly contents: BookContents;
  readonly lastUpdatedAt: EpochMs | undefined;
}

const format = 1;

export function writeSnapshot({ contents, lastUpdatedAt }: MarketSnapshot): string {
  return JSON.stringify({
    format,
    lastUpdatedAt,
    tickers: [...contents.tickers],
    references: [...contents.references],
    rates: [...contents.rates],
  });
}

/** Reads what `writeSnapshot` wrote; `undefined` for anything else, another version's format included. */
export function readSnapshot(text: string): MarketSnapshot | undefined {
  let read: Record<string, unknown>;
  try {
    read = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { tickers, references, rates, lastUpdatedAt } = read;
  if (read.format !== format || !Array.isArray(tickers) || !Array.isArray(references) || !Array.isArray(rates)) {
    return undefined;
  }
  return {
    contents: { tickers: new Map(tickers), references: new Map(references), rates: new Map(rates) },
    lastUpdatedAt: lastUpdatedAt as EpochMs | undefined,
  };
}
