import { zstdCompressSync } from 'node:zlib';
import { type ColumnSource, fileWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';

type Cell = string | number | undefined;

/** A column: a text, milliseconds, a whole number, or a decimal, whose text keeps every digit. */
export interface Column<Row> {
  readonly name: string;
  readonly type: 'text' | 'instant' | 'count' | 'decimal';
  readonly of: (row: Row) => Cell;
}

/** Takes rows, and writes them to a file. */
export interface Sink<Row> {
  write(rows: readonly Row[]): void;
  finish(): void;
}

/** Large enough to be read fast, small enough to be in memory as rows and as columns. */
const groupRows = 30_000;
/** `DECIMAL(38,18)`: what every reader has, with more places than any price. */
const [precision, scale, bytes] = [38, 18, 16];
const decimalForm = new RegExp(`^(-?)(\\d{1,${precision - scale}})(?:\\.(\\d{1,${scale}})0*)?$`);
/** The column of decimals that `DECIMAL(38,18)` cannot hold: JSON of their texts by column. */
const othersName = 'otherDecimals';

const elements: Readonly<Record<Column<unknown>['type'], Omit<SchemaElement, 'name'>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  instant: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  },
  count: { type: 'INT32' },
  // Without its converted type, which the library would take for numbers that it has to convert one by one.
  decimal: { type: 'FIXED_LEN_BYTE_ARRAY', type_length: bytes, logical_type: { type: 'DECIMAL', precision, scale } },
};

/**
 * Writes a file group by group, each sorted by the first column, instant and place: a group is all that is in memory.
 */
export function parquetSink<Row>(path: string, columns: readonly Column<Row>[]): Sink<Row> {
  const hasDecimals = columns.some(({ type }) => type === 'decimal');
  const written = hasDecimals
    ? [...columns, { name: othersName, type: 'text', of: () => undefined } as const]
    : columns;
  const schema: SchemaElement[] = [
    { name: 'root', num_children: written.length },
    ...written.map(({ name, type }) => ({ name, repetition_type: 'OPTIONAL' as const, ...elements[type] })),
  ];
  const compressors = { ZSTD: (page: Uint8Array) => zstdCompressSync(page) };
  const writer = new ParquetWriter({ writer: fileWriter(path), schema, codec: 'ZSTD', compressors });
  const cells = columns.map((): Cell[] => []);

  const writeGroup = () => {
    const order = orderOf(cells.slice(0, 3));
    const others: (Record<string, string> | undefined)[] = Array.from({ length: order.length });
    const columnData = columns.map(({ name, type }, at): ColumnSource => {
      const values = cells[at]!;
      cells[at] = [];
      const known = new Map<string, Buffer | undefined>();
      let hasNegative = false;
      const data = order.map((from, to) => {
        const value = values[from];
        if (value === undefined || type === 'text' || type === 'count') return value;
        if (type === 'instant') return BigInt(value);
        const cell = known.getOrInsertComputed(String(value), bytesOf);
        if (cell === undefined) others[to] = { ...others[to], [name]: String(value) };
        else hasNegative ||= cell[0]! > 127;
        return cell;
      });
      // The library compares the bytes of decimals without their sign.
      return { name, data, statistics: !hasNegative, offsetIndex: false };
    });
    const texts = others.map((each) => each && JSON.stringify(each));
    if (hasDecimals) columnData.push({ name: othersName, data: texts, offsetIndex: false });
    void writer.write({ columnData, rowGroupSize: order.length });
    const group = writer.row_groups.at(-1)!;
    group.sorting_columns = [0, 1, 2].map((column_idx) => ({ column_idx, descending: false, nulls_first: false }));
    for (const { meta_data } of group.columns) {
      const bounds = meta_data?.type === 'FIXED_LEN_BYTE_ARRAY' ? meta_data.statistics : undefined;
      if (bounds?.min_value instanceof Uint8Array) bounds.min_value = unscaledOf(bounds.min_value);
      if (bounds?.max_value instanceof Uint8Array) bounds.max_value = unscaledOf(bounds.max_value);
    }
  };
  return {
    write(rows) {
      for (const row of rows) {
        for (let at = 0; at < cells.length; at++) cells[at]!.push(columns[at]!.of(row));
        if (cells[0]!.length === groupRows) writeGroup();
      }
    },
    finish() {
      if (cells[0]!.length > 0) writeGroup();
      for (const element of schema.filter(({ type }) => type === 'FIXED_LEN_BYTE_ARRAY')) {
        Object.assign(element, { converted_type: 'DECIMAL', precision, scale });
      }
      void writer.finish();
    },
  };
}

/** The rows in the order of three columns: a text and two numbers. */
function orderOf([names, ats, subs]: readonly Cell[][]): number[] {
  const byName = Map.groupBy(names!.keys(), (row) => String(names![row]));
  const byPlace = (one: number, other: number) =>
    Number(ats![one]) - Number(ats![other]) || Number(subs![one]) - Number(subs![other]);
  return [...byName.keys()].sort().flatMap((name) => byName.get(name)!.sort(byPlace));
}

/** `undefined` for one that does not fit. */
function bytesOf(decimal: string): Buffer | undefined {
  const [, sign, whole, fraction = ''] = decimalForm.exec(decimal) ?? [];
  if (whole === undefined) return undefined;
  const unscaled = BigInt(`${sign}${whole}${fraction.padEnd(scale, '0')}`);
  const cell = Buffer.allocUnsafe(bytes);
  cell.writeBigInt64BE(unscaled >> 64n, 0);
  cell.writeBigUInt64BE(BigInt.asUintN(64, unscaled), 8);
  return cell;
}

function unscaledOf(cell: Uint8Array): bigint {
  const { buffer, byteOffset } = cell;
  const view = new DataView(buffer, byteOffset);
  return (view.getBigInt64(0) << 64n) | view.getBigUint64(8);
}
