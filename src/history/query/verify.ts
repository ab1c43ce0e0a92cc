import { journalOf, readJournal } from '../reading/journal.ts';
import { type ExpectedHead, type HeadFinding, headFinding } from '../segment/expected-heads.ts';
import { decodeFacts } from '../segment/fact-codec.ts';
import { DamagedChunk } from '../segment/record-form.ts';
import type { FactRow, LedgerFact } from '../segment/rows.ts';
import { chainStart, hashOf, segmentKinds } from '../segment/segment.ts';
import type { Deletion, SegmentReader } from '../segment/segment-store.ts';
import { type LedgerFinding, ledgerFinding } from './ledger-finding.ts';

/** The first thing in a chain that is not as it was written. */
interface ChainFinding {
  readonly chain: number;
  readonly number: number;
  readonly what: 'changed' | 'swapped' | 'missing' | 'deletion_unsealed' | 'damaged';
  /** The piece of its data that is damaged. */
  readonly chunk?: number;
}

/** The head of a day, and the answer of the authority that stamped it, DER in base64. */
export type Stamp = Record<'day' | 'head' | 'response', string>;

export type Finding = ChainFinding | LedgerFinding | HeadFinding;

export interface Verification {
  readonly segments: number;
  readonly deleted: number;
  /** The end of each chain, for comparison with what was noted elsewhere. */
  readonly heads: readonly { readonly chain: number; readonly number: number; readonly hash: string }[];
  /** Time stamps of days, which are to be verified by themselves; absent where there is none. */
  readonly stamps?: readonly Stamp[];
  /** `undefined` where all is as it was written. */
  readonly finding: Finding | undefined;
}

/**
 * Looks at every segment of every chain.
 *
 * @param progress called with the number of segments so far
 * @param kept what the store knows of it
 */
export async function verifyRecord(
  store: SegmentReader,
  progress: (segments: number) => void,
  kept: readonly ExpectedHead[] = [],
): Promise<Verification> {
  const heads: { chain: number; number: number; hash: string }[] = [];
  const unsealed = new Map<string, Deletion>();
  const sealed = new Set<string>();
  const notes: LedgerFact[] = [];
  const note = (facts: readonly FactRow[]) => {
    for (const { kind, text } of facts) {
      if (kind === 'deletion') sealed.add(text);
      if (kind === 'ledger') notes.push(JSON.parse(text));
    }
  };
  let [segments, deleted] = [0, 0];
  const verification = (finding: Finding | undefined) => ({ segments, deleted, heads, finding });
  for (const chain of await store.chains()) {
    const deletions = await store.deletions(chain);
    for (const each of deletions) unsealed.set(JSON.stringify(each), each);
    let head = chainStart;
    for (const { number } of await store.heads({ kinds: segmentKinds, chain })) {
      const skipped = skip(head.number, number, deletions);
      if (skipped === undefined) return verification({ chain, number: head.number + 1, what: 'missing' });
      deleted += skipped.count;
      const reading = store.segment(chain, number);
      const segment = (await reading.catch((error) =>
        error instanceof DamagedChunk ? error : Promise.reject(error),
      ))!;
      if (segment instanceof DamagedChunk)
        return verification({ chain, number, what: 'damaged', chunk: segment.values.chunk });
      if (!hashOf(segment).equals(segment.hash)) return verification({ chain, number, what: 'changed' });
      if (!segment.previous.equals(skipped.hash ?? head.hash)) return verification({ chain, number, what: 'swapped' });
      if (segment.kind === 'breaks') note(decodeFacts(segment.data));
      head = { number, hash: segment.hash };
      progress(++segments);
    }
    // The running minute is sealed when it is over.
    const { journalPath } = store;
    const journal = journalPath === undefined ? undefined : readJournal(journalOf(journalPath, chain), head.number);
    for (const batch of journal?.batches ?? []) note(batch.facts());
    heads.push({ chain, number: head.number, hash: head.hash.toString('hex') });
  }
  const open = [...unsealed].find(([text]) => !sealed.has(text));
  const finding =
    (open && ({ chain: open[1].chain, number: open[1].first, what: 'deletion_unsealed' } as const)) ??
    (await ledgerFinding(store, notes, [...unsealed.values()])) ??
    (await headFinding(store, kept));
  const stamps: Stamp[] = (await store.ledger())
    .filter(({ kind }) => kind === 'stamp')
    .map(({ text }) => JSON.parse(text));
  return { ...verification(finding), ...(stamps.length > 0 && { stamps }) };
}

/**
 * Finds what retention took out between two segments that follow each other; `undefined` where something else is
 * missing.
 */
export function skip(last: number, next: number, deletions: readonly Deletion[]) {
  let [at, count] = [last, 0];
  let hash: Buffer | undefined;
  while (at + 1 < next) {
    const deletion = deletions.find(({ first }) => first === at + 1);
    if (deletion === undefined) return undefined;
    count += deletion.last - at;
    at = deletion.last;
    hash = Buffer.from(deletion.hash, 'hex');
  }
  return { count, hash };
}
