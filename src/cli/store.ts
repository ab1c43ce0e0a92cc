import { resolve } from 'node:path';
import { recordHeads } from '../operator/record-heads.ts';
import type { CopyProgress } from '../store/copy-store.ts';
import { type Command, type CommandInput, type Context, command, type Output } from './command.ts';
import { UsageError } from './failure.ts';
import { actorOf, configurationFor, refusePassword, storeCommand } from './store-command.ts';
import { paintFor, table } from './style.ts';

export const storeCopy = command('store copy', async (input, context) => {
  const given = input.option('from');
  const from =
    given === undefined
      ? (await configurationFor(input, context)).configuration.store.url
      : argumentUrl('from', given, context.cwd);
  const to = argumentUrl('to', input.required('to'), context.cwd);
  const { copyStore } = await import('../store/copy-store.ts');
  const { clock, stderr } = context;
  const { counts, wasComplete } = await copyStore({ from, to, clock, progress: progressOn(stderr) });
  const rows = Object.entries(counts).map(([name, count]) => [name, String(count)]);
  const isRecordCopied = input.option('record-to') !== undefined;
  const record = isRecordCopied ? await moveRecord(input, context, to) : undefined;
  const ofRecord = isRecordCopied
    ? 'to that of the record, which was verified'
    : 'the record is not copied. Name its file to go on with it, or a database to begin anew and keep the file';
  const next = `Next: set \`store\` in the configuration to the new database, and \`history.url\`: ${ofRecord}. Then start the server.`;
  return {
    json: { complete: true, wasComplete, counts, ...(record && { record }) },
    text: table(['TABLE', 'ROWS'], rows, paintFor(context), ''),
    notes: [wasComplete && record?.wasComplete !== false ? 'The copy was complete already; nothing was done.' : next],
  };
});

export const acceptChanges: Command = storeCommand('store accept-changes', async ({ store, confirm }) => {
  await confirm('Keys and windows that vanished stop for good. Accept?');
  await store.accessChanges.acceptLosses();
  return { json: { accepted: true }, text: 'Running servers take what they hold back within a second.\n' };
});

/** Copies the record, and compares it with what the copied store knows of it. */
async function moveRecord(input: CommandInput, context: Context, store: string) {
  const locationOf = async (option: string) => {
    const url = input.option(option);
    if (url !== undefined) refusePassword(option, url);
    const flags = url === undefined ? [] : [{ flag: `--${option}`, key: 'history.url', value: url }];
    const { history } = (await configurationFor(input, context, flags)).configuration;
    if (history === undefined) throw new UsageError(`There is no record there: name one with --${option}.`);
    return history.location;
  };
  const { copyRecord } = await import('../history/query/copy-record.ts');
  const { openStore } = await import('../store/store.ts');
  const { clock, randomness, stderr } = context;
  const copied = await openStore({ url: store, clock, randomness, actor: actorOf(context) });
  const kept = await recordHeads(copied.snapshots).load();
  await copied.close();
  stderr.write('Copying the record\n');
  const progress = (segments: number) => {
    if (stderr.isTerminal && segments % 100 === 0) stderr.write(`\r${segments} segments\x1b[K`);
  };
  return copyRecord(await locationOf('record-from'), await locationOf('record-to'), kept, progress);
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
