import type { EpochMs } from '../../ground/clock.ts';
import { AnswerLeaves } from '../reading/answer-leaves.ts';
import type { Journal } from '../reading/journal.ts';
import { encodeFacts } from '../segment/fact-codec.ts';
import { encodeKeyframe, InForce } from '../segment/keyframe.ts';
import { encodeQuotes } from '../segment/quote-codec.ts';
import {
  breakKinds,
  endOf,
  type FactKind,
  type FactRow,
  isEmpty,
  type LedgerFact,
  type RecordPosition,
  type Rows,
  startOf,
} from '../segment/rows.ts';
import { type ChainHead, type Segment, type SegmentContent, type SegmentKind, sealed } from '../segment/segment.ts';
import { isSilent, type SegmentStore, type Sign } from '../segment/segment-store.ts';
import { encodeServings } from '../segment/serving-codec.ts';
import type { Publication } from './publication.ts';

/**
 * So much is on the disk of this machine alone, with the second that a tick takes to come and what it waits for the
 * store.
 */
const signEveryMs = 3_000;
const minuteMs = 60_000;
const hourMs = 3_600_000;
/** A busy minute is several segments, so that neither memory nor the time to encode one grows with the load. */
const rowsPerSegmentMax = 100_000;
/** Sealed and not stored. More means that the store takes nothing for long. */
const unstoredBytesMax = 64 * 1024 * 1024;

export interface RecordWriterParts {
  readonly publication: Publication;
  readonly journal: Journal;
  readonly store: SegmentStore;
  readonly chain: number;
  readonly run: number;
  readonly requestKey: Uint8Array;
  readonly head: ChainHead;
  /** So many bytes of the stream are in the journal. */
  readonly written: (bytes: number) => void;
}

/** Rows on their way to the journal. */
interface Batch {
  readonly rows: Rows;
  readonly restated: boolean;
  /** The length of the piece that they came in. */
  readonly bytes: number;
}

export interface WriterFigures {
  readonly quotes: number;
  readonly servings: number;
  readonly segmentBytes: number;
  readonly head: ChainHead;
  /** The last signs of processes that are silent. */
  readonly silent: readonly Sign[];
  /** How far this machine's clock is ahead of that of the store's server. */
  readonly clockOffsetMs: number | undefined;
}

/**
 * Writes what it is sent into the journal at once and into segments by the minute. Knows no clock. A disk that takes
 * nothing makes it keep what it has and try again; the sender sees that nothing is confirmed.
 */
export class RecordWriter {
  readonly #parts: RecordWriterParts;
  readonly #inForce = new InForce();
  readonly #leaves: AnswerLeaves;
  #head: ChainHead;
  #keyframe: Base & { readonly hour: number } = { number: 0, names: [], hour: -1 };
  #unwritten: Batch[] = [];
  #rows: Rows = { quotes: [], facts: [], servings: [] };
  #minute = 0;
  #signedAt = 0;
  #silent: readonly Sign[] = [];
  /** The last entry of the ledger that is in this chain. */
  #noted = 0;
  /** Bytes of the journal that others have. */
  #copied = 0;
  #unstored: Segment[] = [];
  #syncing: Promise<void> | undefined;
  #syncFailure: unknown;
  readonly #totals = { quotes: 0, servings: 0, segmentBytes: 0 };

  /** Throws the error of the disk. */
  constructor(parts: RecordWriterParts) {
    this.#parts = parts;
    this.#leaves = new AnswerLeaves(this.#inForce, parts.requestKey);
    this.#head = parts.head;
    this.#mark(this.#head.number);
  }

