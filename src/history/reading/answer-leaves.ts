import { isoInstant } from '../../contract/instant.ts';
import { leafOf, treeOf } from '../segment/hash-tree.ts';
import type { InForce } from '../segment/keyframe.ts';
import { RequestNumbers } from '../segment/request-numbers.ts';
import type { Quote, QuoteRow, RateVersion, ServingRow, TermsVersion } from '../segment/rows.ts';
import { sha256 } from '../segment/segment.ts';
import { answerFrom, shownQuotes, tickerOf } from './bodies.ts';
import type { ServedRow } from './record-reader.ts';

/** An answer as its leaf and its proof say it. */
export function answerView({ requestId, keyId, askedAt, route, symbol, status }: ServedRow) {
  return { requestId, keyId, answeredAt: isoInstant(askedAt), route, symbol, status };
}

/** Everything that a published price was made from. */
export interface PriceInputs extends Pick<Quote, 'source' | 'bid' | 'ask'> {
  readonly publishedAt: string;
  readonly capturedAt: string;
  readonly rate: RateVersion | null;
  readonly terms: TermsVersion;
}

/** The same as JSON. */
export function inputsText({ at, quote }: QuoteRow): string {
  const { source, capturedAt, bid, ask, rate, terms } = quote!;
  const made = { publishedAt: isoInstant(at), source, capturedAt: isoInstant(capturedAt), bid, ask };
  return `${JSON.stringify(made).slice(0, -1)},"rate":${rate || 'null'},"terms":${terms}}`;
}

/**
 * Makes the leaves of the answers of a segment, while they are written and again when one is to be proved. Only whoever knows the request id in a leaf
 * can guess it, so that a path in the tree shows nothing of others.
 */
export class AnswerLeaves {
  readonly #inForce: InForce;
  readonly #numbers: RequestNumbers;
  #leaves: { readonly request: number; readonly leaf: Buffer }[] = [];
  /** Holds as long as the listings do. */
  #known: { of: number; parts: WeakMap<QuoteRow, Buffer>; markets?: string } = { of: 0, parts: new WeakMap() };

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

  /** The tree of those that were added since the last time, in the order of their request numbers. */
  take(): ReturnType<typeof treeOf> {
    const leaves = this.#leaves.sort((one, other) => one.request - other.request).map(({ leaf }) => leaf);
    this.#leaves = [];
    return treeOf(leaves);
  }

  /** The digest of a body, and of what its prices were made from; empty where the record lacks some of it. */
  #contentOf(serving: ServedRow): string {
    const { listings } = this.#inForce;
    if (this.#known.of !== listings) this.#known = { of: listings, parts: new WeakMap() };
    const shown = shownQuotes(serving, this.#inForce);
    if (shown !== undefined) return digestOf(shown.map((row) => this.#partOf(row)));
    const isList = serving.status < 400 && serving.route === '/v1/markets';
    const content = (isList && this.#known.markets) || digestOf([answerFrom(serving, this.#inForce)?.body]);
    if (isList) this.#known.markets = content;
    return content;
  }

  /** The digest of a ticker, and of what it was made from. */
  #partOf(row: QuoteRow): Buffer | undefined {
    const known = this.#known.parts.get(row);
    const ticker = known === undefined ? tickerOf(row, this.#inForce.facts) : undefined;
    if (ticker === undefined) return known;
    const part = sha256(`${ticker}\n${inputsText(row)}`);
    this.#known.parts.set(row, part);
    return part;
  }
}

function digestOf(parts: readonly (string | Buffer | undefined)[]): string {
  return parts.includes(undefined) ? '' : sha256(...(parts as (string | Buffer)[])).toString('hex');
}
