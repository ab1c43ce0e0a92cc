import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { ByteReader, ByteWriter } from './bytes.ts';
import { decimalOf, ticksOf } from './ticks.ts';

/** Higher levels cost much and gain nothing on columns of differences. */
const zstdLevel = 3;

export function compress(bytes: Uint8Array): Buffer {
  return zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: zstdLevel } });
}

export function decompress(bytes: Uint8Array): Buffer {
  return zstdDecompressSync(bytes);
}

/** Columns side by side: values of one kind follow each other, which is what compresses well. */
export class ColumnsWriter {
  readonly #columns: readonly ByteWriter[];

  constructor(count: number) {
    this.#columns = Array.from({ length: count }, () => new ByteWriter());
  }

  column(index: number): ByteWriter {
    return this.#columns[index]!;
  }

  /** All columns, compressed together. */
  compressed(): Buffer {
    const head = new ByteWriter();
    for (const column of this.#columns) head.count(column.length);
    return compress(Buffer.concat([head.bytes(), ...this.#columns.map((column) => column.bytes())]));
  }
}

/** Reads what `ColumnsWriter` gave. Throws on bytes that are something else. */
export class ColumnsReader {
  readonly #columns: readonly ByteReader[];

  constructor(compressed: Uint8Array, count: number) {
    const reader = new ByteReader(decompress(compressed));
    const lengths = Array.from({ length: count }, () => reader.count());
    this.#columns = lengths.map((length) => new ByteReader(reader.raw(length)));
  }

  column(index: number): ByteReader {
    return this.#columns[index]!;
  }
}

/** How a value of a column of decimals is written. */
const form = { samePlaces: 0, otherPlaces: 1, text: 2, absent: 3 } as const;

/** The difference of two numbers below this fits. */
const ticksMax = 10 ** 15;

/** The last value of a column of decimals, which the next is written as a difference from. */
class LastDecimal {
  ticks = 0;
  places = 0;

  reset(): void {
    this.ticks = 0;
    this.places = 0;
  }

  /** What the next value probably is, when it changes by `ratio`. The same in every process: IEEE 754 defines it. */
  expected(ratio: number): number {
    const expected = Math.round(this.ticks * ratio);
    return Math.abs(expected) < ticksMax ? expected : 0;
  }
}

/** Columns that one column of decimals takes: the forms, and the values. */
export const decimalWidth = 2;

/** Writes decimals as differences of whole numbers; no digit is lost, a trailing zero neither. */
export class DecimalColumnWriter {
  readonly #forms: ByteWriter;
  readonly #values: ByteWriter;
  readonly #last = new LastDecimal();

  constructor(columns: ColumnsWriter, first: number) {
    this.#forms = columns.column(first);
    this.#values = columns.column(first + 1);
  }

  /** What follows has nothing to do with what came before. */
  reset(): void {
    this.#last.reset();
  }

  /** @param ratio by how much it has probably changed */
  write(value: string | undefined, ratio = 1): void {
    const split = value === undefined ? undefined : ticksOf(value);
    if (value === undefined) this.#forms.byte(form.absent);
    else if (split === undefined) {
      this.#forms.byte(form.text);
      this.#values.text(value);
    } else {
      const isSame = split.places === this.#last.places;
      this.#forms.byte(isSame ? form.samePlaces : form.otherPlaces);
      if (!isSame) this.#forms.byte(split.places);
      this.#values.difference(split.ticks - (isSame ? this.#last.expected(ratio) : 0));
      this.#last.ticks = split.ticks;
      this.#last.places = split.places;
    }
  }
}

export class DecimalColumnReader {
  readonly #forms: ByteReader;
  readonly #values: ByteReader;
  readonly #last = new LastDecimal();

  constructor(columns: ColumnsReader, first: number) {
    this.#forms = columns.column(first);
    this.#values = columns.column(first + 1);
  }

  reset(): void {
    this.#last.reset();
  }

  /** Passes over a value whose column is reset before the next that is read. */
  skip(): void {
    const found = this.#forms.byte();
    if (found === form.text) this.#values.text();
    else if (found === form.otherPlaces) this.#forms.byte();
    if (found === form.samePlaces || found === form.otherPlaces) this.#values.count();
  }

  read<Text extends string>(ratio = 1): Text | undefined {
    const found = this.#forms.byte();
    if (found === form.absent) return undefined;
    if (found === form.text) return this.#values.text() as Text;
    let expected = 0;
    if (found === form.samePlaces) expected = this.#last.expected(ratio);
    else this.#last.places = this.#forms.byte();
    this.#last.ticks = expected + this.#values.difference();
    return decimalOf(this.#last.ticks, this.#last.places) as string as Text;
  }
}
