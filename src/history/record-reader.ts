import { statSync } from 'node:fs';
import type { EpochMs } from '../clock.ts';
import { DecodedSegments } from './decoded-segments.ts';
import { decodeFactGroup, decodeFacts } from './fact-codec.ts';
import { everything, type IsWanted } from './groups.ts';
import { type JournalContent, readJournal } from './journal.ts';
import { journalOf } from './open-writer.ts';
import { decodeMarkets } from './quote-codec.ts';
import { RequestNumbers } from './request-numbers.ts';
import type { RowBatch } from './row-batch.ts';
import {
  breakKinds,
  type FactRow,
  type Gap,
  gapsIn,
  inOrder,
  isBefore,
  type Position,
  type QuoteRow,
  type ServingRow,
} from './rows.ts';
import type { SegmentHead, SegmentKind } from './segment.ts';
import type { Run, SegmentReader } from './segment-store.ts';
import { servingDecoder } from './serving-codec.ts';

/** A span of the record: from `from` on, before `to`. */
export interface RecordSpan {
  readonly from: EpochMs;
  readonly to: EpochMs;
}

/** A serving, and where it is. */
export interface FoundServing {
  readonly serving: ServingRow;
  readonly chain: number;
  /** The process that answered. */
  readonly run: number;
  /** The segment that it is in; `undefined` while its minute runs. */
  readonly segment: SegmentHead | undefined;
}

/** The facts in force at a position, by kind and subject, with a space between. */
export type Facts = ReadonlyMap<string, FactRow>;

/** What comes before a position: the latest first, back to the keyframe that says what held when they began. */
interface Before {
  readonly running: readonly RowBatch[];
  readonly heads: readonly SegmentHead[];
  readonly keyframe: RowBatch | undefined;
}

/** More keyframes than this are not of one millisecond. */
const sameInstantMax = 8;

/** Reads rows out of segments, and out of the journals of the running minute. */
export class RecordReader {
  readonly #store: SegmentReader;
  readonly #segments: DecodedSegments;
  /** The journal that was read last: a question reads it several times. */
  #journal: { readonly version: string; readonly content: JournalContent | undefined } | undefined;
  /** Of each segment of breaks: there are few, and each question about prices looks at all. */
  readonly #breaks = new Map<string, readonly FactRow[]>();

  constructor(store: SegmentReader) {
    this.#store = store;
    this.#segments = new DecodedSegments(store);
  }

  chains(): Promise<readonly number[]> {
    return this.#store.chains();
  }

