import { type ExpectedHead, type HeadFinding, headFinding } from '../segment/expected-heads.ts';
import { holdText, ledgerHash, runText } from '../segment/ledger.ts';
import type { LedgerFact } from '../segment/rows.ts';
import type { DaySeal, Deletion, LedgerEntry, LedgerKind, SegmentReader } from '../segment/segment-store.ts';

/** Something beside the segments that is not as it was written. */
export interface LedgerFinding {
  /** Such as `run 3`. */
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
    difference(parsed('run'), await store.runs(), ({ run }) => `run ${run}`, runText) ??
    difference(held, await store.holds(), ({ id }) => `hold ${id}`, holdText) ??
    difference(
      parsed('deletion'),
      deletions,
      ({ chain, first }) => `deletion ${first} of chain ${chain}`,
      JSON.stringify,
    );
  return differing ?? headFinding(store, [...parsed('seal'), ...parsed('stamp')].flatMap(headsIn));
}

function changedEntry(entries: readonly LedgerEntry[], notes: readonly LedgerFact[]): LedgerFinding | undefined {
  let previous: Uint8Array | undefined;
  const hashes: string[] = [];
  for (const { number, kind, text, hash } of entries) {
    const expected = ledgerHash(previous, kind, text);
    if (number !== hashes.length + 1) return { subject: `entry ${hashes.length + 1} of the ledger`, what: 'missing' };
    if (!expected.equals(hash)) return { subject: `entry ${number} of the ledger (${kind})`, what: 'changed' };
    previous = hash;
    hashes.push(expected.toString('hex'));
  }
  const unlike = notes
    .toSorted((one, other) => one.number - other.number)
    .find(({ number, hash }) => hashes[number - 1] !== hash);
  const what = unlike !== undefined && unlike.number > entries.length ? 'missing' : 'changed';
  return unlike && { subject: `entry ${unlike.number} of the ledger`, what };
}

/** Compares rows of a table with their entries. Of two entries for one row the first counts. */
function difference<Row>(
  entered: readonly (Row & { readonly text: string })[],
  rows: readonly Row[],
  subjectOf: (row: Row) => string,
  textOf: (row: Row) => string,
): LedgerFinding | undefined {
  const texts = new Map(entered.toReversed().map((entry) => [subjectOf(entry), entry.text]));
  for (const row of rows) {
    const subject = subjectOf(row);
    const text = texts.get(subject);
    if (text !== textOf(row)) return { subject, what: text === undefined ? 'unsealed' : 'changed' };
    texts.delete(subject);
  }
  const [missing] = texts.keys();
  return missing === undefined ? undefined : { subject: missing, what: 'missing' };
}

/** The ends of the chains at the end of a day. */
export function headsIn({ day, chain, segment, head, others = [] }: Partial<DaySeal>): ExpectedHead[] {
  return [`${chain} ${segment} ${head}`, ...others].map((end) => {
    const [of, number, hash] = end.split(' ');
    return { day, chain: Number(of), number: Number(number), hash: hash! };
  });
}
