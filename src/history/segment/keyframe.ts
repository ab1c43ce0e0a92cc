import type { EpochMs } from '../../clock.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import { compress, decompress } from './columns.ts';
import { NameWriter, readNames } from './groups.ts';
import { encodeRows, RowBatch } from './row-batch.ts';
import {
  breakKinds,
  type FactRow,
  isBefore,
  lastingBreakKinds,
  type Position,
  type QuoteRow,
  type Rows,
  type ServingRow,
} from './rows.ts';

/** Everything in force at an instant, and the names that the following segments refer to. */
interface Keyframe {
  /** The last row of each market. */
  readonly quotes: readonly QuoteRow[];
  /** The last fact of each kind and subject. */
  readonly facts: readonly FactRow[];
  readonly names: readonly string[];
}

export function encodeKeyframe({ quotes, facts, names }: Keyframe): Buffer {
  const head = new ByteWriter();
  const writer = new NameWriter([]);
  for (const name of names) writer.indexOf(name);
  writer.write(head);
  const compressed = compress(head.bytes());
  const length = new ByteWriter(8);
  length.count(compressed.length);
  const rows = encodeRows({ quotes: [...quotes], facts: [...facts], servings: [] }, true);
  return Buffer.concat([length.bytes(), compressed, rows]);
}

/** A keyframe as it is read. Throws on bytes that are something else. */
export function readKeyframe(data: Uint8Array): { readonly names: readonly string[]; readonly rows: RowBatch } {
  const reader = new ByteReader(data);
  const names = readNames(new ByteReader(decompress(reader.raw(reader.count()))), []);
  return { names, rows: new RowBatch(reader.rest()) };
}

/** Keeps what is in force while rows come in. */
export class InForce {
  /** The last row of each market. */
  readonly quotes = new Map<string, QuoteRow>();
  /** The last fact of each kind and subject, with a space between. */
  readonly facts = new Map<string, FactRow>();
  /** Counts prices that came or went, and facts that came into force. */
  readonly changes = { priced: 0, facts: 0 };
  #names = new Set<string>();

  /** From here on nothing is known. */
  clear(): void {
    this.changes.facts++;
    this.quotes.clear();
    this.facts.clear();
  }

  /** @param answered called with each answer while what was published before it is in force, and nothing else */
  apply({ quotes, facts, servings }: Rows, answered = (_row: ServingRow) => {}): void {
    let [firstQuote, firstFact] = [0, 0];
    const applyBefore = (end: Position) => {
      for (; firstQuote < quotes.length && isBefore(quotes[firstQuote]!, end); firstQuote++)
        this.#applyQuote(quotes[firstQuote]!);
      for (; firstFact < facts.length && isBefore(facts[firstFact]!, end); firstFact++)
        this.#applyFact(facts[firstFact]!);
    };
    for (const row of servings) {
      applyBefore(row);
      answered(row);
      this.#names.add(row.keyId).add(row.route).add(row.text);
    }
    applyBefore({ at: Infinity as EpochMs, sub: 0 });
  }

  #applyQuote(row: QuoteRow): void {
    if ((this.quotes.get(row.symbol)?.quote === undefined) !== (row.quote === undefined)) this.changes.priced++;
    this.quotes.set(row.symbol, row);
  }

  #applyFact(row: FactRow): void {
    this.changes.facts++;
    // What a process said of itself holds until the next: every problem it answers is made from it.
    const isLasting = lastingBreakKinds.includes(row.kind) || !breakKinds.includes(row.kind);
    if (isLasting) this.facts.set(`${row.kind} ${row.subject}`, row);
  }

  /** Gives what is in force, with the names that were used since the last call. */
  keyframe(): Keyframe {
    const quotes = [...this.quotes.values()];
    const facts = [...this.facts.values()];
    const names = this.#names;
    for (const { symbol, quote } of quotes) {
      names.add(symbol);
      if (quote !== undefined) names.add(quote.source).add(quote.rate).add(quote.terms);
    }
    this.#names = new Set();
    return { quotes, facts, names: [...names].sort() };
  }
}
