import { type ExpectedHead, type HeadFinding, headFinding } from '../segment/expected-heads.ts';
import { holdText, ledgerHash, runText } from '../segment/ledger.ts';
import type { LedgerFact } from '../segment/rows.ts';
import type { DaySeal, Deletion, LedgerEntry, LedgerKind, SegmentReader } from '../segment/segment-store.ts';

/** A row beside the segments, or its entry in the ledger. */
export interface LedgerSubject {
  readonly kind: 'run' | 'hold' | 'deletion' | 'entry';
  readonly number: number;
  /** That of a deletion. */
  readonly chain?: number;
  /** The kind of row that an entry is of, where that can be told. */
  readonly of?: LedgerKind;
}

/** Something beside the segments that is not as it was written. */
export interface LedgerFinding {
  readonly about: LedgerSubject;
  /** The same in words, such as `run 3`. */
  readonly subject: string;
  readonly what: 'changed' | 'missing' | 'unsealed';
}

/**
 * Compares runs, holds, deletions and seals with the ledger, and that with what the chains note of it.
 *
 * @param deletions of all chains
 */
export async function ledgerFinding(
  store: SegmentReader,
  notes: readonly LedgerFact[],
  deletions: readonly Deletion[],
): Promise<LedgerFinding | HeadFinding | undefined> {
  const entries = await store.ledger();
  const changed = changedEntry(entries, notes);
  // Only versions without a ledger have written.
  if (changed !== undefined || entries.length === 0) return changed;
  const parsed = (kind: LedgerKind) =>
    entries.filter((entry) => entry.kind === kind).map(({ text }) => ({ text, ...JSON.parse(text) }));
  const released = new Set(parsed('release').map(({ id }) => id));
  const held = parsed('hold').filter(({ id }) => !released.has(id));
  const differing =
    difference(parsed('run'), await store.runs(), ({ run }) => ({ kind: 'run', number: run }), runText) ??
    difference(held, await store.holds(), ({ id }) => ({ kind: 'hold', number: id }), holdText) ??
    difference(
      parsed('deletion'),
      deletions,
      ({ chain, first }) => ({ kind: 'deletion', number: first, chain }),
      JSON.stringify,
    );
  return differing ?? headFinding(store, [...parsed('seal'), ...parsed('stamp')].flatMap(headsIn));
}

function changedEntry(entries: readonly LedgerEntry[], notes: readonly LedgerFact[]): LedgerFinding | undefined {
  let previous: Uint8Array | undefined;
  const hashes: string[] = [];
  for (const { number, kind, text, hash } of entries) {
    const expected = ledgerHash(previous, kind, text);
    if (number !== hashes.length + 1) return found({ kind: 'entry', number: hashes.length + 1 }, 'missing');
    if (!expected.equals(hash)) return found({ kind: 'entry', number, of: kind }, 'changed');
    previous = hash;
    hashes.push(expected.toString('hex'));
  }
  const unlike = notes
    .toSorted((one, other) => one.number - other.number)
    .find(({ number, hash }) => hashes[number - 1] !== hash);
  const what = unlike !== undefined && unlike.number > entries.length ? 'missing' : 'changed';
  return unlike && found({ kind: 'entry', number: unlike.number }, what);
}

function found(about: LedgerSubject, what: LedgerFinding['what']): LedgerFinding {
  return { about, subject: subjectText(about), what };
}

function subjectText({ kind, number, chain, of }: LedgerSubject): string {
  if (kind === 'deletion') return `deletion ${number} of chain ${chain}`;
  if (kind !== 'entry') return `${kind} ${number}`;
  return `entry ${number} of the ledger${of === undefined ? '' : ` (${of})`}`;
}

/** Compares rows of a table with their entries. Of two entries for one row the first counts. */
function difference<Row>(
  entered: readonly (Row & { readonly text: string })[],
  rows: readonly Row[],
  subjectOf: (row: Row) => LedgerSubject,
  textOf: (row: Row) => string,
): LedgerFinding | undefined {
  const left = new Map(entered.toReversed().map((entry) => [subjectText(subjectOf(entry)), entry]));
  for (const row of rows) {
    const about = subjectOf(row);
    const subject = subjectText(about);
    const text = left.get(subject)?.text;
    if (text !== textOf(row)) return found(about, text === undefined ? 'unsealed' : 'changed');
    left.delete(subject);
  }
  const [missing] = left.values();
  return missing && found(subjectOf(missing), 'missing');
}

/** The ends of the chains at the end of a day. */
export function headsIn({ day, chain, segment, head, others = [] }: Partial<DaySeal>): ExpectedHead[] {
  return [`${chain} ${segment} ${head}`, ...others].map((end) => {
    const [of, number, hash] = end.split(' ');
    return { day, chain: Number(of), number: Number(number), hash: hash! };
  });
}
