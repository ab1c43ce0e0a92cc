import { resolve } from 'node:path';
import { recordHeads } from '../operator/record-heads.ts';
import type { CopyProgress } from '../store/copy-store.ts';
import { type CommonValues, type Context, command, type Output } from './command.ts';
import { UsageError } from './failure.ts';
import { backup, restore } from './store-backup.ts';
import { actorOf, configurationFor, refusePassword, storeCommand, yes } from './store-command.ts';
import { paintFor, table } from './style.ts';

const copy = command({
  name: 'store copy',
  summary: 'copy a database into a new one, such as from SQLite to PostgreSQL',
  details: [
    'Copies everything, and compares row counts at the end; the record is verified there. Keys keep working.',
    'Stop the servers first: what they write meanwhile is not copied. The source is only read. After an interruption run it again: it continues.',
    'Passwords come from PGPASSFILE (or ~/.pgpass), with a line for each host, or from PGPASSWORD.',
  ],
  options: {
    to: { value: 'URL', required: true, summary: 'the database to fill, which has to be empty' },
    from: { value: 'URL', summary: 'the database to read (default: the configured one)' },
    'record-to': { value: 'URL', summary: 'copy the record too, into this empty database' },
    'record-from': { value: 'URL', summary: 'the record to read (default: the configured one)' },
  },
  examples: {
    'mdapi store copy --from sqlite:./mdapi.sqlite --to postgres://mdapi@db.example.com/mdapi':
      'from the file to a server',
  },
  async run({ options }, context) {
    const from =
      options.from === undefined
        ? (await configurationFor(options, context)).configuration.store.url
        : argumentUrl('from', options.from, context.cwd);
    const to = argumentUrl('to', options.to, context.cwd);
    const { copyStore } = await import('../store/copy-store.ts');
    const { clock, stderr } = context;
    const { counts, wasComplete } = await copyStore({ from, to, clock, progress: progressOn(stderr) });
    const rows = Object.entries(counts).map(([name, count]) => [name, String(count)]);
    const record = options['record-to'] === undefined ? undefined : await copyRecord(options, context, to);
    const isDoneAlready = wasComplete && record?.wasComplete !== false;
    return {
      json: { complete: true, wasComplete, counts, ...(record && { record }) },
      text: table(['TABLE', 'ROWS'], rows, paintFor(context), ''),
      notes: [isDoneAlready ? 'The copy was complete already; nothing was done.' : nextStep(record !== undefined)],
    };
  },
});

function nextStep(isRecordCopied: boolean): string {
  const record = isRecordCopied
    ? 'to that of the record, which was verified'
    : 'the record is not copied. Name its file to go on with it, or a database to begin anew and keep the file';
  return `Next: set \`store\` in the configuration to the new database, and \`history.url\`: ${record}. Then start the server.`;
}

const acceptChanges = storeCommand({
  name: 'store accept-changes',
  summary: 'accept that many keys, windows or terms vanished from the database',
  details: [
    'When over 10 keys or windows, and over a tenth of them, vanish at once without an operator, running servers go on as if they were there; `/readyz` says how many. This makes every server accept that they are gone.',
  ],
  options: {
    yes,
  },
  examples: {
    'mdapi store accept-changes --yes': 'the keys are meant to be gone',
  },
  async work({ store, confirm }) {
    await confirm('Keys and windows that vanished stop for good. Accept?');
    await store.accessChanges.acceptLosses();
    return { json: { accepted: true }, text: 'Running servers take what they hold back within a second.\n' };
  },
});

export const commands = [copy, backup, restore, acceptChanges];

type CopyValues = CommonValues & Readonly<Record<'record-from' | 'record-to', string | undefined>>;

/** Copies the record, and compares it with what the copied store knows of it. */
async function copyRecord(options: CopyValues, context: Context, store: string) {
  const { copyRecord } = await import('../history/query/copy-record.ts');
  const { openStore } = await import('../store/store.ts');
  const { clock, randomness, stderr } = context;
  const copied = await openStore({ url: store, clock, randomness, actor: actorOf(options, context) });
  const kept = await recordHeads(copied.snapshots).load();
  await copied.close();
  stderr.write('Copying the record\n');
  const progress = (segments: number) => {
    if (stderr.isTerminal && segments % 100 === 0) stderr.write(`\r${segments} segments\x1b[K`);
  };
  const from = await recordLocation('record-from', options, context);
  const to = await recordLocation('record-to', options, context);
  return copyRecord(from, to, kept, progress);
}

/** Where the record is that an option names, or the configured one. Throws `UsageError` where there is none. */
async function recordLocation(option: 'record-from' | 'record-to', options: CopyValues, context: Context) {
  const { [option]: url } = options;
  if (url !== undefined) refusePassword(option, url);
  const flags = url === undefined ? [] : [{ flag: `--${option}`, key: 'history.url', value: url }];
  const { history } = (await configurationFor(options, context, flags)).configuration;
  if (history === undefined) throw new UsageError(`There is no record there: name one with --${option}.`);
  return history.location;
}

/** A store URL of the command line, a relative path made absolute. Throws `UsageError` for one with a password. */
function argumentUrl(option: string, url: string, cwd: string): string {
  refusePassword(option, url);
  if (!url.startsWith('sqlite:') || url === 'sqlite::memory:') return url;
  return `sqlite:${resolve(cwd, url.slice('sqlite:'.length))}`;
}

const barLength = 30;

/** Shows the progress of a copy: a bar on a terminal, a line for each table elsewhere. */
function progressOn({ isTerminal, write }: Output): (progress: CopyProgress) => void {
  let shown = '';
  return ({ table, done, total }) => {
    const isDone = done === total && table === 'operator_tokens';
    const text = isTerminal ? `\r${barOf({ table, done, total })}\x1b[K${isDone ? '\n' : ''}` : `Copying ${table}\n`;
    if (text === shown) return;
    shown = text;
    write(text);
  };
}

function barOf({ table, done, total }: CopyProgress): string {
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const filled = Math.floor(share * barLength);
  return `[${'#'.repeat(filled)}${'.'.repeat(barLength - filled)}] ${Math.floor(share * 100)} % of ${total} rows, ${table}`;
}
