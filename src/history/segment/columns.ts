import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { ByteReader, ByteWriter } from './bytes.ts';

/** Higher levels cost much and gain nothing on columns of differences. */
const zstdLevel = 3;

/** With the number of bytes in front, so that who reads them makes room once. */
export function compress(bytes: Uint8Array): Buffer {
  const head = new ByteWriter(8);
  head.count(bytes.length);
  const params = { [constants.ZSTD_c_compressionLevel]: zstdLevel };
  return Buffer.concat([head.bytes(), zstdCompressSync(bytes, { params })]);
}

export function decompress(bytes: Uint8Array): Buffer {
  const reader = new ByteReader(bytes);
  const length = reader.count();
  // One more than there is, so that the end is seen in the first piece; less than 64 is refused.
  return zstdDecompressSync(reader.rest(), { chunkSize: Math.max(64, length + 1) });
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

/**
 * How each column of a table is written. `count`: a whole number from 0 on; `difference`: of either sign; `cumulated`: as
 * the difference from the row before.
 */
type Layout = Readonly<Record<string, 'count' | 'difference' | 'cumulated' | 'text'>>;
type Cells<Table extends Layout> = {
  readonly [Name in keyof Table]: Table[Name] extends 'text' ? string : number;
};
type Columns<Table extends Layout> = {
  readonly [Name in keyof Table]: Table[Name] extends 'text' ? readonly string[] : Float64Array;
};

/** The rows of some subjects, in columns compressed together. */
export function encodeTable<Table extends Layout>(table: Table, subjects: Iterable<readonly Cells<Table>[]>): Buffer {
  const names = Object.keys(table);
  const writer = new ColumnsWriter(names.length);
  for (const rows of subjects) {
    for (const [index, name] of names.entries()) {
      const column = writer.column(index);
      const kind = table[name]!;
      let last = 0;
      for (const cells of rows) {
        const value: number | string = cells[name]!;
        if (typeof value === 'string') column.text(value);
        else if (kind === 'count') column.count(value);
        else column.difference(value - last);
        if (kind === 'cumulated') last = Number(value);
      }
    }
  }
  return writer.compressed();
}

/** Reads what `encodeTable` gave, for one subject after the other. Throws on bytes that are something else. */
export class TableReader<Table extends Layout> {
  readonly #table: Table;
  readonly #columns: ColumnsReader;

  constructor(table: Table, compressed: Uint8Array) {
    this.#table = table;
    this.#columns = new ColumnsReader(compressed, Object.keys(table).length);
  }

  /** @param count the rows of the next subject */
  next(count: number): Columns<Table> {
    const read = Object.entries(this.#table).map(([name, kind], index) => {
      const column = this.#columns.column(index);
      if (kind === 'text') return [name, Array.from({ length: count }, () => column.text())];
      if (kind === 'count') return [name, column.counts(count)];
      return [name, kind === 'cumulated' ? column.cumulated(count) : column.differences(count)];
    });
    return Object.fromEntries(read);
  }
}
