import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { join, resolve } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { pipeline } from 'node:stream/promises';
import type { Configuration } from '../configuration/configuration.ts';
import { isoInstant } from '../contract/instant.ts';
import { chainsWithJournal, journalOf } from '../history/reading/journal.ts';
import { createIfMissing, lockForService } from '../store/sqlite/file.ts';
import { type CommandInput, type Context, command, described, type Output, version } from './command.ts';
import { CommandError, exitCodes, failure } from './failure.ts';
import { configurationFor } from './store-command.ts';
import { paintFor, table } from './style.ts';

/** A file of a backup. Those of the record begin with `record.sqlite`, as those of the configured one begin with its path. */
interface BackupFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Written last: a directory without it is no backup. */
interface Manifest {
  readonly form: number;
  readonly version: string;
  readonly at: string;
  readonly files: readonly BackupFile[];
}

const form = 1;
const manifestName = 'manifest.json';
const busyTimeoutMs = 2_000;
/** Pages of a database that are copied in one go. */
const pagesAtOnce = 1_000;
/** The help on PostgreSQL, where these commands do nothing. */
const [, postgresTools = ''] = described('store backup').details ?? [];

export const storeBackup = command('store backup', async (input, context) => {
  const { directory, bases, notes } = await placesOf(input, context);
  if (fs.existsSync(directory) && fs.readdirSync(directory).length > 0)
    throw failure('directory_not_empty', { directory });
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
  const show = progressOn(context.stderr);
  const at = isoInstant(context.clock.now());
  const written = { mode: 0o600, flush: true };
  const snapshots = [...bases].map(([name, path]) => ({ name, ...snapshotOf(path) }));
  const names: string[] = [];
  for (const { name, database, journals } of snapshots) {
    const target = join(directory, name);
    createIfMissing(target);
    show(name, 0);
    const rate = pagesAtOnce;
    await backup(database, target, { rate, progress: (now) => show(name, 1 - now.remainingPages / now.totalPages) });
    show(name, 1);
    database.close();
    for (const [chain, bytes] of journals) fs.writeFileSync(journalOf(target, chain), bytes, written);
    names.push(name, ...[...journals.keys()].map((chain) => journalOf(name, chain)));
  }
  const files: BackupFile[] = [];
  for (const name of names) {
    const path = join(directory, name);
    files.push({ name, bytes: fs.statSync(path).size, sha256: await digestOf(path) });
  }
  const manifest: Manifest = { form, version, at, files };
  fs.writeFileSync(join(directory, manifestName), `${JSON.stringify(manifest, null, 2)}\n`, written);
  return { json: { directory, at, files }, text: textOf(files, context), notes };
});

export const storeRestore = command('store restore', async (input, context) => {
  const { directory, bases, notes } = await placesOf(input, context);
  const files = fs.statSync(directory, { throwIfNoEntry: false })?.isFile()
    ? await keptFile(directory, context)
    : readManifest(directory).files;
  const staged = files.map(({ name }) => targetOf(name, bases)).map((path) => [`${path}.restoring`, path] as const);
  const paths = [...bases].filter(([name]) => files.some((file) => file.name === name)).map(([, path]) => path);
  const old = paths.flatMap((path) => oldFiles(path).map((suffix) => ({ path, suffix })));
  const locked = old.filter(({ suffix }) => !suffix.startsWith('-'));
  const releases = locked.map(({ path, suffix }) => lockForService(path + suffix));
  try {
    const [first] = old;
    if (first !== undefined && !input.isSet('replace'))
      throw failure('target_not_empty', { file: first.path + first.suffix });
    const aside = `.replaced-${context.clock.now()}`;
    const moves = old.map(({ path, suffix }) => [path + suffix, path + aside + suffix] as const);
    for (const [index, file] of files.entries()) {
      context.stderr.write(`${file.name}\n`);
      await stage(fs.statSync(directory).isFile() ? directory : join(directory, file.name), file, staged[index]![0]);
    }
    moveAll([...moves, ...staged]);
  } finally {
    for (const [path] of staged) fs.rmSync(path, { force: true });
    for (const release of releases) release();
  }
  const next = 'Next: `mdapi history verify`, and start the server.';
  return { json: { restored: files }, text: textOf(files, context), notes: [...notes, next] };
});

