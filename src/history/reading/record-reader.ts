import { existsSync, statSync } from 'node:fs';
import type { EpochMs } from '../../ground/clock.ts';
import { RequestNumbers } from '../../ground/request-numbers.ts';
import { DecodedSegments } from '../segment/decoded-segments.ts';
import { decodeFactGroup, decodeFacts } from '../segment/fact-codec.ts';
import { everything, type IsWanted } from '../segment/groups.ts';
import { InForce } from '../segment/keyframe.ts';
import { decodeMarkets } from '../segment/quote-codec.ts';
import type { RowBatch } from '../segment/row-batch.ts';
import {
  breakKinds,
  type FactRow,
  inOrder,
  isBefore,
  lastingBreakKinds,
  type QuoteRow,
  type RecordPosition,
  type Rows,
  type ServingRow,
} from '../segment/rows.ts';
import { type SegmentHead, type SegmentKind, segmentKinds } from '../segment/segment.ts';
import { isSilent, lastOf, type SegmentReader } from '../segment/segment-store.ts';
import { servingDecoder } from '../segment/serving-codec.ts';
import { type ChainFacts, Coverage } from './coverage.ts';
import { type JournalContent, journalContent, journalOf, readJournal } from './journal.ts';

/** A span of the record: from `from` on, before `to`. */
export interface RecordSpan {
  readonly from: EpochMs;
  readonly to: EpochMs;
}

/** An answer with its request id. */
export interface ServedRow extends ServingRow {
  readonly requestId: string;
}

/** An answer, and where it is. */
export interface FoundServing {
  readonly serving: ServedRow;
  readonly chain: number;
  /** The segment that it is in; `undefined` while its minute runs. */
  readonly segment: SegmentHead | undefined;
}

/** The facts in force at a position, by kind and subject, with a space between. */
export type Facts = ReadonlyMap<string, FactRow>;

type Running = Partial<JournalContent> & Pick<JournalContent, 'batches'>;
const nothing: Running = { batches: [] };

/** A full minute at once would be a hundred megabytes. */
const batchRows = 2_048;

/** More keyframes than this are not of one millisecond. */
const sameInstantMax = 8;

/** Reads rows out of segments, and out of the journals of the running minute. */
export class RecordReader {
  readonly #store: SegmentReader;
  readonly #segments: DecodedSegments;
  /** The journal that was read last: a question reads it several times, and that of a busy minute has megabytes. */
  #journal: { readonly version: string; readonly content: JournalContent | undefined } | undefined;
  /** The rows of each segment of breaks: there are few, and each question about prices looks at all. */
  readonly #breaks = new Map<string, readonly FactRow[]>();

  constructor(store: SegmentReader) {
    this.#store = store;
    this.#segments = new DecodedSegments(store);
  }

