import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { isoInstant } from '../../contract/instant.ts';
import type { ServedRow } from '../reading/record-reader.ts';
import {
  type FactRow,
  type QuoteRow,
  type RateVersion,
  type RecordPosition,
  statisticNames,
  type TermsVersion,
} from '../segment/rows.ts';
import type { Column, Sink } from './parquet.ts';

export type ExportFormat = 'parquet' | 'csv' | 'ndjson';

/** The rows that can be exported. */
export interface ExportedRows {
  readonly quotes: QuoteRow;
  readonly answers: ServedRow;
  readonly facts: FactRow;
}

function columnsOf<Row>(columns: { readonly [Name in string]: readonly [Column<Row>['type'], Column<Row>['of']] }) {
  return Object.entries(columns).map(([name, [type, of]]): Column<Row> => ({ name, type, of }));
}

const place = {
  at: ['instant', ({ at }: RecordPosition) => at],
  sub: ['count', ({ sub }: RecordPosition) => sub],
} as const;
const problem = (row: ServedRow, part: 1 | 2) =>
  row.status < 400 ? undefined : /^(\S*) (.*)$/s.exec(row.text)?.[part];

/** Their columns, in their order. The first and the position are what they are sorted by. */
const exportColumns: { readonly [What in keyof ExportedRows]: readonly Column<ExportedRows[What]>[] } = {
  quotes: columnsOf<QuoteRow>({
    symbol: ['text', ({ symbol }) => symbol],
    ...place,
    unpriced: ['text', ({ unpriced }) => unpriced],
    source: ['text', ({ quote }) => quote?.source],
    timestamp: ['instant', ({ quote }) => quote?.capturedAt],
    bid: ['decimal', ({ quote }) => quote?.bid],
    ask: ['decimal', ({ quote }) => quote?.ask],
    buyPrice: ['decimal', ({ quote }) => quote?.buyPrice],
    sellPrice: ['decimal', ({ quote }) => quote?.sellPrice],
    rate: ['decimal', ({ quote }) => versionOf<RateVersion>(quote?.rate)?.mid],
    terms: ['text', ({ quote }) => versionOf<TermsVersion>(quote?.terms)?.version],
    ...Object.fromEntries(
      statisticNames.map((name) => [name, ['decimal', ({ quote }: QuoteRow) => quote?.statistics[name]] as const]),
    ),
  }),
  answers: columnsOf<ServedRow>({
    keyId: ['text', ({ keyId }) => keyId],
    ...place,
    askedAt: ['instant', ({ askedAt }) => askedAt],
    requestId: ['text', ({ requestId }) => requestId],
    route: ['text', ({ route }) => route],
    symbol: ['text', ({ symbol }) => symbol || undefined],
    status: ['count', ({ status }) => status],
    code: ['text', (row) => problem(row, 1)],
    detail: ['text', (row) => problem(row, 2)],
  }),
  facts: columnsOf<FactRow>({
    kind: ['text', ({ kind }) => kind],
    ...place,
    subject: ['text', ({ subject }) => subject || undefined],
    text: ['text', ({ text }) => text],
  }),
};

/** The versions of rates and terms that were read last: thousands of rows have the same. */
const versions = new Map<string, unknown>();

function versionOf<Version>(json: string | undefined): Version | undefined {
  if (json === undefined || json === '') return undefined;
  if (versions.size > 1_000) versions.clear();
  return versions.getOrInsertComputed(json, () => JSON.parse(json)) as Version;
}

/**
 * Has this process collect garbage sooner: V8 otherwise lets it grow to several times what is held, and makes more room
 * for new objects. For a process that does nothing but export, because it holds until its end.
 */
export function collectSooner(): void {
  for (const flag of ['--heap-growing-percent=30', '--semi-space-growth-factor=1']) setFlagsFromString(flag);
}

/** Writes rows to a file for its owner alone, as they come. @returns their number */
export async function writeRows<What extends keyof ExportedRows>(
  file: string,
  format: ExportFormat,
  what: What,
  batches: AsyncIterable<readonly ExportedRows[What][]>,
): Promise<number> {
  const columns = exportColumns[what];
  rmSync(file, { force: true });
  closeSync(openSync(file, 'wx', 0o600));
  const sink =
    format === 'parquet' ? (await import('./parquet.ts')).parquetSink(file, columns) : textSink(file, format, columns);
  let rows = 0;
  for await (const batch of batches) {
    sink.write(batch);
    rows += batch.length;
  }
  sink.finish();
  return rows;
}

function textSink<Row>(path: string, format: 'csv' | 'ndjson', columns: readonly Column<Row>[]): Sink<Row> {
  const file = openSync(path, 'a');
  const names = columns.map(({ name }) => name);
  if (format === 'csv') writeSync(file, `${names.join(',')}\n`);
  const cellsOf = (row: Row) =>
    columns.map(({ type, of }) => {
      const value = of(row);
      return type === 'instant' && value !== undefined ? isoInstant(value as RecordPosition['at']) : value;
    });
  const lineOf = (row: Row) => {
    const cells = cellsOf(row);
    if (format === 'csv') return cells.map((cell) => quoted(String(cell ?? ''))).join(',');
    return JSON.stringify(Object.fromEntries(names.map((name, index) => [name, cells[index]])));
  };
  return {
    write: (rows) => {
      if (rows.length > 0) writeSync(file, `${rows.map(lineOf).join('\n')}\n`);
    },
    finish: () => closeSync(file),
  };
}

/** RFC 4180. */
function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
