import { existsSync, rmSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { version } from '../ground/version.ts';
import { recordForm } from '../history/segment/record-form.ts';
import { type Context, command } from './command.ts';
import { CommandError, exitCodes } from './failure.ts';
import { configurationFor } from './store-command.ts';
import { paintFor, pairs } from './style.ts';

const check = command({
  name: 'upgrade check',
  summary: 'try on a copy what a start of this version would do to the database',
  details: [
    'Run it with the new version before its first start; the old one may go on running.',
    'Of PostgreSQL it names the steps: try them with --store on a copy that pg_dump and pg_restore made.',
  ],
  examples: {
    'mdapi upgrade check --config /etc/mdapi/mdapi.yaml': 'steps, time and disk',
  },
  async run({ options }, context) {
    const { configuration, file } = await configurationFor(options, context);
    const { store, history } = configuration;
    const { inspectStore } = await import('../store/open-database.ts');
    const isThere = store.kind === 'postgres' || existsSync(store.path);
    const { steps } = isThere ? await inspectStore(store.url, context.clock) : { steps: [] };
    const trial = store.kind === 'sqlite' && steps.length > 0 ? await triedOn(store.path, context) : null;
    const record = history?.location.kind === 'sqlite' ? formsOf(history.location.path) : null;
    const rows: [string, string][] = [
      ['Configuration', `${file ?? 'none'}: nothing in it is unknown to ${version}`],
      ['Steps', steps.join(', ') || 'none: there is nothing to bring up to date'],
    ];
    if (trial !== null) {
      const { copyMs, upgradeMs, bytes, bytesAfter, neededBytes, freeBytes } = trial;
      rows.push(['Time', `${upgradeMs} ms, after ${copyMs} ms for the copy to go back to`]);
      const disk = `up to ${megabytes(neededBytes)} needed, ${megabytes(freeBytes)} free`;
      rows.push(['Disk', `${megabytes(bytes)} before, ${megabytes(bytesAfter)} after; ${disk}`]);
    } else if (steps.length > 0) {
      rows.push(['Not tried', 'in PostgreSQL: see `mdapi help upgrade check`']);
    }
    if (record !== null && record.form !== record.becomes) {
      const remedy = 'The version before cannot read that: make a `store backup` first.';
      rows.push(['Record', `of form ${record.form}, becomes ${record.becomes}. ${remedy}`]);
    }
    const json = { version, configurationFile: file ?? null, steps, trial, record };
    return { json, text: pairs(rows, paintFor(context)) };
  },
});

export const commands = [check];

/** The database and its copy, each with a write-ahead log that can become as large. */
const room = 4;

/** Brings a copy of the file up to date. Throws `CommandError` or `StoreError` where that would fail. */
async function triedOn(path: string, { clock }: Context) {
  const { copyOf } = await import('../store/sqlite/kept-file.ts');
  const { openDatabase } = await import('../store/open-database.ts');
  const { bavail, bsize } = statfsSync(dirname(path));
  using source = new DatabaseSync(path, { readOnly: true, timeout: 2_000 });
  const { bytes } = source
    .prepare('select page_count * page_size as bytes from pragma_page_count, pragma_page_size')
    .get()!;
  const sizes = { bytes: Number(bytes), neededBytes: room * Number(bytes), freeBytes: bavail * bsize };
  if (sizes.freeBytes < sizes.neededBytes) throw diskFull(path, sizes);
  const copy = `${path}.trial-${process.pid}`;
  try {
    const startedMs = clock.monotonicMs();
    await copyOf(source, copy);
    const copiedMs = clock.monotonicMs();
    await (await openDatabase({ url: `sqlite:${copy}`, clock })).db.destroy();
    const upgradeMs = Math.ceil(clock.monotonicMs() - copiedMs);
    return { copyMs: Math.ceil(copiedMs - startedMs), upgradeMs, ...sizes, bytesAfter: statSync(copy).size };
  } finally {
    for (const suffix of ['', '-wal', '-shm']) rmSync(copy + suffix, { force: true });
  }
}

function diskFull(
  path: string,
  { freeBytes, neededBytes }: Readonly<Record<'freeBytes' | 'neededBytes', number>>,
): CommandError {
  const remedy = `Free some space: the upgrade needs up to ${megabytes(neededBytes)}.`;
  const message = `The disk of ${path} has ${megabytes(freeBytes)} free. ${remedy}`;
  return new CommandError(exitCodes.failure, 'disk_full', message);
}

/** The form of the record in a file, and that which this version writes; null where there is none. */
function formsOf(path: string) {
  if (!existsSync(path)) return null;
  using database = new DatabaseSync(path, { readOnly: true });
  return { form: Number(database.prepare('pragma user_version').get()!.user_version), becomes: recordForm };
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
