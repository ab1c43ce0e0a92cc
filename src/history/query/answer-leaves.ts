import type { EpochMs } from '../../clock.ts';
import { isoInstant } from '../../contract/instant.ts';
import { leafOf, rootOf } from '../segment/hash-tree.ts';
import { InForce } from '../segment/keyframe.ts';
import { RequestNumbers } from '../segment/request-numbers.ts';
import type { FactRow, QuoteRow, Rows, ServingRow } from '../segment/rows.ts';
import { sha256 } from '../segment/segment.ts';
import { answerFrom, shownQuotes, tickerOf } from './bodies.ts';
import type { RecordReader, ServedRow } from './record-reader.ts';

/** The root of the tree of the answers among rows. @param inForce before the rows; afterwards, what is after them */
export function answerRoot(inForce: InForce, rows: Rows, requestKey: Uint8Array): Buffer | undefined {
  return rootOf(answerLeaves(inForce, rows, requestKey));
}

/** The leaves of the answers among rows, in the order of their request numbers. @param answered see `InForce.apply` */
export function answerLeaves(
  inForce: InForce,
  rows: Rows,
  requestKey: Uint8Array,
  answered = (_row: ServingRow) => {},
): Buffer[] {
  const maker = new LeafMaker(inForce, requestKey);
  const leaves: { readonly request: number; readonly leaf: Buffer }[] = [];
  inForce.apply(rows, (row) => {
    leaves.push({ request: row.request, leaf: maker.leafOf(row) });
    answered(row);
  });
  return leaves.sort((one, other) => one.request - other.request).map(({ leaf }) => leaf);
}

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

/** Makes a leaf only whoever knows the request id in it can guess, so that a path in a tree shows nothing of others. */
class LeafMaker {
  readonly #inForce: InForce;
  readonly #numbers: RequestNumbers;
  /** The last one of each market. */
  readonly #parts = new Map<string, { row: QuoteRow; listing: FactRow | undefined; part: Buffer | undefined }>();
  /** Lists do not change with each answer. */
  readonly #lists = new Map<string, { readonly after: string; readonly content: string }>();

  /** @param inForce changes between the answers */
  constructor(inForce: InForce, requestKey: Uint8Array) {
    this.#inForce = inForce;
    this.#numbers = new RequestNumbers(requestKey);
  }

  leafOf(row: ServingRow): Buffer {
    const serving = { ...row, requestId: this.#numbers.idOf(row.request) };
    const { route, status } = row;
    const { quotes, facts } = this.#inForce.changes;
    const isList = status < 400 && ['/v1/tickers', '/v1/markets'].includes(route);
    const after = route === '/v1/markets' ? String(facts) : `${facts} ${quotes}`;
    const known = isList ? this.#lists.get(route) : undefined;
    const content = known?.after === after ? known.content : this.#contentOf(serving);
    if (isList) this.#lists.set(route, { after, content });
    return leafOf(JSON.stringify({ ...answerView(serving), content }));
  }

  /** The digest of a body, and of what its prices were made from; empty where the record lacks some of it. */
  #contentOf(serving: ServedRow): string {
    const parts = shownQuotes(serving, this.#inForce)?.map((row) => this.#partOf(row));
    const hashed = parts ?? [answerFrom(serving, this.#inForce)?.body];
    return hashed.includes(undefined) ? '' : sha256(...(hashed as Buffer[])).toString('hex');
  }

  #partOf(row: QuoteRow): Buffer | undefined {
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
