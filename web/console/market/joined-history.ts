import type { PricePoint } from '../../generated/management-v1.d.ts';

const keptMs = 60 * 60 * 1_000;

/** Adds what is newer, and drops what is older than an hour before the newest. */
export function joined(known: readonly PricePoint[], added: readonly PricePoint[]): readonly PricePoint[] {
  const lastMs = known.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY;
  const newer = added.filter(({ atMs }) => atMs > lastMs);
  if (newer.length === 0) return known;
  const fromMs = newer.at(-1)!.atMs - keptMs;
  return [...known, ...newer].filter(({ atMs }) => atMs >= fromMs);
}
