import type { EpochMs } from '../ground/clock.ts';
import { type PendingMarkets, pendingOf } from './catalogue-review.ts';
import type { MarketCatalogue } from './market-catalogue.ts';
import type { MarketSymbol } from './symbol.ts';

/**
 * Gives all that waits of the lists of sources, by source: with what is not to be delisted without the operator, see
 * `MarketCatalogue.absences`.
 */
export function pendingLists(
  catalogue: Pick<MarketCatalogue, 'absences' | 'listedBySource' | 'records' | 'reviews'>,
  delistAfterMs: number,
): readonly PendingMarkets[] {
  const { pending } = catalogue.reviews;
  const { due, isHeldBack } = catalogue.absences(delistAfterMs);
  return isHeldBack ? [...pending, ...lossesOf(catalogue, new Set(due))] : pending;
}

/** Losses by the first source of each market that listed it. */
function lossesOf(
  catalogue: Pick<MarketCatalogue, 'listedBySource' | 'records'>,
  due: ReadonlySet<MarketSymbol>,
): PendingMarkets[] {
  const since = new Map(catalogue.records().map(({ symbol, absence }) => [symbol, absence?.since]));
  const left = new Set(due);
  return catalogue.listedBySource().flatMap(([source, listed]) => {
    const lost = listed.filter((symbol) => left.delete(symbol));
    if (lost.length === 0) return [];
    return pendingOf(source, 'loss', Math.min(...lost.map((symbol) => since.get(symbol)!)) as EpochMs, lost);
  });
}
