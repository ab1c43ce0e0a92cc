import { ByteReader, ByteWriter } from './bytes.ts';
import { NameWriter, readNames } from './names.ts';
import { decodeRows, encodeRows } from './row-batch.ts';
import { breakKinds, type FactRow, type QuoteRow, type Rows } from './rows.ts';

/** Everything in force at an instant, and the names that the following segments refer to. */
export interface Keyframe {
  /** The last row of each market. */
  readonly quotes: readonly QuoteRow[];
  /** The last fact of each kind and subject. */
  readonly facts: readonly FactRow[];
  readonly names: readonly string[];
}

export function encodeKeyframe({ quotes, facts, names }: Keyframe): Buffer {
  const writer = new NameWriter([]);
  for (const name of names) writer.indexOf(name);
  const compressed = writer.compressed();
  const head = new ByteWriter(8);
  head.count(compressed.length);
  return Buffer.concat([
    head.bytes(),
    compressed,
    encodeRows({ quotes: [...quotes], facts: [...facts], servings: [] }),
  ]);
}

/** Throws on bytes that are something else. */
export function decodeKeyframe(data: Uint8Array): Keyframe {
  const { names, rest } = splitKeyframe(data);
  const { quotes, facts } = decodeRows(rest);
  return { quotes, facts, names };
}

/** The names alone, which every segment that follows needs. */
export function namesOfKeyframe(data: Uint8Array): readonly string[] {
  return splitKeyframe(data).names;
}

function splitKeyframe(data: Uint8Array) {
  const reader = new ByteReader(data);
  const names = readNames(reader.raw(reader.count()), []);
  return { names, rest: reader.rest() };
}

/** Keeps what is in force while rows come in. */
export class InForce {
  readonly #quotes = new Map<string, QuoteRow>();
  readonly #facts = new Map<string, FactRow>();
  #names = new Set<string>();

  /** From here on nothing is known. */
  clear(): void {
    this.#quotes.clear();
    this.#facts.clear();
  }

  apply({ quotes, facts, servings }: Rows): void {
    for (const row of quotes) this.#quotes.set(row.symbol, row);
    for (const row of facts) {
      // What a process said of itself holds until the next: every problem it answers is made from it.
      if (row.kind === 'process' || !breakKinds.includes(row.kind)) this.#facts.set(`${row.kind} ${row.subject}`, row);
    }
    for (const { keyId, route, text } of servings) {
      this.#names.add(keyId);
      this.#names.add(route);
      this.#names.add(text);
    }
  }

  /** What is in force, with the names that were used since the last call. */
  keyframe(): Keyframe {
    const quotes = [...this.#quotes.values()];
    const facts = [...this.#facts.values()];
    const names = this.#names;
    for (const { symbol, quote } of quotes) {
      names.add(symbol);
      if (quote !== undefined) names.add(quote.source).add(quote.rate).add(quote.terms);
    }
    this.#names = new Set();
    return { quotes, facts, names: [...names].sort() };
  }
}
