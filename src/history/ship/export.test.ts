import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import type { EpochMs } from '../../ground/clock.ts';
import type { DecimalString } from '../../market/decimal.ts';
import type { MarketSymbol } from '../../market/symbol.ts';
import { directoryFor } from '../record/record.testing.ts';
import { type Quote, type QuoteRow, statisticNames } from '../segment/rows.ts';
import { type ExportedRows, type ExportFormat, writeRows } from './export.ts';

/** The reader makes a double of a decimal, not the nearest. */
const tenths = (value: unknown) => Number(value).toFixed(1);
const startMs = Date.parse('2026-11-21T10:00:00.000Z');
const decimal = (text: string) => text as DecimalString;
const noStatistics = Object.fromEntries(
  statisticNames.map((name) => [name, undefined]),
) as unknown as Quote['statistics'];
const quote: Quote = {
  source: 'kraken',
  capturedAt: (startMs - 20) as EpochMs,
  bid: decimal('84209.5'),
  ask: decimal('84210.10'),
  buyPrice: decimal('84631.2'),
  sellPrice: decimal('83788.8'),
  rate: '{"mid":"24.500"}',
  terms: '{"version":"configuration"}',
  statistics: {
    ...noStatistics,
    volume24h: decimal('123456789012345678.000000000000000001'),
    priceChangePercent24h: decimal('-1.25'),
  },
};

function row(place: number, more: Partial<QuoteRow> = {}): QuoteRow {
  const at = (startMs + place) as EpochMs;
  return { symbol: 'BTCEUR' as MarketSymbol, at, sub: 0, unpriced: undefined, quote, ...more };
}

async function* batchesOf<Row>(...batches: readonly (readonly Row[])[]): AsyncGenerator<readonly Row[]> {
  yield* batches;
}

async function written(t: TestContext, format: ExportFormat, ...batches: readonly (readonly QuoteRow[])[]) {
  const file = join(directoryFor(t), `quotes.${format}`);
  writeFileSync(file, 'of a run that was interrupted', { mode: 0o644 });
  const rows = await writeRows(file, format, 'quotes', batchesOf(...batches));
  return { file, rows, mode: statSync(file).mode & 0o777 };
}

async function parquet(t: TestContext, ...batches: readonly (readonly QuoteRow[])[]) {
  const { file, rows, mode } = await written(t, 'parquet', ...batches);
  const bytes = readFileSync(file);
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
  const compressors = { ZSTD: (page: Uint8Array) => zstdDecompressSync(page) };
  return {
    rows,
    mode,
    metadata: parquetMetadata(buffer),
    read: await parquetReadObjects({ file: buffer, compressors }),
  };
}

