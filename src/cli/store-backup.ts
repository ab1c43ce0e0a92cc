import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { join, resolve } from 'node:path';
import { backup as copyPages, DatabaseSync } from 'node:sqlite';
import { pipeline } from 'node:stream/promises';
import type { Configuration } from '../configuration/configuration.ts';
import { isoInstant } from '../contract/instant.ts';
import { version } from '../ground/version.ts';
import { chainsWithJournal, journalOf } from '../history/reading/journal.ts';
import { createIfMissing, lockForService } from '../store/sqlite/file.ts';
import { type CommonValues, type Context, command, type Output } from './command.ts';
import { CommandError, exitCodes } from './failure.ts';
import { configurationFor } from './store-command.ts';
import { paintFor, table } from './style.ts';

/** A file of a backup. Those of the record begin with `record.sqlite`, as the configured ones begin with its path. */
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
/** Advice for PostgreSQL, where these commands do nothing. */
const postgresTools =
  'What is in PostgreSQL its own tools back up: pg_dump and pg_restore one database, pg_basebackup with an archive of ' +
  'the write-ahead log all of it, to any instant. The record is there up to 5 seconds ago.';

export const backup = command({
  name: 'store backup',
  summary: 'back up store and record into a directory, while the server runs',
  details: [
    'Each file is copied as it is at one instant, the record with the journals of its running minute. The manifest has a SHA-256 of each.',
    postgresTools,
  ],
  positionals: { DIR: { summary: 'a new directory, or an empty one' } },
  examples: {
    'mdapi store backup /backup/2026-11-23': 'then move it to another machine',
  },
  async run({ positionals, options }, context) {
    const directory = resolve(context.cwd, positionals.DIR);
    const { bases, notes } = await placesOf(options, context);
    if (fs.existsSync(directory) && fs.readdirSync(directory).length > 0) throw directoryNotEmpty(directory);
    fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
    const at = isoInstant(context.clock.now());
    const names = await copyBases(bases, directory, context.stderr);
    const files: BackupFile[] = [];
    for (const name of names) files.push(await backupFile(name, join(directory, name)));
    const manifest: Manifest = { form, version, at, files };
    fs.writeFileSync(join(directory, manifestName), `${JSON.stringify(manifest, null, 2)}\n`, ownersOnly);
    return { json: { directory, at, files }, text: textOf(files, context), notes };
  },
});

/** Files of a backup are their owner's alone, and are on the disk before the manifest says so. */
const ownersOnly = { mode: 0o600, flush: true };

/** Copies each database and its journals into a directory, all as they are at one instant, and returns their names. */
async function copyBases(bases: ReadonlyMap<string, string>, directory: string, stderr: Output): Promise<string[]> {
  const show = progressOn(stderr);
  const snapshots = [...bases].map(([name, path]) => ({ name, ...snapshotOf(path) }));
  const names: string[] = [];
  for (const { name, database, journals } of snapshots) {
    const target = join(directory, name);
    createIfMissing(target);
    show(name, 0);
    await copyPages(database, target, {
      rate: pagesAtOnce,
      progress: ({ remainingPages, totalPages }) => show(name, 1 - remainingPages / totalPages),
    });
    show(name, 1);
    database.close();
    for (const [chain, bytes] of journals) fs.writeFileSync(journalOf(target, chain), bytes, ownersOnly);
    names.push(name, ...[...journals.keys()].map((chain) => journalOf(name, chain)));
  }
  return names;
}

async function backupFile(name: string, path: string): Promise<BackupFile> {
  return { name, bytes: fs.statSync(path).size, sha256: await digestOf(path) };
}

function directoryNotEmpty(directory: string): CommandError {
  return new CommandError(exitCodes.refused, 'directory_not_empty', `${directory} is not empty. Name a new one.`);
}

export const restore = command({
  name: 'store restore',
  summary: 'put a backup of store and record in the configured places',
  details: [
    'Stop the server first. Every file is copied and compared with its SHA-256 before the first takes its place.',
    'What `--replace` replaces stays beside it, with `.replaced-` and the instant in its name.',
  ],
  positionals: { DIR: { summary: 'a directory that `store backup` made, or a file that an upgrade kept' } },
  options: {
    replace: { summary: 'put aside what is in those places' },
  },
  examples: {
    'mdapi store restore /backup/2026-11-23': 'into empty places, such as on a new machine',
  },
  async run({ positionals, options }, context) {
    const directory = resolve(context.cwd, positionals.DIR);
    const { bases, notes } = await placesOf(options, context);
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
      if (first !== undefined && !options.replace) throw targetNotEmpty(first.path + first.suffix);
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
  },
});

function targetNotEmpty(file: string): CommandError {
  const message = `There is ${file} already. To put it aside, say --replace.`;
  return new CommandError(exitCodes.refused, 'target_not_empty', message);
}

/** The configured files, by their names in a backup. Throws `CommandError` where there is none. */
async function placesOf(options: CommonValues, context: Context) {
  const { configuration } = await configurationFor(options, context);
  const { store, history }: Pick<Configuration, 'store' | 'history'> = configuration;
  const bases = new Map<string, string>();
  if (store.kind === 'sqlite') bases.set('store.sqlite', store.path);
  if (history?.location.kind === 'sqlite') bases.set('record.sqlite', history.location.path);
  if (bases.size === 0) throw new CommandError(exitCodes.refused, 'in_postgresql', postgresTools);
  const isPartly = store.kind === 'postgres' || history?.location.kind === 'postgres';
  return { bases, notes: isPartly ? [postgresTools] : [] };
}

/**
 * A database at one instant, whatever is written meanwhile, and the journals of its running minutes: what is in neither
 * is in none. A journal that was emptied between two looks has its rows in a segment that may be too late for the
 * database.
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
  return [await backupFile('store.sqlite', path)];
}

function readManifest(directory: string): Manifest {
  const path = join(directory, manifestName);
  if (!fs.existsSync(path)) throw backupMissing(path);
  const manifest = JSON.parse(fs.readFileSync(path, 'utf8')) as Manifest;
  if (manifest.form !== form) throw otherForm(manifest);
  return manifest;
}

function backupMissing(path: string): CommandError {
  const message = `There is no ${path}: this is no backup, or one that was not finished.`;
  return new CommandError(exitCodes.notFound, 'backup_missing', message);
}

function otherForm({ form: found, version: madeBy }: Manifest): CommandError {
  const message = `The backup is of form ${found}, made by version ${madeBy}; this version reads ${form}.`;
  return new CommandError(exitCodes.refused, 'backup_form', message);
}

function targetOf(name: string, bases: ReadonlyMap<string, string>): string {
  const base = [...bases].find(([start]) => name === start || /^\.minute[1-9]\d*$/.test(name.replace(start, '')));
  if (base !== undefined) return base[1] + name.slice(base[0].length);
  const remedy = 'Set store and history.url as they were.';
  const message = `The backup has ${name}, and the configuration no such file. ${remedy}`;
  throw new CommandError(exitCodes.refused, 'backup_differs', message);
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
  const message = `${from} is not as the manifest has it. Nothing was restored. Take another backup.`;
  throw new CommandError(exitCodes.failure, 'backup_damaged', message);
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
