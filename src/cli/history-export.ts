import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isoInstant } from '../contract/instant.ts';
import type { EpochMs } from '../ground/clock.ts';
import type { RecordSpan } from '../history/reading/record-reader.ts';
import type { ExportedRows, ExportFormat } from '../history/ship/export.ts';
import type { Command } from './command.ts';
import { UsageError } from './failure.ts';
import { keyIdOf, readSpan, symbolOf, withRecord } from './record.ts';
import { storeCommand } from './store-command.ts';

type What = keyof ExportedRows;

/** How long the span of a file is: of prices there are most. */
const fileMs = { quotes: 3_600_000, answers: 86_400_000, facts: 86_400_000 } as const;

export const exportRecord: Command = storeCommand('history export', {
  read(input, now) {
    const what = (input.option('what') ?? 'quotes') as What;
    const format = input.required('format') as ExportFormat;
    const [key, symbol] = [input.option('key'), input.option('symbol')];
    if (key !== undefined && what !== 'answers') throw new UsageError('--key goes with --what answers.');
    if (symbol !== undefined && what !== 'quotes') throw new UsageError('--symbol goes with --what quotes.');
    return { ...readSpan(input, now), what, format, key, symbol: symbol === undefined ? undefined : symbolOf(symbol) };
  },
  async work({ input, values, store, configuration, context: { cwd, stderr, clock } }) {
    const { what, format, symbol } = values;
    const directory = resolve(cwd, input.required('out'));
    const keyId = values.key === undefined ? undefined : await keyIdOf(store, values.key);
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
        if (existsSync(file)) skipped++;
        else {
          stderr.write(`Writing ${file}\n`);
          const rows = await writeRows<What>(`${file}.part`, format, what, rowsIn[what](span));
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

function* spansOf({ from, to }: RecordSpan, lengthMs: number): Iterable<RecordSpan> {
  for (let start = from; start < to; ) {
    const end = Math.min(to, (Math.floor(start / lengthMs) + 1) * lengthMs) as EpochMs;
    yield { from: start, to: end };
    start = end;
  }
}