  figures(): WriterFigures {
    return { ...this.#totals, head: this.#head, silent: this.#silent, clockOffsetMs: this.#parts.store.clockOffsetMs };
  }

  /** Takes a piece of the stream. Throws the error of the disk; what it could not write it keeps. */
  async take(piece: Uint8Array): Promise<void> {
    const { rows, restated } = this.#parts.publication.read(piece);
    this.#unwritten.push({ rows, restated, bytes: piece.length });
    await this.#drain();
  }

  /**
   * Begins to bring the journal to the disk, closes a minute that is over, and signs for what was published before
   * `until`. Throws the error of the disk, be it of the time before.
   */
  async tick(now: EpochMs, until = now): Promise<void> {
    await this.#drain();
    this.#beginSync();
    if (isEmpty(this.#rows) || Math.floor(now / minuteMs) === this.#minute) await this.#storeUnstored();
    else await this.seal();
    if (until >= this.#signedAt && until < this.#signedAt + signEveryMs) return;
    await this.#sign(until);
    await this.#noteLedger(now);
  }

  /** Closes everything in order: a journal without a header says so. Throws the error of the disk. */
  async stop(): Promise<void> {
    await this.#drain();
    await this.seal();
    await this.#syncing;
    this.#parts.journal.clear();
    this.#parts.journal.close();
    await this.#parts.store.signOff(this.#parts.chain);
  }

  async #sign(at: EpochMs): Promise<void> {
    const { store, journal, chain } = this.#parts;
    const data = store.journal === undefined ? Buffer.alloc(0) : journal.from(this.#copied);
    await store.sign({ chain, at }, data.length === 0 ? undefined : { place: this.#copied, data });
    this.#copied += data.length;
    this.#signedAt = at;
    this.#silent = ((await store.signs()) ?? []).filter((sign) => isSilent(sign, at));
  }

  /** Seals the ledger with what this chain publishes. */
  async #noteLedger(at: EpochMs): Promise<void> {
    const last = (await this.#parts.store.ledger(this.#noted)).at(-1);
    if (last === undefined) return;
    const entry: LedgerFact = { number: last.number, hash: Buffer.from(last.hash).toString('hex') };
    await this.note('ledger', JSON.stringify(entry), at);
    this.#noted = last.number;
  }

  /** Records something of the record itself. Throws the error of the disk. */
  async note(kind: FactKind, text: string, at: EpochMs): Promise<void> {
    const facts: FactRow[] = [{ at, sub: 0, kind, subject: '', text }];
    this.#unwritten.push({ rows: { quotes: [], facts, servings: [] }, restated: false, bytes: 0 });
    await this.#drain();
  }

  /** Makes segments of the rows so far, and stores them. */
  async seal(): Promise<void> {
    if (!isEmpty(this.#rows)) {
      const at = endOf(this.#rows)!;
      const contents = segmentsOf(this.#rows, this.#parts.run, this.#keyframe);
      // Before anything else, so that a disk that is full changes nothing.
      this.#mark(this.#head.number + contents.length);
      this.#add(contents, this.#leaves.take().at(-1));
      this.#rows = { quotes: [], facts: [], servings: [] };
      if (Math.floor(at / hourMs) !== this.#keyframe.hour) this.#addKeyframe(at);
    }
    await this.#storeUnstored();
  }

  /** One at a time. Throws the error of the last one. */
  #beginSync(): void {
    if (this.#syncing !== undefined) return;
    const failure = this.#syncFailure;
    const ended = (error?: unknown) => {
      this.#syncFailure = error;
      this.#syncing = undefined;
    };
    this.#syncing = this.#parts.journal.sync().then(ended, ended);
    if (failure !== undefined) throw failure;
  }

  async #drain(): Promise<void> {
    for (let batch = this.#unwritten[0]; batch !== undefined; batch = this.#unwritten[0]) {
      await this.#write(batch);
      this.#unwritten.shift();
      this.#parts.written(batch.bytes);
    }
  }

  async #write({ rows, restated }: Batch): Promise<void> {
    const at = startOf(rows);
    if (at === undefined) return;
    const minute = Math.floor(at / minuteMs);
    const isFull = Math.max(this.#rows.quotes.length, this.#rows.servings.length) >= rowsPerSegmentMax;
    if (!isEmpty(this.#rows) && (restated || minute !== this.#minute || isFull)) await this.seal();
    const unstoredBytes = this.#unstored.reduce((sum, { data }) => sum + data.length, 0);
    if (unstoredBytes > unstoredBytesMax) throw new Error('the store takes no segments');
    if (restated) await this.#beginAnew(at);
    this.#parts.journal.append(rows);
    this.#minute = isEmpty(this.#rows) ? minute : this.#minute;
    for (const row of rows.quotes) this.#rows.quotes.push(row);
    for (const row of rows.facts) this.#rows.facts.push(row);
    for (const row of rows.servings) this.#rows.servings.push(row);
    this.#leaves.apply(rows);
    this.#totals.quotes += rows.quotes.length;
    this.#totals.servings += rows.servings.length;
  }

  /** Nothing from before holds any more: who looks back must not look further than this. */
  async #beginAnew(at: EpochMs): Promise<void> {
    this.#inForce.clear();
    this.#addKeyframe(at);
    // The first full minute is followed by a keyframe that has something in it.
    this.#keyframe = { ...this.#keyframe, hour: -1 };
    await this.#storeUnstored();
  }

  #addKeyframe(at: EpochMs): void {
    const keyframe = this.#inForce.keyframe();
    const { quotes, facts, names } = keyframe;
    const place = { run: this.#parts.run, firstAt: at, lastAt: at, requests: noRequests, keyframe: 0 };
    const data = encodeKeyframe(keyframe);
    this.#add([{ kind: 'keyframe', ...place, count: quotes.length + facts.length, data }]);
    this.#keyframe = { number: this.#head.number, names, hour: Math.floor(at / hourMs) };
  }

  #add(contents: readonly SegmentContent[], root?: Buffer): void {
    this.#unstored.push(...sealed(contents, this.#parts.chain, this.#head, root));
    this.#head = this.#unstored.at(-1)!;
  }

  async #storeUnstored(): Promise<void> {
    if (this.#unstored.length === 0) return;
    await this.#parts.store.append(this.#unstored);
    for (const { data } of this.#unstored) this.#totals.segmentBytes += data.length;
    this.#unstored = [];
    this.#copied = 0;
    // What is in it now is in segments; rows that came meanwhile keep it as it is.
    if (!isEmpty(this.#rows)) return;
    this.#parts.journal.clear();
    this.#mark(this.#head.number);
  }

  #mark(after: number): void {
    this.#parts.journal.mark({ run: this.#parts.run, after });
  }
}

/** The request numbers of segments that hold no servings. */
const noRequests = { low: 0, high: 0 } as const;

/** The keyframe whose names are referred to. */
interface Base {
  readonly number: number;
  readonly names: readonly string[];
}

/** The segments that rows make, one of each kind there is. */
export function segmentsOf({ quotes, facts, servings }: Rows, run: number, { number, names }: Base): SegmentContent[] {
  const contents: SegmentContent[] = [];
  const add = (
    kind: SegmentKind,
    rows: readonly RecordPosition[],
    encode: () => Buffer,
    keyframe: number,
    requests: SegmentContent['requests'] = noRequests,
  ) => {
    if (rows.length === 0) return;
    const span = { firstAt: rows[0]!.at, lastAt: rows.at(-1)!.at };
    contents.push({ run, kind, ...span, count: rows.length, requests, keyframe, data: encode() });
  };
  const { breaks = [], others = [] } = Object.groupBy(facts, ({ kind }) =>
    breakKinds.includes(kind) ? 'breaks' : 'others',
  );
  add('quotes', quotes, () => encodeQuotes(quotes, names), number);
  add('facts', others, () => encodeFacts(others), 0);
  add('breaks', breaks, () => encodeFacts(breaks), 0);
  const low = servings.reduce((least, { request }) => Math.min(least, request), Number.MAX_SAFE_INTEGER);
  const high = servings.reduce((most, { request }) => Math.max(most, request), 0);
  add('servings', servings, () => encodeServings(servings, names), number, { low, high });
  return contents;
}
