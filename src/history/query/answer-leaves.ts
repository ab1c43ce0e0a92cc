import type { EpochMs } from '../../clock.ts';
import { isoInstant } from '../../contract/instant.ts';
import { leafOf } from '../segment/hash-tree.ts';
import { InForce } from '../segment/keyframe.ts';
import { RequestNumbers } from '../segment/request-numbers.ts';
import type { FactRow, QuoteRow, ServingRow } from '../segment/rows.ts';
import { sha256 } from '../segment/segment.ts';
import { answerFrom, shownQuotes, tickerOf } from './bodies.ts';
import type { RecordReader, ServedRow } from './record-reader.ts';

/** Reads what was in force in a chain before an instant. */
export async function inForceAt(reader: RecordReader, chain: number, at: EpochMs): Promise<InForce> {
  const inForce = new InForce();
  const [quotes, facts] = [await reader.lastQuotes(chain, { at, sub: 0 }), await reader.factsAt(chain, { at, sub: 0 })];
  inForce.apply({ quotes: [...quotes.values()], facts: [...facts.values()], servings: [] });
  return inForce;
}

/** An answer as its leaf and its proof say it. */
export function answerView({ requestId, keyId, askedAt, route, symbol, status }: ServedRow) {
  return { requestId, keyId, answeredAt: isoInstant(askedAt), route, symbol, status };
}

/** Everything that a published price was made from, as JSON. */
export function inputsText({ at, quote }: QuoteRow): string {
  const { source, capturedAt, bid, ask, rate, terms } = quote!;
  const made = { publishedAt: isoInstant(at), source, capturedAt: isoInstant(capturedAt), bid, ask };
  return `${JSON.stringify(made).slice(0, -1)},"rate":${rate || 'null'},"terms":${terms}}`;
}

/** The list of tickers as it was hashed last. */
interface HashedList {
  /** Until it differs the same markets are in it, as they were listed. */
  readonly of: string;
  readonly symbols: readonly string[];
  readonly rows: (QuoteRow | undefined)[];
  /** The digest of each ticker, one after the other. */
  readonly parts: Buffer;
}

/**
 * Makes the leaves of the answers of a segment, while they are written and again when one is to be proved. Only whoever knows the request id in a leaf
 * can guess it, so that a path in the tree shows nothing of others.
 */
export class AnswerLeaves {
  readonly #inForce: InForce;
  readonly #numbers: RequestNumbers;
  #leaves: { readonly request: number; readonly leaf: Buffer }[] = [];
  /** The last digest of each market's ticker. */
  readonly #parts = new Map<string, { row: QuoteRow; listing: FactRow | undefined; part: Buffer | undefined }>();
  #list: HashedList | undefined;
  #markets: { readonly of: number; readonly content: string } | undefined;

  /** @param inForce what is when an answer is added */
  constructor(inForce: InForce, requestKey: Uint8Array) {
    this.#inForce = inForce;
    this.#numbers = new RequestNumbers(requestKey);
  }

  add(row: ServingRow): void {
    const serving = { ...row, requestId: this.#numbers.idOf(row.request) };
    const leaf = leafOf(JSON.stringify({ ...answerView(serving), content: this.#contentOf(serving) }));
    this.#leaves.push({ request: row.request, leaf });
  }

  /** Gives those that were added since the last time, in the order of their request numbers. */
  take(): Buffer[] {
    const leaves = this.#leaves.sort((one, other) => one.request - other.request).map(({ leaf }) => leaf);
    this.#leaves = [];
    return leaves;
  }

  /** The digest of a body, and of what its prices were made from; empty where the record lacks some of it. */
  #contentOf(serving: ServedRow): string {
    const { route, status, symbol } = serving;
    const { facts } = this.#inForce.changes;
    if (status < 400 && route === '/v1/tickers') return this.#listContent(serving);
    if (status < 400 && route === '/v1/ticker') return digestOf(this.#partOf(this.#inForce.quotes.get(symbol)));
    if (status >= 400 || route !== '/v1/markets') return digestOf(answerFrom(serving, this.#inForce)?.body);
    if (this.#markets?.of !== facts)
      this.#markets = { of: facts, content: digestOf(answerFrom(serving, this.#inForce)?.body) };
    return this.#markets.content;
  }

  /** Takes only what changed: hundreds of lists a second are each of other prices. */
  #listContent(serving: ServedRow): string {
    const { quotes, changes } = this.#inForce;
    const of = `${changes.priced} ${changes.facts}`;
    if (this.#list?.of !== of) {
      const symbols = shownQuotes(serving, this.#inForce)!.map(({ symbol }) => symbol);
      this.#list = { of, symbols, rows: [], parts: Buffer.alloc(32 * symbols.length) };
    }
    const { symbols, rows, parts } = this.#list;
    for (const [place, symbol] of symbols.entries()) {
      const row = quotes.get(symbol);
      if (rows[place] === row) continue;
      const part = this.#partOf(row);
      if (part === undefined) return '';
      rows[place] = row;
      parts.set(part, 32 * place);
    }
    return digestOf(parts);
  }

  /** A ticker and what it was made from. */
  #partOf(row: QuoteRow | undefined): Buffer | undefined {
    if (row === undefined) return undefined;
    const { facts } = this.#inForce;
    const listing = facts.get(`listing ${row.symbol}`);
    const known = this.#parts.get(row.symbol);
    if (known?.row === row && known.listing === listing) return known.part;
    const ticker = tickerOf(row, facts);
    const part = ticker === undefined ? undefined : sha256(`${ticker}\n${inputsText(row)}`);
    this.#parts.set(row.symbol, { row, listing, part });
    return part;
  }
}

function digestOf(content: string | Buffer | undefined): string {
  return content === undefined ? '' : sha256(content).toString('hex');
}
