import type { Overview } from '../../generated/management-v1.d.ts';

type Note = Overview['notes'][number];

/** Something that needs attention. */
export interface Matter extends Note {
  /** The alert that it is, and since when; `null` while it is none. */
  readonly name: string | null;
  readonly sinceMs: number | null;
}

const ranks: readonly string[] = ['critical', 'warning', 'info'];

/**
 * Joins what needs attention with the alerts that are on, which are mostly the same: each once, the most urgent first.
 * Both come from one list of conditions in one order, so that the first note of a code is the first alert of it. Where
 * there are more of one than of the other, none of them says since when.
 */
export function matters({ notes, alerts }: Pick<Overview, 'notes' | 'alerts'>): readonly Matter[] {
  const codes = [...new Set([...notes, ...alerts].map(({ condition }) => condition?.code))];
  const all = codes.flatMap((code): readonly Matter[] => {
    const noted = notes.filter(({ condition }) => condition?.code === code);
    const on = alerts.filter(({ condition }) => condition?.code === code);
    if (noted.length === 0)
      return on.map(({ severity, summary: text, condition, name, sinceMs }) => {
        return { level: severity as Note['level'], text, condition, page: null, markets: [], name, sinceMs };
      });
    return noted.map((note, at) => {
      const alert = on.length === noted.length ? on[at] : undefined;
      return { ...note, name: alert?.name ?? null, sinceMs: alert?.sinceMs ?? null };
    });
  });
  return all.sort((one, other) => ranks.indexOf(one.level) - ranks.indexOf(other.level));
}
