import { isoInstant } from '../../contract/instant.ts';
import { RequestNumbers } from '../../ground/request-numbers.ts';
import { leafOf, treeOf } from '../segment/hash-tree.ts';
import type { InForce } from '../segment/keyframe.ts';
import type { Quote, QuoteRow, RateVersion, Rows, ServingRow, TermsVersion } from '../segment/rows.ts';
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

/** Made from listings, and from prices under them. */
interface Known {
  readonly listings: number;
  /** Keeps of each price what its ticker adds to the digest of a list, and the digest of the ticker alone. */
  readonly tickers: WeakMap<QuoteRow, { readonly part: Buffer; readonly alone: string }>;
  markets?: string;
  /** The digest of all prices after so many changes. */
  list?: { readonly changes: number; readonly digest: string };
}

/**
 * Makes the leaves of the answers of a segment, while they are written and again when one is to be proved. Only whoever
 * knows the request id in a leaf can guess it, so that a path in the tree shows nothing of others.
 */
export class AnswerLeaves {
  readonly #inForce: InForce;
  readonly #numbers: RequestNumbers;
  #leaves: { readonly request: number; readonly leaf: string }[] = [];
  #known: Known = { listings: 0, tickers: new WeakMap() };

  /** @param inForce what is before the first rows */
  constructor(inForce: InForce, requestKey: Uint8Array) {
    this.#inForce = inForce;
    this.#numbers = new RequestNumbers(requestKey);
  }

  /**
   * Brings rows into force and adds their answers.
   *
   * @param answered called with each answer while what was published before it is in force, and nothing else
   */
  apply(rows: Rows, answered = (_row: ServingRow) => {}): void {
    const ids = this.#numbers.idsOf(rows.servings.map(({ request }) => request));
    let nth = 0;
    this.#inForce.apply(rows, (row) => {
      this.#add(row, ids[nth++]!);
      answered(row);
    });
  }

  /** The text is what `JSON.stringify` makes of the view and the content, in two thirds of the time. */
  #add(serving: ServingRow, requestId: string): void {
    const { request, keyId, askedAt, route, symbol, status } = serving;
    const asked = `"requestId":"${requestId}","keyId":${JSON.stringify(keyId)},"answeredAt":"${isoInstant(askedAt)}"`;
    const answer = `"route":${JSON.stringify(route)},"symbol":${JSON.stringify(symbol)},"status":${status}`;
    const leaf = leafOf(`{${asked},${answer},"content":"${this.#contentOf(serving, requestId)}"}`);
    this.#leaves.push({ request, leaf });
  }

  /** The tree of those that were added since the last time, in the order of their request numbers. */
  take(): ReturnType<typeof treeOf> {
    const leaves = this.#leaves.sort((one, other) => one.request - other.request).map(({ leaf }) => leaf);
    this.#leaves = [];
    return treeOf(leaves);
  }

  /** The digest of a body, and of what its prices were made from; empty where the record lacks some of it. */
  #contentOf(serving: ServingRow, requestId: string): string {
    const { listings } = this.#inForce;
    if (this.#known.listings !== listings) this.#known = { listings, tickers: new WeakMap() };
    const { route, status } = serving;
    if (status < 400 && route === '/v1/ticker') return this.#tickerDigest(serving.symbol);
    if (status < 400 && route === '/v1/tickers') return this.#listDigest(serving);
    const isMarkets = status < 400 && route === '/v1/markets';
    const content =
      (isMarkets && this.#known.markets) || digestOf([answerFrom({ ...serving, requestId }, this.#inForce)?.body]);
    if (isMarkets) this.#known.markets = content;
    return content;
  }

  #tickerDigest(symbol: string): string {
    const row = this.#inForce.quotes.get(symbol);
    return row?.quote === undefined ? digestOf([]) : (this.#ticker(row)?.alone ?? '');
  }

  #listDigest(serving: ServingRow): string {
    const { changes } = this.#inForce;
    if (this.#known.list?.changes !== changes) {
      const shown = shownQuotes(serving, this.#inForce)!;
      this.#known.list = { changes, digest: digestOf(shown.map((row) => this.#ticker(row)?.part)) };
    }
    return this.#known.list.digest;
  }

  /** The digests of a ticker, and of what it was made from. */
  #ticker(row: QuoteRow) {
    const known = this.#known.tickers.get(row);
    const ticker = known === undefined ? tickerOf(row, this.#inForce.facts) : undefined;
    if (ticker === undefined) return known;
    const part = sha256(`${ticker}\n${inputsText(row)}`);
    const made = { part, alone: digestOf([part]) };
    this.#known.tickers.set(row, made);
    return made;
  }
}

function digestOf(parts: readonly (string | Buffer | undefined)[]): string {
  return parts.includes(undefined) ? '' : sha256(...(parts as (string | Buffer)[])).toString('hex');
}
