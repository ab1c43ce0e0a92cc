import type { PricePoint } from '../../generated/management-v1.d.ts';

const everyMs = 5_000;
/** A point that is late is no gap. */
const gapAfterMs = 12_500;

/** A point of a line, or an instant that has none. */
export interface Drawn {
  readonly atMs: number;
  readonly point: PricePoint | undefined;
}

/** The points up to now, with an instant every 5 seconds where they are missing: drawn, an outage is a gap. */
export function withGaps(points: readonly PricePoint[], nowMs: number): readonly Drawn[] {
  return points.flatMap((point, at) => {
    const drawn: Drawn[] = [{ atMs: point.atMs, point }];
    const untilMs = points[at + 1]?.atMs ?? nowMs;
    if (untilMs - point.atMs <= gapAfterMs) return drawn;
    for (let atMs = point.atMs + everyMs; atMs < untilMs - 1_000; atMs += everyMs)
      drawn.push({ atMs, point: undefined });
    return drawn;
  });
}

const keptMs = 60 * 60 * 1_000;

/** Adds what is newer, and drops what is older than an hour before the newest. */
export function joined(known: readonly PricePoint[], added: readonly PricePoint[]): readonly PricePoint[] {
  const lastMs = known.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY;
  const newer = added.filter(({ atMs }) => atMs > lastMs);
  if (newer.length === 0) return known;
  const fromMs = newer.at(-1)!.atMs - keptMs;
  return [...known, ...newer].filter(({ atMs }) => atMs >= fromMs);
}
