import type { ByteReader, ByteWriter } from './bytes.ts';

/**
 * The texts that the rows of a segment refer to by number. Those that its keyframe knows already are written as
 * references to it, which cost next to nothing.
 */
export class NameWriter {
  readonly #base: ReadonlyMap<string, number>;
  readonly #indexes = new Map<string, number>();

  constructor(base: readonly string[]) {
    this.#base = indexesOf(base);
  }

  indexOf(text: string): number {
    const known = this.#indexes.get(text);
    if (known !== undefined) return known;
    this.#indexes.set(text, this.#indexes.size);
    return this.#indexes.size - 1;
  }

  /** All names so far. */
  write(writer: ByteWriter): void {
    writer.count(this.#indexes.size);
    let last = -1;
    for (const text of this.#indexes.keys()) {
      const reference = this.#base.get(text);
      if (reference === undefined) {
        writer.count(0);
        writer.text(text);
      } else {
        writer.count(1 + zigzag(reference - last - 1));
        last = reference;
      }
    }
  }
}

/** Throws on bytes that are something else, and on a reference that the base does not have. */
export function readNames(reader: ByteReader, base: readonly string[]): string[] {
  const names: string[] = [];
  let last = -1;
  for (let count = reader.count(); count > 0; count--) {
    const code = reader.count();
    if (code === 0) names.push(reader.text());
    else {
      last += 1 + unzigzag(code - 1);
      const name = base[last];
      if (name === undefined) throw new RangeError(`the keyframe has no name ${last}`);
      names.push(name);
    }
  }
  return names;
}

/** Kept for the last base: one keyframe serves many segments. */
let lastBase: { readonly base: readonly string[]; readonly indexes: ReadonlyMap<string, number> } | undefined;

function indexesOf(base: readonly string[]): ReadonlyMap<string, number> {
  if (lastBase?.base !== base) lastBase = { base, indexes: new Map(base.map((text, index) => [text, index])) };
  return lastBase.indexes;
}

function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

function unzigzag(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}