/** The configured files, by their names in a backup. Throws `CommandError` where there is none. */
async function placesOf(input: CommandInput, context: Context) {
  const { configuration } = await configurationFor(input, context);
  const { store, history }: Pick<Configuration, 'store' | 'history'> = configuration;
  const bases = new Map<string, string>();
  if (store.kind === 'sqlite') bases.set('store.sqlite', store.path);
  if (history?.location.kind === 'sqlite') bases.set('record.sqlite', history.location.path);
  if (bases.size === 0) throw new CommandError(exitCodes.refused, 'in_postgresql', postgresTools);
  const isPartly = store.kind === 'postgres' || history?.location.kind === 'postgres';
  return { directory: resolve(context.cwd, input.argument('DIR')), bases, notes: isPartly ? [postgresTools] : [] };
}

/**
 * A database at one instant, whatever is written meanwhile, and the journals of its running minutes: what is in neither is
 * in none. A journal that was emptied between two looks has its rows in a segment that may be too late for the database.
 */
export function snapshotOf(path: string, look = journalsOf) {
  for (;;) {
    const before = look(path);
    const database = new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs });
    database.exec('begin; select 1 from sqlite_schema');
    const journals = look(path);
    const hasGrown = [...journals].every(([chain, bytes]) => {
      const earlier = before.get(chain);
      if (earlier === undefined || earlier.length === 0) return earlier?.length === bytes.length;
      return earlier.equals(bytes.subarray(0, earlier.length));
    });
    if (hasGrown) return { database, journals };
    database.close();
  }
}

export function journalsOf(path: string): Map<number, Buffer> {
  return new Map(chainsWithJournal(path).map((chain) => [chain, fs.readFileSync(journalOf(path, chain))]));
}

/** The endings of what is there of a database: the file, what SQLite has beside it, and journals. */
function oldFiles(path: string): string[] {
  const journals = fs.existsSync(join(path, '..')) ? chainsWithJournal(path).map((chain) => journalOf('', chain)) : [];
  return ['', '-wal', '-shm', ...journals].filter((suffix) => fs.existsSync(path + suffix));
}

/** A store alone. Throws `StoreError` for a file that is none. */
async function keptFile(path: string, { clock }: Context): Promise<readonly BackupFile[]> {
  const { inspectStore } = await import('../store/open-database.ts');
  await inspectStore(`sqlite:${path}`, clock);
  return [{ name: 'store.sqlite', bytes: fs.statSync(path).size, sha256: await digestOf(path) }];
}

function readManifest(directory: string): Manifest {
  const path = join(directory, manifestName);
  if (!fs.existsSync(path)) throw failure('backup_missing', { path });
  const manifest = JSON.parse(fs.readFileSync(path, 'utf8')) as Manifest;
  if (manifest.form === form) return manifest;
  throw failure('backup_form', { form: manifest.form, version: manifest.version, own: form });
}

function targetOf(name: string, bases: ReadonlyMap<string, string>): string {
  const base = [...bases].find(([start]) => name === start || /^\.minute[1-9]\d*$/.test(name.replace(start, '')));
  if (base !== undefined) return base[1] + name.slice(base[0].length);
  throw failure('backup_differs', { name });
}

/** Copies a file, and throws `CommandError` unless the copy has the digest of the manifest. */
async function stage(from: string, { sha256 }: BackupFile, to: string): Promise<void> {
  if (fs.existsSync(from)) {
    createIfMissing(to);
    fs.copyFileSync(from, to);
    const copy = fs.openSync(to, 'r+');
    fs.fsyncSync(copy);
    fs.closeSync(copy);
    if ((await digestOf(to)) === sha256) return;
  }
  throw failure('backup_damaged', { from });
}

/** All or none. */
export function moveAll(moves: readonly (readonly [from: string, to: string])[]): void {
  const done: (readonly [string, string])[] = [];
  try {
    for (const [from, to] of moves) {
      fs.renameSync(from, to);
      done.push([to, from]);
    }
  } catch (error) {
    for (const [from, to] of done.reverse()) fs.renameSync(from, to);
    throw error;
  }
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(fs.createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}

function textOf(files: readonly BackupFile[], context: Context): string {
  const rows = files.map(({ name, bytes, sha256 }) => [name, String(bytes), sha256]);
  return table(['FILE', 'BYTES', 'SHA-256'], rows, paintFor(context), '');
}

/** A line that counts on a terminal, one for each file elsewhere. */
function progressOn({ isTerminal, write }: Output): (name: string, share: number) => void {
  return (name, share) => {
    if (isTerminal) write(`\r${name} ${Math.floor(share * 100)} %\x1b[K${share === 1 ? '\n' : ''}`);
    else if (share === 0) write(`${name}\n`);
  };
}
