import { closeSync, openSync, writeSync } from 'node:fs';
import { zstdCompressSync } from 'node:zlib';
import { type QuoteRow, type RateVersion, statisticNames, type TermsVersion } from '../segment/rows.ts';

export type ExportFormat = 'parquet' | 'csv' | 'ndjson';

/** The columns of an export, in their order. Decimals are text: no digit is lost. */
const columns = [
  ...['symbol', 'at', 'position', 'unpriced', 'source', 'timestamp'],
  ...['bid', 'ask', 'buyPrice', 'sellPrice', 'rate', 'terms'],
  ...statisticNames,
];

type Cells = Readonly<Record<string, string | undefined>>;

/** Writes rows to a file, as they come. @returns their number */
export async function writeRows(
  file: string,
  format: ExportFormat,
  batches: AsyncIterable<readonly QuoteRow[]>,
): Promise<number> {
  const sink = format === 'parquet' ? await parquetSink(file) : textSink(file, format);
  let rows = 0;
  for await (const batch of batches) {
    sink.write(batch.map(cellsOf));
    rows += batch.length;
  }
  sink.finish();
  return rows;
}

function cellsOf({ symbol, at, sub, unpriced, quote }: QuoteRow): Cells {
  const position = `${at}.${sub}`;
  const published = { symbol, at: new Date(at).toISOString(), position, unpriced };
  if (quote === undefined) return published;
  const { source, capturedAt, bid, ask, buyPrice, sellPrice, statistics } = quote;
  return {
    ...published,
    ...{ source, bid, ask, buyPrice, sellPrice, ...statistics },
    timestamp: new Date(capturedAt).toISOString(),
    rate: quote.rate === '' ? undefined : (JSON.parse(quote.rate) as RateVersion).mid,
    terms: (JSON.parse(quote.terms) as TermsVersion).version,
  };
}

interface Sink {
  write(rows: readonly Cells[]): void;
  finish(): void;
}

function textSink(path: string, format: 'csv' | 'ndjson'): Sink {
  const file = openSync(path, 'w', 0o600);
  if (format === 'csv') writeSync(file, `${columns.join(',')}\n`);
  const lineOf = (cells: Cells) =>
    format === 'ndjson' ? JSON.stringify(cells) : columns.map((name) => quoted(cells[name] ?? '')).join(',');
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

async function parquetSink(path: string): Promise<Sink> {
  const { fileWriter, ParquetWriter, schemaFromColumnData } = await import('hyparquet-writer');
  const sourcesOf = (rows: readonly Cells[]) =>
    columns.map((name) => ({
      name,
      data: rows.map((cells) => cells[name] ?? null),
      type: 'STRING' as const,
      nullable: true,
    }));
  const compressors = { ZSTD: (bytes: Uint8Array) => zstdCompressSync(bytes) };
  const schema = schemaFromColumnData({ columnData: sourcesOf([]) });
  const writer = new ParquetWriter({ writer: fileWriter(path), schema, codec: 'ZSTD', compressors });
  return {
    write(rows) {
      if (rows.length > 0) void writer.write({ columnData: sourcesOf(rows), rowGroupSize: 100_000 });
    },
    finish: () => void writer.finish(),
  };
}