  /** Finds which chain has what of the record, as it is known at `now`. @param isSealed of what is in segments */
  async coverage(now: EpochMs, isSealed = false): Promise<Coverage> {
    const signs = await this.#store.signs();
    const chains: ChainFacts[] = [];
    for (const chain of await this.#store.chains()) {
      const { batches } = isSealed ? nothing : await this.#running(chain);
      const sign = signs?.find((each) => each.chain === chain);
      // A backup has the sign without the journal.
      const isKept =
        !isSealed && (this.#store.journal !== undefined || existsSync(journalOf(this.#store.journalPath!, chain)));
      const [first] = await this.#store.heads({ kinds: segmentKinds, chain, limit: 1 });
      const begin = first!.firstAt;
      const ends = [isKept ? sign?.at : undefined, await lastOf(this.#store, chain), batches.at(-1)?.from];
      chains.push({
        chain,
        breaks: await this.#breaksOf(chain, batches, first!),
        begin,
        until: Math.max(...ends.map((at) => at ?? begin)) as EpochMs,
        isAlive: signs === undefined || (sign && !isSilent(sign, now)),
      });
    }
    return new Coverage(chains);
  }

  async #breaksOf(chain: number, batches: readonly RowBatch[], first: SegmentHead): Promise<FactRow[]> {
    const rows = batches.flatMap((batch) => batch.facts()).filter(({ kind }) => breakKinds.includes(kind));
    for (const { number } of await this.#store.heads({ kinds: ['breaks'], chain })) {
      const key = `${chain} ${number}`;
      const known = this.#breaks.get(key) ?? decodeFacts((await this.#segments.whole(chain, number)).data);
      this.#breaks.set(key, known);
      rows.push(...known);
    }
    if (first.kind === 'keyframe') {
      // Retention leaves a keyframe at the beginning, with what held then.
      const held = (await this.#segments.keyframe(chain, first.number)).rows.facts((subject) => subject === '');
      rows.push(...held.filter(({ kind }) => lastingBreakKinds.includes(kind)));
    }
    return inOrder(rows.filter(({ kind }) => kind !== 'ledger'));
  }

  /** Gives what was published in a span, of a market or of all, part by part of segments, each in order. */
  async *quotes(chain: number, symbol: string | undefined, { from, to }: RecordSpan): AsyncGenerator<QuoteRow[]> {
    const isWanted = wanting(symbol);
    // Before the segments, so that a minute that is sealed meanwhile is found twice rather than not at all.
    const { batches } = await this.#running(chain);
    let last: QuoteRow | undefined;
    const heads = await this.#store.heads({ kinds: ['quotes'], chain, from, to });
    for await (const { head, found } of this.#segments.decoded(heads, decodeMarkets, isWanted)) {
      const stepMs = Math.ceil((head.lastAt + 1 - head.firstAt) / Math.ceil(head.count / batchRows));
      for (let start = head.firstAt; start <= head.lastAt; start = (start + stepMs) as EpochMs) {
        const until = Math.min(to, start + stepMs);
        const rows = inOrder(found.flatMap((market) => market.rows(Math.max(from, start), until)));
        last = rows.at(-1) ?? last;
        if (rows.length > 0) yield rows;
      }
    }
    const rest = batches.flatMap((batch) => batch.markets(isWanted)).flatMap((market) => market.rows(from, to));
    const unsealed = inOrder(rest).filter((row) => isAfter(row, last));
    if (unsealed.length > 0) yield unsealed;
  }

  /** The last row of a market before a position; `undefined` where none is known. */
  async lastQuote(chain: number, symbol: string, before: RecordPosition): Promise<QuoteRow | undefined> {
    return (await this.lastQuotes(chain, before, symbol)).get(symbol);
  }

  /** The last row of each market before a position, or of one. */
  async lastQuotes(chain: number, before: RecordPosition, only?: string): Promise<ReadonlyMap<string, QuoteRow>> {
    const found = new Map<string, QuoteRow>();
    const isWanted = wanting(only);
    const isMissing: IsWanted = (symbol) => isWanted(symbol) && !found.has(symbol);
    const add = (markets: ReturnType<typeof decodeMarkets>) => {
      for (const market of markets) {
        const row = market.lastBefore(before);
        if (row !== undefined) found.set(market.symbol, row);
      }
    };
    // Of one market the first that is found is all.
    const isDone = () => only !== undefined && found.size > 0;
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
  async factsAt(chain: number, before: RecordPosition, isWanted = everything): Promise<Facts> {
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

  /** Gives what a key was served in a span, segment by segment. @param keyId of all keys where it is left out */
  async *servings(chain: number, { from, to }: RecordSpan, keyId?: string): AsyncGenerator<ServedRow[]> {
    const { batches, run } = await this.#running(chain);
    const numbers = new Map((await this.#store.runs()).map((each) => [each.run, new RequestNumbers(each.requestKey)]));
    const isIn = (row: ServingRow) => row.at >= from && row.at < to && (keyId === undefined || row.keyId === keyId);
    const served = (row: ServingRow, by: number) => ({ ...row, requestId: numbers.get(by)!.idOf(row.request) });
    let last: ServingRow | undefined;
    const heads = await this.#store.heads({ kinds: ['servings'], chain, from, to });
    for await (const { head, found } of this.#segments.decoded(heads, servingDecoder(), wanting(keyId))) {
      const rows = inOrder(found);
      last = rows.at(-1) ?? last;
      const wanted = rows.filter(isIn);
      if (wanted.length > 0) yield wanted.map((row) => served(row, head.run));
    }
    const rest = batches.flatMap((batch) => batch.servings()).filter((row) => isIn(row) && isAfter(row, last));
    if (rest.length > 0) yield rest.map((row) => served(row, run!));
  }

  /** Gives the facts of a span, segment by segment. */
  async *facts(chain: number, { from, to }: RecordSpan): AsyncGenerator<FactRow[]> {
    const { batches } = await this.#running(chain);
    const isIn = (row: FactRow) => row.at >= from && row.at < to;
    const sealed: FactRow[] = [];
    const heads = await this.#store.heads({ kinds: ['facts', 'breaks'], chain, from, to });
    for await (const { found } of this.#segments.decoded(heads, decodeFactGroup, everything)) sealed.push(...found);
    const last = inOrder(sealed).at(-1);
    const rest = batches.flatMap((batch) => batch.facts()).filter((row) => isAfter(row, last));
    yield [...sealed, ...rest].filter(isIn);
  }

  /** Everything in force before an instant. */
  async inForceAt(chain: number, at: EpochMs): Promise<InForce> {
    const inForce = new InForce();
    const quotes = [...(await this.lastQuotes(chain, { at, sub: 0 })).values()];
    inForce.apply({ quotes, facts: [...(await this.factsAt(chain, { at, sub: 0 })).values()], servings: [] });
    return inForce;
  }

  /** The answers of a segment, with what was published from the first to the last of them. */
  async answersIn(head: SegmentHead): Promise<Rows> {
    const { chain, firstAt: from, lastAt } = head;
    const span = { from, to: (lastAt + 1) as EpochMs };
    const answers = await Array.fromAsync(this.#segments.decoded([head], servingDecoder(), everything));
    return {
      quotes: (await Array.fromAsync(this.quotes(chain, undefined, span))).flat(),
      facts: inOrder((await Array.fromAsync(this.facts(chain, span))).flat()),
      servings: inOrder(answers.flatMap(({ found }) => found)),
    };
  }

  /** The answer with this request id; `undefined` where the record has none. */
  async findServing(requestId: string): Promise<FoundServing | undefined> {
    for (const { run, chain, requestKey } of (await this.#store.runs()).toReversed()) {
      const request = new RequestNumbers(requestKey).numberOf(requestId);
      if (request === undefined) continue;
      const running = await this.#running(chain);
      const unsealed = running.run === run ? running.batches.flatMap((batch) => batch.servings()) : [];
      const serving = unsealed.find((row) => row.request === request);
      if (serving !== undefined) return { serving: { ...serving, requestId }, chain, segment: undefined };
      const heads = await this.#store.heads({ kinds: ['servings'], run, request });
      for await (const { head, found } of this.#segments.decoded(heads, servingDecoder(request), everything)) {
        if (found[0] !== undefined) return { serving: { ...found[0], requestId }, chain, segment: head };
      }
      return undefined;
    }
    return undefined;
  }

  /** Finds rows before a position: the latest first, back to the keyframe that says what held when they began. */
  async #before(chain: number, kinds: readonly SegmentKind[], before: RecordPosition) {
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
  async #keyframeBefore(chain: number, { at }: RecordPosition): Promise<SegmentHead | undefined> {
    const to = (at + 1) as EpochMs;
    const query = { kinds: ['keyframe'] as const, chain, to, byTime: true, backwards: true, limit: sameInstantMax };
    const heads = await this.#store.heads(query);
    return heads.find(({ firstAt, count }) => firstAt < at || count === 0);
  }

  /** The batches of the running minute of a chain, and of which process. */
  async #running(chain: number): Promise<Running> {
    const { journalPath } = this.#store;
    const head = (await this.#store.head(chain))?.number ?? 0;
    if (journalPath === undefined) return nothing;
    const path = journalOf(journalPath, chain);
    const file = statSync(path, { throwIfNoEntry: false });
    // Of another machine there is no file here.
    if (file === undefined)
      return journalContent((await this.#store.journal?.(chain)) ?? Buffer.alloc(0), head) ?? nothing;
    const version = `${path} ${head} ${file.size} ${file.mtimeMs}`;
    if (this.#journal?.version !== version) this.#journal = { version, content: readJournal(path, head) };
    return this.#journal.content ?? nothing;
  }
}

/** Wants one subject, or all where it is left out. */
function wanting(subject: string | undefined): IsWanted {
  return subject === undefined ? everything : (name) => name === subject;
}

function isAfter(row: RecordPosition, last: RecordPosition | undefined): boolean {
  return last === undefined || isBefore(last, row);
}
