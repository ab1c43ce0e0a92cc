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
  const compressed = reader.rest();
  try {
    return zstdDecompressSync(compressed, { chunkSize: Math.max(64, length + 1) });
  } catch {
    throw new RangeError('the bytes cannot be decompressed');
  }
}

/**
 * Columns side by side: values of one kind in a row compress well. Each has a code, which never changes and is never
 * used for another.
 */
export class ColumnsWriter {
  readonly #columns: ReadonlyMap<number, ByteWriter>;

  constructor(codes: readonly number[]) {
    this.#columns = new Map(codes.map((code) => [code, new ByteWriter()]));
  }

  column(code: number): ByteWriter {
    return this.#columns.get(code)!;
  }

  /** All columns, compressed together. */
  compressed(): Buffer {
    const head = new ByteWriter();
    const columns = [...this.#columns.values()];
    for (const column of columns) head.count(column.length);
    return compress(Buffer.concat([head.bytes(), ...columns.map((column) => column.bytes())]));
  }
}

/** Reads what `ColumnsWriter` gave. Throws on bytes that are something else. */
export class ColumnsReader {
  readonly #columns: ReadonlyMap<number, ByteReader>;

  /** @param codes of the columns, in the order in which they are written */
  constructor(compressed: Uint8Array, codes: readonly number[]) {
    const reader = new ByteReader(decompress(compressed));
    const lengths = codes.map((code) => [code, reader.count()] as const);
    this.#columns = new Map(lengths.map(([code, length]) => [code, new ByteReader(reader.raw(length))]));
  }

  /** Throws `RangeError` where it is absent. */
  column(code: number): ByteReader {
    const column = this.#columns.get(code);
    if (column === undefined) throw new RangeError(`the column ${code} is absent`);
    return column;
  }

  /** A column that older segments lack is `undefined`. */
  optional(code: number): ByteReader | undefined {
    return this.#columns.get(code);
  }
}

/** The codes of the columns of a segment without a table of them: they are their positions. */
export function byPosition(count: number): readonly number[] {
  return [...Array(count).keys()];
}

/**
 * How each column of a table is written, in the order of their codes: add at the end only. `count`: a whole number from
 * 0 on; `difference`: of either sign; `cumulated`: as the difference from the row before.
 */
type Layout = Readonly<Record<string, 'count' | 'difference' | 'cumulated' | 'text'>>;
type Cells<Table extends Layout, Row> = {
  readonly [Name in keyof Table]: (row: Row) => Table[Name] extends 'text' ? string : number;
};
export type Columns<Table extends Layout> = {
  readonly [Name in keyof Table]: Table[Name] extends 'text' ? readonly string[] : Float64Array;
};

/** The codes of the columns of a table. */
export function codesOf(table: Layout): readonly number[] {
  return byPosition(Object.keys(table).length);
}

/** The rows of some subjects, in columns compressed together. @param cells what each column has of a row */
export function encodeTable<Table extends Layout, Row>(
  table: Table,
  subjects: Iterable<readonly Row[]>,
  cells: Cells<Table, Row>,
): Buffer {
  const writer = new ColumnsWriter(codesOf(table));
  for (const rows of subjects) {
    for (const [index, [name, kind]] of Object.entries(table).entries()) {
      const column = writer.column(index);
      const cellOf = cells[name] as (row: Row) => never;
      if (kind === 'text') for (const row of rows) column.text(cellOf(row));
      else if (kind === 'count') for (const row of rows) column.count(cellOf(row));
      else if (kind === 'difference') for (const row of rows) column.difference(cellOf(row));
      else {
        let last = 0;
        for (const row of rows) {
          const value = cellOf(row);
          column.difference(value - last);
          last = value;
        }
      }
    }
  }
  return writer.compressed();
}

/**
 * Reads what `encodeTable` gave, for one subject after the other. Throws on bytes that are something else.
 *
 * @param codes of the columns that are written; one that the table does not know is skipped
 */
export function tableReader<Table extends Layout>(table: Table, compressed: Uint8Array, codes: readonly number[]) {
  const columns = new ColumnsReader(compressed, codes);
  const names: (keyof Table)[] = Object.keys(table);
  const only = <Name extends keyof Table>(name: Name, count: number): Columns<Table>[Name] => {
    const column = columns.column(names.indexOf(name));
    const kind = table[name];
    if (kind === 'text') return Array.from({ length: count }, () => column.text()) as never;
    if (kind === 'count') return column.counts(count) as never;
    return (kind === 'cumulated' ? column.cumulated(count) : column.differences(count)) as never;
  };
  return {
    /** Reads so many rows of one column: the others stay where they are. */
    only,
    /** @param count the rows of the next subject */
    next: (count: number) => Object.fromEntries(names.map((name) => [name, only(name, count)])) as Columns<Table>,
    /** Passes over the rows of a subject, in a table without texts. */
    skip(count: number) {
      for (const index of names.keys()) columns.column(index).skipCounts(count);
    },
  };
}
