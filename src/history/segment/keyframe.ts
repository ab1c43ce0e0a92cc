import { ByteReader, ByteWriter } from './bytes.ts';
import { compress, decompress } from './columns.ts';
import { NameWriter, readNames } from './groups.ts';
import { encodeRows, RowBatch } from './row-batch.ts';
import { breakKinds, type FactRow, inOrder, isBefore, lastingBreakKinds, type QuoteRow, type Rows } from './rows.ts';

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
  /** Counts everything that came into force, and of that the listings. */
  changes = 0;
  listings = 0;
  #names = new Set<string>();

  /** From here on nothing is known. */
  clear(): void {
    this.changes++;
    this.listings++;
    this.quotes.clear();
    this.facts.clear();
  }

  /** @param answered called with each answer while what was published before it is in force, and nothing else */
  apply({ quotes, facts, servings }: Rows, answered = (_row: Rows['servings'][number]) => {}): void {
    const published = inOrder<QuoteRow | FactRow>([...quotes, ...facts]).values();
    let next = published.next();
    for (const row of servings) {
      for (; !next.done && isBefore(next.value, row); next = published.next()) this.#publish(next.value);
      answered(row);
      this.#names.add(row.keyId).add(row.route).add(row.text);
    }
    for (; !next.done; next = published.next()) this.#publish(next.value);
  }

  #publish(row: QuoteRow | FactRow): void {
    this.changes++;
    if ('symbol' in row) this.quotes.set(row.symbol, row);
    else if (lastingBreakKinds.includes(row.kind) || !breakKinds.includes(row.kind)) {
      // What a process said of itself holds until the next: every problem it answers is made from it.
      this.facts.set(`${row.kind} ${row.subject}`, row);
      if (row.kind === 'listing') this.listings++;
    }
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
