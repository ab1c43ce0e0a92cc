import type { AuditEntry } from '../../generated/management-v1.d.ts';

/** Entries that are shown as one: many things made by the same one after the other. */
export interface Fold {
  /** Latest first, never empty. */
  readonly entries: readonly AuditEntry[];
}

/** Fewer than these are shown one by one. */
const foldedMin = 4;
const gapMaxMs = 60_000;

/** Folds what was created in bulk; all else stays by itself. @param entries latest first */
export function foldsOf(entries: readonly AuditEntry[]): readonly Fold[] {
  const runs: AuditEntry[][] = [];
  for (const entry of entries) {
    const run = runs.at(-1);
    if (run !== undefined && isSameBulk(run.at(-1)!, entry)) run.push(entry);
    else runs.push([entry]);
  }
  return runs.flatMap((run) =>
    run.length < foldedMin ? run.map((entry) => ({ entries: [entry] })) : [{ entries: run }],
  );
}

function isSameBulk(later: AuditEntry, earlier: AuditEntry): boolean {
  const isMaking = /\.(create|announce|set)$/.test(later.action);
  return (
    isMaking &&
    later.action === earlier.action &&
    later.actor === earlier.actor &&
    later.atMs - earlier.atMs <= gapMaxMs
  );
}

const columns = ['at', 'actor', 'action', 'subjectKind', 'subject', 'summary', 'details'] as const;

/**
 * The entries as CSV (RFC 4180), instants in UTC. A text that a spreadsheet would run as a formula gets an apostrophe.
 */
export function csvOf(entries: readonly AuditEntry[]): string {
  const rows = entries.map(({ at, actor, action, subject, summary, details }) =>
    [at, actor, action, subject.kind, subject.id, summary, JSON.stringify(details)].map(cellOf).join(','),
  );
  return `${[columns.join(','), ...rows].join('\r\n')}\r\n`;
}

function cellOf(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