  /** Where a chain has no record. */
  async gaps(chain: number): Promise<readonly Gap[]> {
    const running = (await this.#running(chain)).batches.flatMap((batch) => batch.facts());
    const rows = running.filter(({ kind }) => breakKinds.includes(kind));
    for (const { number } of await this.#store.heads({ kinds: ['breaks'], chain })) {
      const key = `${chain} ${number}`;
      const known = this.#breaks.get(key) ?? decodeFacts((await this.#segments.whole(chain, number)).data);
      this.#breaks.set(key, known);
      rows.push(...known);
    }
    return gapsIn(inOrder(rows));
  }

  /** What was published in a span, of a market or of all, segment by segment, each in order. */
  async *quotes(chain: number, symbol: string | undefined, { from, to }: RecordSpan): AsyncGenerator<QuoteRow[]> {
    const isWanted = only(symbol);
    // Before the segments, so that a minute that is sealed meanwhile is found twice rather than not at all.
    const { batches } = await this.#running(chain);
    let last: QuoteRow | undefined;
    const heads = await this.#store.heads({ kinds: ['quotes'], chain, from, to });
    for await (const { found } of this.#segments.decoded(heads, decodeMarkets, isWanted)) {
      const rows = inOrder(found.flatMap((market) => market.rows(from, to)));
      last = rows.at(-1) ?? last;
      if (rows.length > 0) yield rows;
    }
    const rest = batches.flatMap((batch) => batch.markets(isWanted)).flatMap((market) => market.rows(from, to));
    const unsealed = inOrder(rest).filter((row) => isAfter(row, last));
    if (unsealed.length > 0) yield unsealed;
  }

  /** The last row of a market before a position; `undefined` where none is known. */
  async lastQuote(chain: number, symbol: string, before: Position): Promise<QuoteRow | undefined> {
    return (await this.lastQuotes(chain, before, only(symbol))).get(symbol);
  }

  /** The last row of each market before a position. */
  async lastQuotes(chain: number, before: Position, isWanted = everything): Promise<ReadonlyMap<string, QuoteRow>> {
    const found = new Map<string, QuoteRow>();
    const isMissing: IsWanted = (symbol) => isWanted(symbol) && !found.has(symbol);
    const add = (markets: ReturnType<typeof decodeMarkets>) => {
      for (const market of markets) {
        const row = market.lastBefore(before);
        if (row !== undefined) found.set(market.symbol, row);
      }
    };
    // Of one market the first that is found is all.
    const isDone = () => isWanted !== everything && found.size > 0;
    const { running, heads, keyframe } = await this.#before(chain, ['quotes'], before);
    for (const batch of running) if (!isDone()) add(batch.markets(isMissing));
    if (isDone()) return found;
    for await (const { found: markets } of this.#segments.decoded(heads, decodeMarkets, isMissing)) {
      add(markets);
      if (isDone()) return found;
    }
    if (keyframe !== undefined) add(keyframe.markets(isMissing));
    return found;
  }

  /** The facts in force at a position. */
  async factsAt(chain: number, before: Position, isWanted = everything): Promise<Facts> {
    const facts = new Map<string, FactRow>();
    const add = (rows: readonly FactRow[]) => {
      for (const row of rows.toReversed()) {
        const key = `${row.kind} ${row.subject}`;
        if (isBefore(row, before) && !facts.has(key)) facts.set(key, row);
      }
    };
    const { running, heads, keyframe } = await this.#before(chain, ['facts', 'breaks'], before);
    for (const batch of running) add(batch.facts(isWanted));
    for await (const { found } of this.#segments.decoded(heads, decodeFactGroup, isWanted)) add(inOrder(found));
    if (keyframe !== undefined) add(keyframe.facts(isWanted));
    return facts;
  }

  /** What a key was served in a span, segment by segment. @param keyId of all keys where it is left out */
  async *servings(chain: number, { from, to }: RecordSpan, keyId?: string): AsyncGenerator<FoundServing[]> {
    const { batches, run } = await this.#running(chain);
    const isIn = (row: ServingRow) => row.at >= from && row.at < to && (keyId === undefined || row.keyId === keyId);
    let last: ServingRow | undefined;
    const heads = await this.#store.heads({ kinds: ['servings'], chain, from, to });
    for await (const { head, found } of this.#segments.decoded(heads, servingDecoder(), only(keyId))) {
      const rows = inOrder(found);
      last = rows.at(-1) ?? last;
      const wanted = rows.filter(isIn);
      if (wanted.length > 0) yield wanted.map((serving) => ({ serving, chain, run: head.run, segment: head }));
    }
    const rest = batches.flatMap((batch) => batch.servings()).filter((row) => isIn(row) && isAfter(row, last));
    if (rest.length > 0) yield rest.map((serving) => ({ serving, chain, run: run!, segment: undefined }));
  }

  /** The answer with this request id; `undefined` where the record has none. */
  async findServing(requestId: string): Promise<FoundServing | undefined> {
    for (const run of (await this.#store.runs()).toReversed()) {
      const number = new RequestNumbers(run.requestKey).numberOf(requestId);
      if (number !== undefined) return this.#servingOf(run, number);
    }
    return undefined;
  }

  async #servingOf({ run, chain }: Run, number: number): Promise<FoundServing | undefined> {
    const running = await this.#running(chain);
    const batches = running.run === run ? running.batches : [];
    for (const batch of batches) {
      const serving = batch.servings().find(({ request }) => request === number);
      if (serving !== undefined) return { serving, chain, run, segment: undefined };
    }
    const heads = await this.#store.heads({ kinds: ['servings'], run, request: number });
    for await (const { head, found } of this.#segments.decoded(heads, servingDecoder(number), everything)) {
      const [serving] = found;
      if (serving !== undefined) return { serving, chain, run, segment: head };
    }
    return undefined;
  }

  async #before(chain: number, kinds: readonly SegmentKind[], before: Position): Promise<Before> {
    const running = (await this.#running(chain)).batches.filter(({ from }) => from <= before.at);
    const keyframe = await this.#keyframeBefore(chain, before);
    const to = (before.at + 1) as EpochMs;
    const [next] = await this.#store.heads({ kinds: ['keyframe'], chain, from: to, byTime: true, limit: 1 });
    const between = { afterNumber: keyframe?.number ?? 0, beforeNumber: next?.number ?? Number.MAX_SAFE_INTEGER };
    const heads = await this.#store.heads({ kinds, chain, to, ...between, backwards: true });
    return {
      running: running.toReversed(),
      heads,
      keyframe: keyframe && (await this.#segments.keyframe(chain, keyframe.number)).rows,
    };
  }

  /** The last one before a position. One at the very instant can already hold what came after, unless it is empty. */
  async #keyframeBefore(chain: number, { at }: Position): Promise<SegmentHead | undefined> {
    const to = (at + 1) as EpochMs;
    const query = { kinds: ['keyframe'] as const, chain, to, byTime: true, backwards: true, limit: sameInstantMax };
    const heads = await this.#store.heads(query);
    return heads.find(({ firstAt, count }) => firstAt < at || count === 0);
  }

  /** The batches of the running minute of a chain, and of which process. Read anew once there is more, or a new segment. */
  async #running(chain: number): Promise<{ readonly batches: readonly RowBatch[]; readonly run: number | undefined }> {
    const { journalPath } = this.#store;
    const head = (await this.#store.head(chain))?.number ?? 0;
    if (journalPath === undefined) return { batches: [], run: undefined };
    const path = journalOf(journalPath, chain);
    const file = statSync(path, { throwIfNoEntry: false });
    const version = `${path} ${head} ${file?.size} ${file?.mtimeMs}`;
    if (this.#journal?.version !== version) this.#journal = { version, content: readJournal(path, head) };
    const { content } = this.#journal;
    return { batches: content?.batches ?? [], run: content?.run };
  }
}

/** Wants one subject, or all where it is left out. */
function only(subject: string | undefined): IsWanted {
  return subject === undefined ? everything : (name) => name === subject;
}

function isAfter(row: Position, last: Position | undefined): boolean {
  return last === undefined || isBefore(last, row);
}
