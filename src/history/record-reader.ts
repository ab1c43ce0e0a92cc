import type { EpochMs } from '../clock.ts';
import { type Gap, gapsIn } from './coverage.ts';
import { decodeFacts } from './fact-codec.ts';
import { readJournal } from './journal.ts';
import { decodeKeyframe, type Keyframe, namesOfKeyframe } from './keyframe.ts';
import { journalOf } from './open-writer.ts';
import { RequestNumbers } from './publication.ts';
import { decodeQuotes } from './quote-codec.ts';
import { inOrder } from './row-batch.ts';
import {
  breakKinds,
  type FactRow,
  isBefore,
  type Position,
  type QuoteRow,
  type Rows,
  type ServingRow,
} from './rows.ts';
import type { Segment, SegmentHead, SegmentKind } from './segment.ts';
import type { Run, SegmentReader } from './segment-store.ts';
import { decodeServings } from './serving-codec.ts';

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

/** Everything that was in force at a position. */
export interface StateAt {
  readonly quotes: ReadonlyMap<string, QuoteRow>;
  /** By kind and subject, with a space between. */
  readonly facts: ReadonlyMap<string, FactRow>;
}

const headsPerRead = 64;

/** Reads rows out of segments, and out of the journals of the running minute. */
export class RecordReader {
  readonly #store: SegmentReader;
  readonly #names = new Map<string, readonly string[]>();

  constructor(store: SegmentReader) {
    this.#store = store;
  }

  chains(): Promise<readonly number[]> {
    return this.#store.chains();
  }

