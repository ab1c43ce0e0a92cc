import { ByteReader, ByteWriter } from './bytes.ts';
import { decodeFacts, encodeFacts } from './fact-codec.ts';
import { decodeQuotes, encodeQuotes } from './quote-codec.ts';
import type { Position, Rows } from './rows.ts';
import { decodeServings, encodeServings } from './serving-codec.ts';

/** Rows of every kind together, which need nothing else to be read. */
export function encodeRows({ quotes, facts, servings }: Rows): Buffer {
  const parts = [encodeQuotes(quotes, []), encodeFacts(facts, []), encodeServings(servings, [])];
  const head = new ByteWriter(16);
  for (const part of parts) head.count(part.length);
  return Buffer.concat([head.bytes(), ...parts]);
}

/** The rows again, in the order of their positions. Throws on bytes that are something else. */
export function decodeRows(bytes: Uint8Array): Rows {
  const reader = new ByteReader(bytes);
  const lengths = [reader.count(), reader.count(), reader.count()];
  const [quotes, facts, servings] = lengths.map((length) => reader.raw(length));
  return {
    quotes: inOrder(decodeQuotes(quotes!, [])),
    facts: inOrder(decodeFacts(facts!, [])),
    servings: inOrder(decodeServings(servings!, [])),
  };
}

/** Sorts by position, in place. */
export function inOrder<Row extends Position>(rows: Row[]): Row[] {
  return rows.sort((one, other) => one.at - other.at || one.sub - other.sub);
}
