import type { EpochMs } from '../../ground/clock.ts';
import type { ByteRange } from './groups.ts';
import type { ChainHead, Segment, SegmentHead, SegmentKind, SideRows, SideTables } from './segment.ts';

/** A process that wrote a part of the record. */
export interface Run {
  readonly run: number;
  readonly chain: number;
  readonly startedAt: EpochMs;
  /** Turns its request ids into numbers. */
  readonly requestKey: Uint8Array;
}

/** A span that retention leaves alone. */
export interface RecordHold {
  readonly id: number;
  readonly from: EpochMs;
  readonly to: EpochMs;
  readonly reason: string;
}

/** Segments that were deleted. Itself sealed: a fact of the same text is in the chain. */
export interface Deletion {
  readonly chain: number;
  readonly first: number;
  readonly last: number;
  /** Hash of the last of them, which the next one continues. */
  readonly hash: string;
  readonly until: EpochMs;
}

export type LedgerKind = 'run' | 'hold' | 'release' | 'deletion' | 'seal' | 'stamp';

/**
 * Something of the record beside its segments, sealed with all that came before it. It stays when segments are deleted.
 */
export interface LedgerEntry {
  /** 1, 2, 3 and so on, without a hole. */
  readonly number: number;
  readonly kind: LedgerKind;
  /** JSON. */
  readonly text: string;
  /** SHA-256 over the one before, at first 32 zero bytes, and over kind and text. */
  readonly hash: Uint8Array;
}

/** The record up to the end of a day. */
export interface DaySeal {
  /** The day that ended, such as `2026-11-22`, in UTC. */
  readonly day: string;
  readonly chain: number;
  /** The last segment of the day in this chain. */
  readonly segment: number;
  /** SHA-256 in hexadecimal digits. */
  readonly head: string;
  /** The ends of the other chains: number, segment and hash of each. */
  readonly others: readonly string[];
}

const silentAfterMs = 30_000;

/** A sign of life of the process that writes a chain: what it published before `at` is stored. */
export interface Sign {
  readonly chain: number;
  readonly at: EpochMs;
}

/** Whether the process that gave it has ended, and may have more than what is stored. */
export function isSilent({ at }: Sign, now: EpochMs): boolean {
  return now - at > silentAfterMs;
}

/** The last instant in the segments of a chain. */
export async function lastOf(store: SegmentReader, chain: number): Promise<EpochMs | undefined> {
  const kinds = ['quotes', 'facts', 'breaks', 'servings'] as const;
  const last = await store.heads({ kinds, chain, backwards: true, limit: 4 });
  return last.length === 0 ? undefined : (Math.max(...last.map(({ lastAt }) => lastAt)) as EpochMs);
}

/** Which segments to read, in the order of their numbers. */
export interface SegmentQuery {
  readonly kinds: readonly SegmentKind[];
  readonly chain?: number;
  readonly run?: number;
  /** Only segments that have a row from `from` on and before `to`. */
  readonly from?: EpochMs;
  readonly to?: EpochMs;
  readonly afterNumber?: number;
  readonly beforeNumber?: number;
  readonly request?: number;
  /** In the order of their last instants, which an index has for each kind. */
  readonly byTime?: boolean;
  /** The last first. */
  readonly backwards?: boolean;
  readonly limit?: number;
}

/** A part of the data of a segment: from `start` on, before `end` or its own end. */
export interface Slice extends ByteRange {
  readonly head: SegmentHead;
}

/** The place of the record, and of its journals. */
export type RecordLocation =
  | { readonly kind: 'sqlite'; readonly path: string }
  /** `journalPath` is a path on this machine that the names of the journals begin with. */
  | { readonly kind: 'postgres'; readonly url: string; readonly journalPath: string };

/** All of a record. */
export interface RecordContent {
  readonly tables: SideTables;
  readonly chains: readonly number[];
  readonly segments: AsyncIterable<Segment>;
}

/** Where segments are. Reads work beside a writer, in another process too. */
export interface SegmentReader {
  chains(): Promise<readonly number[]>;
  head(chain: number): Promise<ChainHead | undefined>;
  heads(query: SegmentQuery): Promise<readonly SegmentHead[]>;
  /** `undefined` for one that is not there. */
  segment(chain: number, number: number): Promise<Segment | undefined>;
  /** Parts of the data of segments of one chain, in the order that they are asked for, without reading the rest. */
  slices(slices: readonly Slice[]): Promise<readonly Uint8Array[]>;
  runs(): Promise<readonly Run[]>;
  holds(): Promise<readonly RecordHold[]>;
  deletions(chain: number): Promise<readonly Deletion[]>;
  /** Gives its entries after a number; none where only versions without a ledger have written. */
  ledger(after?: number): Promise<readonly LedgerEntry[]>;
  /**
   * The last one of each process that did not end in order; `undefined` where only versions that gave none have
   * written.
   */
  signs(): Promise<readonly Sign[] | undefined>;
  /** Gives all rows of a table, with their values in the order of its columns. */
  rowsOf(table: keyof SideTables): Promise<SideRows>;
  /** Gives what was copied of the journal of a process of another machine; absent where all are on this one. */
  journal?(chain: number): Promise<Buffer>;
  /** The beginning of the names of this store's journals; `undefined` for one without a file. */
  readonly journalPath: string | undefined;
  /** Whether its file or database is no longer in its place, or another is. */
  isMoved(): Promise<boolean>;
  close(): Promise<void>;
}

export interface SegmentStore extends SegmentReader {
  /** How far this machine's clock was ahead of that of the server at the last sign; absent where there is no server. */
  readonly clockOffsetMs?: number | undefined;
  /** A number for a new chain. @param taken numbers that this process cannot have */
  newChain(taken: readonly number[]): Promise<number>;
  /**
   * Fills an empty store. All of it arrives, or nothing.
   *
   * @param check looks at it before it stays, and throws where it may not
   */
  fill(content: RecordContent, check: (copy: SegmentReader) => Promise<void>): Promise<void>;
  /** All or none of them. */
  append(segments: readonly Segment[]): Promise<void>;
  /**
   * Instead of its last one.
   *
   * @param part of its journal from a byte on, for those who cannot read the file; it stays until `append`
   */
  sign(sign: Sign, part?: { readonly place: number; readonly data: Uint8Array }): Promise<void>;
  /** The process ended in order, or so long ago that nobody asks: neither its sign nor a copy of its journal stays. */
  signOff(chain: number): Promise<void>;
  /** Gives it a number. */
  addRun(run: Omit<Run, 'run'>): Promise<number>;
  addHold(hold: Omit<RecordHold, 'id'>): Promise<number>;
  /** Whether there was one of this id. */
  releaseHold(id: number): Promise<boolean>;
  /** Enters a seal of a day, or its time stamp. */
  addEntry(kind: 'seal' | 'stamp', value: object): Promise<void>;
  /** Until when retention may delete that wants to delete what is before an instant. */
  deletableBefore(before: EpochMs): EpochMs;
  /** Deletes the segments they name, and keeps a row of each deletion. All or none of them. */
  delete(deletions: readonly Deletion[]): Promise<void>;
}