  /** Where a chain has no record. */
  async gaps(chain: number): Promise<readonly Gap[]> {
    const rows: FactRow[] = [];
    for (const head of await this.#store.heads({ kinds: ['breaks'], chain })) {
      rows.push(...decodeFacts((await this.#dataOf(head)).data, await this.#namesOf(head)));
    }
    const running = await this.#running(chain);
    rows.push(...running.facts.filter(({ kind }) => breakKinds.includes(kind)));
    return gapsIn(inOrder(rows));
  }

  /** What was published in a span, of a market or of all, segment by segment, each in order. */
  async *quotes(chain: number, symbol: string | undefined, { from, to }: RecordSpan): AsyncGenerator<QuoteRow[]> {
    const isIn = ({ at }: Position) => at >= from && at < to;
    // Before the segments, so that a minute that is sealed meanwhile is found twice rather than not at all.
    const running = await this.#running(chain);
    let last: QuoteRow | undefined;
    for (const head of await this.#store.heads({ kinds: ['quotes'], chain, from, to })) {
      const decoded = decodeQuotes((await this.#dataOf(head)).data, await this.#namesOf(head), symbol);
      const rows = inOrder(decoded.filter(isIn));
      last = rows.at(-1) ?? last;
      if (rows.length > 0) yield rows;
    }
    const rest = running.quotes.filter(
      (row) => (symbol === undefined || row.symbol === symbol) && isIn(row) && isAfter(row, last),
    );
    if (rest.length > 0) yield rest;
  }

  /** The last row of a market before a position; `undefined` where none is known. */
  async lastQuote(chain: number, symbol: string, before: Position): Promise<QuoteRow | undefined> {
    const running = await this.#running(chain);
    const inRunning = running.quotes.findLast((row) => row.symbol === symbol && isBefore(row, before));
    if (inRunning !== undefined) return inRunning;
    for await (const head of this.#backwards(chain, ['quotes'], before)) {
      if (head.kind === 'keyframe') {
        const { quotes } = await this.#keyframe(head);
        return quotes.find((row) => row.symbol === symbol && isBefore(row, before));
      }
      const rows = decodeQuotes((await this.#dataOf(head)).data, await this.#namesOf(head), symbol);
      const found = rows.findLast((row) => isBefore(row, before));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Everything in force at a position. */
  async stateAt(chain: number, before: Position): Promise<StateAt> {
    const quotes = new Map<string, QuoteRow>();
    const facts = new Map<string, FactRow>();
    const add = (rows: Pick<Rows, 'quotes' | 'facts'> | Keyframe) => {
      for (const row of rows.quotes.toReversed()) if (isBefore(row, before)) addFirst(quotes, row.symbol, row);
      for (const row of rows.facts.toReversed()) {
        if (isBefore(row, before)) addFirst(facts, `${row.kind} ${row.subject}`, row);
      }
    };
    const running = await this.#running(chain);
    add(running);
    for await (const head of this.#backwards(chain, ['quotes', 'facts', 'breaks'], before)) {
      if (head.kind === 'keyframe') {
        add(await this.#keyframe(head));
        break;
      }
      const { data } = await this.#dataOf(head);
      const names = await this.#namesOf(head);
      if (head.kind === 'quotes') add({ quotes: inOrder(decodeQuotes(data, names)), facts: [] });
      else add({ quotes: [], facts: inOrder(decodeFacts(data, names)) });
    }
    return { quotes, facts };
  }

  /** What a key was served in a span, segment by segment. @param keyId of all keys where it is left out */
  async *servings(chain: number, { from, to }: RecordSpan, keyId?: string): AsyncGenerator<FoundServing[]> {
    const running = await this.#running(chain);
    const isWanted = (row: ServingRow) => row.at >= from && row.at < to && (keyId === undefined || row.keyId === keyId);
    let last: ServingRow | undefined;
    for (const segment of await this.#store.heads({ kinds: ['servings'], chain, from, to })) {
      const rows = inOrder(decodeServings((await this.#dataOf(segment)).data, await this.#namesOf(segment), keyId));
      last = rows.at(-1) ?? last;
      const wanted = rows.filter(isWanted);
      if (wanted.length > 0) yield wanted.map((serving) => ({ serving, chain, run: segment.run, segment }));
    }
    const rest = running.servings.filter((row) => isWanted(row) && isAfter(row, last));
    if (rest.length > 0) yield rest.map((serving) => ({ serving, chain, run: running.run!, segment: undefined }));
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
    const serving = running.run === run ? running.servings.find(({ request }) => request === number) : undefined;
    if (serving !== undefined) return { serving, chain, run, segment: undefined };
    for (const segment of await this.#store.heads({ kinds: ['servings'], run, request: number })) {
      const rows = decodeServings((await this.#dataOf(segment)).data, await this.#namesOf(segment));
      const found = rows.find(({ request }) => request === number);
      if (found !== undefined) return { serving: found, chain, run, segment };
    }
    return undefined;
  }

  /** The latest segments that begin before a position, back to the keyframe that says what holds from there. */
  async *#backwards(chain: number, kinds: readonly SegmentKind[], before: Position): AsyncGenerator<SegmentHead> {
    const to = (before.at + 1) as EpochMs;
    const query = { kinds: [...kinds, 'keyframe' as const], chain, to, backwards: true, limit: headsPerRead };
    for (let beforeNumber = Number.MAX_SAFE_INTEGER; ; ) {
      const heads = await this.#store.heads({ ...query, beforeNumber });
      for (const head of heads) {
        // One at the very instant can already hold what came after.
        if (head.kind === 'keyframe' && head.firstAt >= before.at && head.count > 0) continue;
        yield head;
        if (head.kind === 'keyframe') return;
      }
      const last = heads.at(-1);
      if (last === undefined) return;
      beforeNumber = last.number;
    }
  }

  /** The rows of the running minute of a chain, and of which process. */
  async #running(chain: number): Promise<Rows & { readonly run: number | undefined }> {
    const { journalPath } = this.#store;
    const head = await this.#store.head(chain);
    const content =
      journalPath === undefined ? undefined : readJournal(journalOf(journalPath, chain), head?.number ?? 0);
    return { ...(content?.rows ?? { quotes: [], facts: [], servings: [] }), run: content?.run };
  }

  async #keyframe(head: SegmentHead): Promise<Keyframe> {
    return decodeKeyframe((await this.#dataOf(head)).data);
  }

  async #namesOf({ chain, keyframe }: SegmentHead): Promise<readonly string[]> {
    if (keyframe === 0) return [];
    const key = `${chain} ${keyframe}`;
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const names = namesOfKeyframe((await this.#segment(chain, keyframe)).data);
    this.#names.set(key, names);
    return names;
  }

  #dataOf({ chain, number }: SegmentHead): Promise<Segment> {
    return this.#segment(chain, number);
  }

  async #segment(chain: number, number: number): Promise<Segment> {
    const segment = await this.#store.segment(chain, number);
    if (segment === undefined) throw new RangeError(`the record has no segment ${number} in chain ${chain}`);
    return segment;
  }
}

function isAfter(row: Position, last: Position | undefined): boolean {
  return last === undefined || isBefore(last, row);
}

function addFirst<Value>(map: Map<string, Value>, key: string, value: Value): void {
  if (!map.has(key)) map.set(key, value);
}
