import { rmSync } from 'node:fs';
import { type EpochMs, systemClock } from '../src/ground/clock.ts';
import { RecordQuestions } from '../src/history/query/questions.ts';
import { openSqliteSegmentsToRead } from '../src/history/segment/sqlite-segments.ts';
import { collectSooner, type ExportFormat, writeRows } from '../src/history/ship/export.ts';

/** Writes all prices of a record into one file, in a process of its own, and prints what that took as JSON. */
const [path = '', format = 'parquet'] = process.argv.slice(2);
const store = openSqliteSegmentsToRead(path)!;
const questions = new RecordQuestions(store, systemClock);
const file = `${path}.${format}`;
const startedMs = performance.now();
const everything = { from: 0 as EpochMs, to: Date.parse('9999-01-01T00:00Z') as EpochMs };
collectSooner();
const rows = await writeRows(file, format as ExportFormat, 'quotes', questions.everyQuote(everything));
const exportMs = performance.now() - startedMs;
await store.close();
rmSync(file);
process.stdout.write(`${JSON.stringify({ rows, exportMs, peakBytes: process.resourceUsage().maxRSS * 1_024 })}\n`);
