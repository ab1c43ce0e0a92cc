import type { EpochMs } from '../ground/clock.ts';

/** A time from an instant, inclusive, to another, exclusive. */
export interface Span {
  readonly from: EpochMs;
  readonly to: EpochMs;
}

/** The parts of a span that none of the others covers, in order. The others may overlap and come in any order. */
export function uncovered({ from, to }: Span, others: readonly Span[]): readonly Span[] {
  const parts: Span[] = [];
  let coveredTo = from;
  for (const other of others.toSorted((one, next) => one.from - next.from)) {
    if (other.from >= to) break;
    if (other.from > coveredTo) parts.push({ from: coveredTo, to: other.from });
    if (other.to > coveredTo) coveredTo = other.to;
  }
  if (coveredTo < to) parts.push({ from: coveredTo, to });
  return parts;
}

/** Trouble that is over sooner is no incident, and a shorter absence no outage. */
export const incidentAfterMs = 60_000;

/**
 * The incidents that unplanned spans make, in order: what a shorter pause parts is one, from its first instant to its
 * last, and one that holds less than a minute of trouble is none.
 */
export function incidentsIn(unplanned: readonly Span[]): readonly Span[] {
  const incidents: { from: EpochMs; to: EpochMs; troubleMs: number }[] = [];
  for (const { from, to } of unplanned) {
    const last = incidents.at(-1);
    if (last === undefined || from - last.to >= incidentAfterMs) {
      incidents.push({ from, to, troubleMs: to - from });
      continue;
    }
    last.to = to;
    last.troubleMs += to - from;
  }
  return incidents.filter(({ troubleMs }) => troubleMs >= incidentAfterMs).map(({ from, to }) => ({ from, to }));
}
