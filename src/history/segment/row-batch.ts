import type { EpochMs } from '../../ground/clock.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import { decodeFactGroup, encodeFacts } from './fact-codec.ts';
import { decodeGrouped, everything, type IsWanted } from './groups.ts';
import { decodeMarkets, decodeQuotes, encodeQuotes } from './quote-codec.ts';
import { type FactRow, inOrder, type QuoteRow, type Rows, type ServingRow, startOf } from './rows.ts';
import { decodeServings, encodeServings } from './serving-codec.ts';

/** Rows of every kind together, which need nothing else to be read. @param isKeyframe it has a row of every market */
export function encodeRows({ quotes, facts, servings }: Rows, isKeyframe = false): Buffer {
  const parts = [encodeQuotes(quotes, [], !isKeyframe), encodeFacts(facts), encodeServings(servings, [])];
  const head = new ByteWriter(32);
  head.count(startOf({ quotes, facts, servings }) ?? Number.MAX_SAFE_INTEGER);
  for (const part of parts) head.count(part.length);
  return Buffer.concat([head.bytes(), ...parts]);
}

/**
 * Rows that `encodeRows` encoded: each kind is decoded when it is first read. Throws on bytes that are something else.
 */
export class RowBatch {
  /** No row is of an earlier instant. */
  readonly from: EpochMs;
  readonly #quotes: Uint8Array;
  readonly #facts: Uint8Array;
  readonly #servings: Uint8Array;

  constructor(bytes: Uint8Array) {
    const reader = new ByteReader(bytes);
    this.from = reader.count() as EpochMs;
    const quoteBytes = reader.count();
    const factBytes = reader.count();
    // Of the third part, which is the rest.
    reader.count();
    this.#quotes = reader.raw(quoteBytes);
    this.#facts = reader.raw(factBytes);
    this.#servings = reader.rest();
  }

  quotes(): QuoteRow[] {
    return inOrder(decodeQuotes(this.#quotes, []));
  }

  /** Gives the rows of each market, in their order. */
  markets(isWanted: IsWanted) {
    return decodeGrouped(this.#quotes, [], decodeMarkets, isWanted);
  }

  facts(isWanted: IsWanted = everything): FactRow[] {
    return inOrder(decodeGrouped(this.#facts, [], decodeFactGroup, isWanted));
  }

  servings(): ServingRow[] {
    return inOrder(decodeServings(this.#servings, []));
  }
}

/** The rows of batches that follow each other. */
export function rowsOf(batches: readonly RowBatch[]): Rows {
  return {
    quotes: batches.flatMap((batch) => batch.quotes()),
    facts: batches.flatMap((batch) => batch.facts()),
    servings: batches.flatMap((batch) => batch.servings()),
  };
}
