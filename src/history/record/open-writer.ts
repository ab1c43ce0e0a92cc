import type { EpochMs } from '../../ground/clock.ts';
import { createIfMissing, lockForService } from '../../store/sqlite/file.ts';
import { isStoreError } from '../../store/store-error.ts';
import { AnswerLeaves } from '../reading/answer-leaves.ts';
import { chainsWithJournal, Journal, type JournalContent, journalOf, readJournal } from '../reading/journal.ts';
import { RecordReader } from '../reading/record-reader.ts';
import { rowsOf } from '../segment/row-batch.ts';
import { endOf, type GapFact, type Rows, startOf } from '../segment/rows.ts';
import { chainStart, sealed } from '../segment/segment.ts';
import { lastOf, type SegmentStore } from '../segment/segment-store.ts';
import { Publication } from './publication.ts';
import { RecordWriter, segmentsOf } from './writer.ts';

/** More processes than this do not share a store. */
const chainsMax = 64;

export interface OpenWriterOptions {
  readonly store: SegmentStore;
  /** Where the journal is: this path with the number of the chain after it. */
  readonly journalPath: string;
  readonly requestKey: Uint8Array;
  readonly now: EpochMs;
  readonly written: (bytes: number) => void;
}

export type OpenWriter = Awaited<ReturnType<typeof openWriter>>;

/**
 * Takes the first chain that no other process has, makes segments of what its last process left in the journal, and
 * begins a run. Throws the system's error, or `StoreError`.
 *
 * @returns `gap`: what the process before left out, because it ended without closing its record; `release` gives the
 * chain back
 */
export async function openWriter(options: OpenWriterOptions) {
  const { store, journalPath, requestKey, now, written } = options;
  const { chain, path, release } = await takeChain(store, journalPath);
  try {
    const head = (await store.head(chain)) ?? chainStart;
    const left = readJournal(path, head.number);
    // A database that was restored, or lost what it had confirmed, has no segments between its last and the journal's
    // first.
    const lastStored = left !== undefined && left.after > head.number ? await lastOf(store, chain) : undefined;
    const recovered = left && (await recover(store, chain, left));
    // The store refused it when it stopped.
    const isStopped = lastStored === undefined && recovered?.facts.some(({ kind }) => kind === 'stop') === true;
    const run = await store.addRun({ chain, startedAt: now, requestKey });
    await store.sign({ chain, at: now });
    const journal = new Journal(path);
    const publication = new Publication();
    const current = (await store.head(chain)) ?? chainStart;
    const writer = new RecordWriter({ publication, journal, store, chain, run, requestKey, head: current, written });
    const from = recovered && (lastStored ?? endOf(recovered) ?? (await lastOf(store, chain)));
    const gap: GapFact | undefined = isStopped ? undefined : from && { from, to: now, reason: 'killed' };
    return { writer, chain, gap, release };
  } catch (error) {
    release();
    throw error;
  }
}

/** Chains that have a journal here are this machine's: the first that is free goes on. Else a new one begins. */
async function takeChain(store: SegmentStore, journalPath: string) {
  const offered = chainsWithJournal(journalPath);
  for (const tried: number[] = []; ; ) {
    const chain = offered.shift() ?? (await store.newChain(tried));
    tried.push(chain);
    const path = journalOf(journalPath, chain);
    try {
      createIfMissing(path);
      return { chain, path, release: lockForService(path) };
    } catch (error) {
      if (!isStoreError(error, 'in_use')) throw error;
      if (tried.length >= chainsMax) throw error;
    }
  }
}

/** @returns the rows that the journal had */
async function recover(store: SegmentStore, chain: number, { batches, run }: JournalContent): Promise<Rows> {
  const rows = rowsOf(batches);
  const contents = segmentsOf(rows, run, { number: 0, names: [] });
  const inForce = await new RecordReader(store).inForceAt(chain, startOf(rows) ?? (0 as EpochMs));
  const { requestKey } = (await store.runs()).find((each) => each.run === run)!;
  const leaves = new AnswerLeaves(inForce, requestKey);
  leaves.apply(rows);
  await store.append(sealed(contents, chain, (await store.head(chain)) ?? chainStart, leaves.take().at(-1)));
  return rows;
}
