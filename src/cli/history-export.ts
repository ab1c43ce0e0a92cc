import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isoInstant } from '../contract/instant.ts';
import type { EpochMs } from '../ground/clock.ts';
import type { RecordSpan } from '../history/reading/record-reader.ts';
import type { ExportedRows } from '../history/ship/export.ts';
import { UsageError } from './failure.ts';
import { keyIdOf, readSpan, spanOptions, symbolOf, withRecord } from './record.ts';
import { storeCommand } from './store-command.ts';

type What = keyof ExportedRows;

/** How long the span of a file is: of prices there are most. */
const fileMs = { quotes: 3_600_000, answers: 86_400_000, facts: 86_400_000 } as const;

export const exportRecord = storeCommand({
  name: 'history export',
  summary: 'write what was quoted, answered or changed in a span into files',
  details: [
    'A file has an hour of quotes, or a day of answers or facts. It is complete once it has its name. Run again after an interruption: complete files are left alone.',
    'Files of a key have the answers to it and nothing else: they can be given to its owner.',
    'Parquet has decimals as DECIMAL(38,18) and instants in UTC; a decimal that does not fit is a text in `otherDecimals`.',
  ],
  options: {
    ...spanOptions,
    what: {
      value: 'ROWS',
      values: ['quotes', 'answers', 'facts'],
      summary: 'quotes, answers or facts (default: quotes)',
    },
    format: {
      value: 'FORMAT',
      values: ['parquet', 'csv', 'ndjson'],
      required: true,
      summary: 'parquet, csv or ndjson',
    },
    out: { value: 'DIR', required: true, summary: 'the directory to write to' },
    key: { value: 'KEY', summary: 'answers to this key alone: its id, or its last four characters' },
    symbol: { value: 'SYMBOL', summary: 'quotes of this market alone (default: all)' },
  },
  examples: {
    'mdapi history export --from 2026-11-22T00:00Z --to 2026-11-23T00:00Z --format parquet --out ./export': 'a day',
    'mdapi history export --from 2026-11-22T00:00Z --what answers --key x7Qa --format csv --out ./client':
      'for the owner of a key',
  },
  read({ options }, now) {
    const { what = 'quotes', key, symbol } = options;
    if (key !== undefined && what !== 'answers') throw new UsageError('--key goes with --what answers.');
    if (symbol !== undefined && what !== 'quotes') throw new UsageError('--symbol goes with --what quotes.');
    return { ...readSpan(options, now), what, symbol: symbol === undefined ? undefined : symbolOf(symbol) };
  },
  async work({ options, values, store, configuration, context: { cwd, stderr, clock } }) {
    const { format, key } = options;
    const { what, symbol } = values;
    const directory = resolve(cwd, options.out);
    const keyId = key === undefined ? undefined : await keyIdOf(store, key);
    const { collectSooner, writeRows } = await import('../history/ship/export.ts');
    collectSooner();
    const files: { file: string; rows: number }[] = [];
    let skipped = 0;
    await withRecord(configuration, clock, async (record) => {
      const rowsIn = {
        quotes: (span: RecordSpan) => record.everyQuote(span, symbol),
        answers: (span: RecordSpan) => record.everyAnswer(span, keyId),
        facts: (span: RecordSpan) => record.everyFact(span),
      } as const satisfies { [Each in What]: (span: RecordSpan) => AsyncIterable<readonly ExportedRows[Each][]> };
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      for (const span of spansOf(values, fileMs[what])) {
        const name = [what, keyId ?? symbol ?? [], stamp(span.from), stamp(span.to)].flat().join('-');
        const file = join(directory, `${name}.${format}`);
        if (existsSync(file)) {
          skipped++;
          continue;
        }
        stderr.write(`Writing ${file}\n`);
        const rows = await writeRows<What>(`${file}.part`, format, what, rowsIn[what](span));
        renameSync(`${file}.part`, file);
        files.push({ file, rows });
      }
    });
    const rows = files.reduce((sum, each) => sum + each.rows, 0);
    return {
      json: { files, rows, skipped },
      text: `${files.length} files, ${rows} rows.${skipped === 0 ? '' : ` ${skipped} were complete already.`}`,
    };
  },
});

/** An instant in the name of a file. */
function stamp(at: EpochMs): string {
  return isoInstant(at).replaceAll(/[-:.]/g, '');
}

function* spansOf({ from, to }: RecordSpan, lengthMs: number): Iterable<RecordSpan> {
  for (let start = from; start < to; ) {
    const end = Math.min(to, (Math.floor(start / lengthMs) + 1) * lengthMs) as EpochMs;
    yield { from: start, to: end };
    start = end;
  }
}