describe('an export', () => {
  it('in Parquet has decimals, instants in UTC and texts, each as its own type', async (t) => {
    const { metadata, read, mode } = await parquet(t, [row(1), row(2, { unpriced: 'no_rate', quote: undefined })]);
    assert.equal(mode, 0o600);
    const typeOf = new Map(metadata.schema.map((element) => [element.name, element]));
    for (const name of ['bid', 'ask', 'buyPrice', 'sellPrice', 'rate', 'volume24h', 'priceChangePercent1h']) {
      const { type, converted_type, precision, scale, logical_type } = typeOf.get(name)!;
      assert.deepEqual([type, converted_type, precision, scale], ['FIXED_LEN_BYTE_ARRAY', 'DECIMAL', 38, 18], name);
      assert.deepEqual(logical_type, { type: 'DECIMAL', precision: 38, scale: 18 });
    }
    for (const name of ['at', 'timestamp']) {
      const { type, logical_type } = typeOf.get(name)!;
      assert.deepEqual([type, logical_type], ['INT64', { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' }]);
    }
    assert.deepEqual([typeOf.get('symbol')!.converted_type, typeOf.get('sub')!.type], ['UTF8', 'INT32']);
    const [priced, unpriced] = read as Record<string, unknown>[];
    assert.deepEqual([priced!.at, priced!.timestamp], [new Date(startMs + 1), new Date(startMs - 20)]);
    assert.deepEqual(
      [tenths(priced!.bid), priced!.rate, priced!.priceChangePercent24h, priced!.terms],
      ['84209.5', 24.5, -1.25, 'configuration'],
    );
    assert.deepEqual([unpriced!.unpriced, unpriced!.bid, unpriced!.at], ['no_rate', null, new Date(startMs + 2)]);
  });

  it('in Parquet is sorted by market and time within a group, and says which values a group has', async (t) => {
    const symbols = ['ETHEUR', 'BTCEUR', 'XRPEUR'] as MarketSymbol[];
    const batch = (from: number) =>
      Array.from({ length: 30_000 }, (_, index) => row(from + index, { symbol: symbols[index % 3]!, sub: index % 2 }));
    const { rows, metadata, read } = await parquet(t, batch(0), batch(30_000));
    assert.deepEqual([rows, read.length, metadata.row_groups.length], [60_000, 60_000, 2]);
    let from = 0;
    for (const { num_rows, columns, sorting_columns } of metadata.row_groups) {
      assert.deepEqual(
        sorting_columns?.map(({ column_idx }) => metadata.schema[column_idx + 1]!.name),
        ['symbol', 'at', 'sub'],
      );
      const group = read.slice(from, from + Number(num_rows)) as { symbol: string; at: Date }[];
      const keys = group.map(({ symbol, at }) => `${symbol} ${at.toISOString()}`);
      assert.deepEqual(keys, keys.toSorted());
      const statistics = (name: string) =>
        columns.find(({ meta_data }) => meta_data!.path_in_schema[0] === name)!.meta_data!.statistics!;
      assert.deepEqual(
        [statistics('at').min_value, statistics('at').max_value],
        [new Date(startMs + from), new Date(startMs + from + Number(num_rows) - 1)],
      );
      assert.deepEqual([tenths(statistics('bid').min_value), statistics('symbol').max_value], ['84209.5', 'XRPEUR']);
      from += Number(num_rows);
    }
  });

  it('in Parquet loses no digit: a decimal that does not fit is a text beside the others', async (t) => {
    const wide = {
      ...quote,
      bid: decimal('0.1234567890123456789'),
      ask: decimal('123456789012345678901'),
      buyPrice: decimal('1.50000000000000000000'),
    };
    const { read } = await parquet(t, [row(1), row(2, { quote: wide })]);
    const [fitting, other] = read as Record<string, unknown>[];
    assert.deepEqual([fitting!.otherDecimals, other!.bid, other!.ask, other!.buyPrice], [null, null, null, 1.5]);
    assert.deepEqual(JSON.parse(String(other!.otherDecimals)), { bid: wide.bid, ask: wide.ask });
  });

  it('in CSV and NDJSON has every digit as text, with the same columns', async (t) => {
    const csv = await written(t, 'csv', [row(1)], [row(2, { unpriced: 'held', quote: undefined })]);
    const ndjson = await written(t, 'ndjson', [row(1)]);
    assert.deepEqual([csv.rows, csv.mode, ndjson.mode], [2, 0o600, 0o600]);
    const [header, first, second] = readFileSync(csv.file, 'utf8').split('\n');
    const prices = 'kraken,2026-11-21T09:59:59.980Z,84209.5,84210.10,84631.2,83788.8,24.500,configuration';
    assert.match(first!, new RegExp(`^BTCEUR,2026-11-21T10:00:00.001Z,0,,${prices},`));
    assert.match(second!, /^BTCEUR,2026-11-21T10:00:00.002Z,0,held,,+$/);
    const line = JSON.parse(readFileSync(ndjson.file, 'utf8')) as Record<string, string>;
    assert.deepEqual([line.ask, line.volume24h], ['84210.10', '123456789012345678.000000000000000001']);
    assert.ok(Object.keys(line).every((name) => header!.split(',').includes(name)));
  });

  it('of answers tells a problem’s code and detail, and nothing of an answer in order', async (t) => {
    const file = join(directoryFor(t), 'answers.ndjson');
    const answer = {
      at: startMs as EpochMs,
      sub: 1,
      askedAt: startMs as EpochMs,
      keyId: 'key_1',
      route: '/v1/ticker',
      symbol: 'BTCEUR',
      feedAgeMs: 0,
      request: 1,
      requestId: 'f'.repeat(32),
    };
    const answers: ExportedRows['answers'][] = [
      { ...answer, status: 200, text: '' },
      { ...answer, status: 404, text: 'UNKNOWN_SYMBOL No market "A\nB".' },
    ];
    await writeRows(file, 'ndjson', 'answers', batchesOf(answers));
    const lines = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      lines.map(({ status, code, detail }) => [status, code, detail]),
      [
        [200, undefined, undefined],
        [404, 'UNKNOWN_SYMBOL', 'No market "A\nB".'],
      ],
    );
  });
});
