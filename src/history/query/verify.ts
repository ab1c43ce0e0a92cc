import { readJournal } from '../record/journal.ts';
import { journalOf } from '../record/open-writer.ts';
import { decodeFacts } from '../segment/fact-codec.ts';
import { DamagedChunk } from '../segment/record-form.ts';
import type { FactRow } from '../segment/rows.ts';
import { chainStart, hashOf, type Segment, segmentKinds } from '../segment/segment.ts';
import type { Deletion, SegmentReader } from '../segment/segment-store.ts';

/** The first thing in a chain that is not as it was written. */
export interface Finding {
  readonly chain: number;
  readonly number: number;
  readonly what: 'changed' | 'missing' | 'swapped' | 'deletion_unsealed' | 'damaged';
  /** The piece of its data that is damaged. */
  readonly chunk?: number;
}

export interface Verification {
  readonly segments: number;
  readonly deleted: number;
  /** The end of each chain, for comparison with what was noted elsewhere. */
  readonly heads: readonly { readonly chain: number; readonly number: number; readonly hash: string }[];
  /** `undefined` where all is as it was written. */
  readonly finding: Finding | undefined;
}

/** Looks at every segment of every chain. @param progress called with the number of segments so far */
export async function verifyRecord(store: SegmentReader, progress: (segments: number) => void): Promise<Verification> {
  const heads: { chain: number; number: number; hash: string }[] = [];
  const [unsealed, sealed] = [new Map<string, Deletion>(), new Set<string>()];
  let [segments, deleted] = [0, 0];
  for (const chain of await store.chains()) {
    const deletions = await store.deletions(chain);
    for (const each of deletions) unsealed.set(JSON.stringify(each), each);
    let head = chainStart;
    for (const { number } of await store.heads({ kinds: segmentKinds, chain })) {
      const skipped = skip(head.number, number, deletions);
      if (skipped === undefined)
        return { segments, deleted, heads, finding: { chain, number: head.number + 1, what: 'missing' } };
      deleted += skipped.count;
      const previous = skipped.hash ?? head.hash;
      const segment = (await store.segment(chain, number).catch(damagedChunk))!;
      if (segment instanceof DamagedChunk)
        return { segments, deleted, heads, finding: { chain, number, what: 'damaged', chunk: segment.chunk } };
      const what = faultOf(segment, previous);
      if (what !== undefined) return { segments, deleted, heads, finding: { chain, number, what } };
      for (const text of sealedDeletions(segment)) sealed.add(text);
      head = { number, hash: segment.hash };
      progress(++segments);
    }
    for (const text of runningDeletions(store, chain, head.number)) sealed.add(text);
    heads.push({ chain, number: head.number, hash: head.hash.toString('hex') });
  }
  const open = [...unsealed].find(([text]) => !sealed.has(text));
  const finding = open && ({ chain: open[1].chain, number: open[1].first, what: 'deletion_unsealed' } as const);
  return { segments, deleted, heads, finding };
}

function damagedChunk(error: unknown): DamagedChunk {
  if (error instanceof DamagedChunk) return error;
  throw error;
}

/** Finds what retention took out between two segments that follow each other; `undefined` where something else is missing. */
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

function faultOf(segment: Segment, previous: Buffer): Finding['what'] | undefined {
  const isWhole = hashOf(segment).equals(segment.hash);
  if (!isWhole) return 'changed';
  return segment.previous.equals(previous) ? undefined : 'swapped';
}

/** Reads what the running minute says of deletions: it is sealed when it is over. */
function runningDeletions({ journalPath }: SegmentReader, chain: number, head: number): string[] {
  const journal = journalPath === undefined ? undefined : readJournal(journalOf(journalPath, chain), head);
  return deletionsIn(journal?.batches.flatMap((batch) => batch.facts()) ?? []);
}

/** Reads what the segment says of deletions. */
function sealedDeletions({ kind, data }: Segment): string[] {
  return kind === 'breaks' ? deletionsIn(decodeFacts(data)) : [];
}

function deletionsIn(facts: readonly FactRow[]): string[] {
  return facts.filter(({ kind }) => kind === 'deletion').map(({ text }) => text);
}
