import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { EpochMs } from '../clock.ts';
import { isoInstant } from '../contract/instant.ts';
import type { RecordSpan } from '../history/query/record-reader.ts';
import type { Command } from './command.ts';
import { UsageError } from './failure.ts';
import { readSpan, spanOptions, symbolOf, withRecord } from './record.ts';
import { storeCommand } from './store-command.ts';

const formats = ['parquet', 'csv', 'ndjson'] as const;
const hourMs = 3_600_000;

export const exportRecord: Command = storeCommand({
  name: 'history export',
  summary: 'write what was quoted in a span into files, one per hour',
  details: ['A file is complete once it has its name. Run again after an interruption: complete files are left alone.'],
  options: [
    ...spanOptions,
    { name: 'format', value: 'FORMAT', values: formats, required: true, summary: 'parquet, csv or ndjson' },
    { name: 'out', value: 'DIR', required: true, summary: 'the directory to write to' },
    { name: 'symbol', value: 'SYMBOL', summary: 'this market alone (default: all)' },
  ],
  examples: {
    'mdapi history export --from 2026-11-22T00:00Z --to 2026-11-23T00:00Z --format parquet --out ./export': 'a day',
  },
  read(input, now) {
    const format = formats.find((each) => each === input.required('format'));
    if (format === undefined) throw new UsageError(`--format: one of ${formats.join(', ')}.`);
    const symbol = input.option('symbol');
    return { ...readSpan(input, now), format, symbol: symbol === undefined ? undefined : symbolOf(symbol) };
  },
  async work({ input, values: { from, to, format, symbol }, configuration, context: { cwd, stderr, clock } }) {
    const directory = resolve(cwd, input.required('out'));
    const { writeRows } = await import('../history/ship/export.ts');
    const files: { file: string; rows: number }[] = [];
    let skipped = 0;
    await withRecord(configuration, clock, async (record) => {
      mkdirSync(directory, { recursive: true });
      for (const hour of hoursOf(from, to)) {
        const file = join(directory, `quotes-${stamp(hour.from)}-${stamp(hour.to)}.${format}`);
        if (existsSync(file)) skipped++;
        else {
          stderr.write(`Writing ${file}\n`);
          const rows = await writeRows(`${file}.part`, format, record.everyQuote(hour, symbol));
          renameSync(`${file}.part`, file);
          files.push({ file, rows });
        }
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

function* hoursOf(from: EpochMs, to: EpochMs): Iterable<RecordSpan> {
  for (let start = from; start < to; ) {
    const end = Math.min(to, (Math.floor(start / hourMs) + 1) * hourMs) as EpochMs;
    yield { from: start, to: end };
    start = end;
  }
}
