import { accessSync, closeSync, constants, existsSync, openSync, realpathSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import type { Clock } from '../../clock.ts';
import { migrationTable } from '../migrate.ts';
import type { Database, Schema } from '../schema.ts';
import { StoreError } from '../store-error.ts';
import { type LockTimeout, retryWhileBusy, sqliteDialect } from './dialect.ts';
import { asStoreError, isBusy } from './errors.ts';

/** SQLite's own wait for a lock blocks the thread; `retryWhileBusy` waits for the rest of the timeout. */
const blockingBusyTimeoutMs = 5;
const lockTimeoutMs = 5_000;
/** A service that works releases its locks in milliseconds. */
const inspectionLockTimeoutMs = 1_000;
const ownerOnly = 0o600;

/**
 * Opens the file. Unless it is for reading only, makes it with mode 0600 when it is missing, and sets it up: write-ahead
 * log (a reader never waits for a writer), foreign keys, `synchronous = normal` (a power cut may lose the last commits,
 * never the file). Throws `StoreError` with the path and the fix.
 *
 * @param location what follows `sqlite:` in the URL: a path, relative to the working directory, or `:memory:`
 */
export async function openSqlite(location: string, clock: Clock, readOnly = false): Promise<Database> {
  const path = location === ':memory:' ? location : resolve(location);
  if (path !== ':memory:' && !readOnly) createIfMissing(path);
  const timeout = { clock, timeoutMs: lockTimeoutMs };
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: blockingBusyTimeoutMs, readOnly });
    if (!readOnly) await prepareFile(database, timeout);
    refuseForeignDatabase(database, path);
  } catch (error) {
    database?.close();
    throw asStoreError(error, path);
  }
  return new Kysely<Schema>({ dialect: sqliteDialect(database, path, timeout) });
}

/** The file is made before SQLite sees it, so that it and the log files beside it are readable by the owner alone. */
export function createIfMissing(path: string): void {
  try {
    closeSync(openSync(path, 'a', ownerOnly));
  } catch (error) {
    throw cannotOpen(error, path);
  }
}

/**
 * Whether the file exists; throws what `openSqlite` would throw, of what can be found without changing anything: a missing
 * directory, one or a file that may not be written, a lock that another program does not release.
 */
export async function assertWritable(path: string, clock: Clock): Promise<boolean> {
  const exists = existsSync(path);
  try {
    accessSync(dirname(path), constants.W_OK | constants.X_OK);
    if (exists) accessSync(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    throw cannotOpen(error, path);
  }
  if (!exists) return false;
  try {
    using database = new DatabaseSync(path, { timeout: blockingBusyTimeoutMs });
    const timeout = { clock, timeoutMs: inspectionLockTimeoutMs };
    await retryWhileBusy(() => database.exec('begin immediate; rollback'), timeout);
  } catch (error) {
    throw asStoreError(error, path);
  }
  return true;
}

function cannotOpen(error: unknown, path: string): StoreError {
  return new StoreError('cannot_open', `The database ${path} cannot be opened: ${causeOf(error, path)}`, error);
}

function causeOf(error: unknown, path: string): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const directory = dirname(path);
  if (code === 'ENOENT')
    return `the directory ${directory} does not exist. Create it, or name another path in \`store\`.`;
  if (code === 'EISDIR') return 'it is a directory. Name a file in `store`.';
  if (code === 'ENOTDIR') return `${directory} is not a directory. Name another path in \`store\`.`;
  if (code === 'EROFS') return `the file system of ${directory} is read-only. Name a path on one that can be written.`;
  if (code === 'EACCES' || code === 'EPERM')
    return `${accessCause(path, directory)} Change that, or name another path.`;
  return `the system says ${String(code)}. Check the path in \`store\`.`;
}

function accessCause(path: string, directory: string): string {
  return existsSync(path)
    ? 'this user may not write the file.'
    : `this user may not write to the directory ${directory}.`;
}

/**
 * Switching to the write-ahead log needs the file for itself, for a moment: two processes starting at once must both
 * succeed.
 */
function prepareFile(database: DatabaseSync, timeout: LockTimeout): Promise<void> {
  const pragmas = 'pragma journal_mode = wal; pragma synchronous = normal';
  return retryWhileBusy(() => database.exec(pragmas), timeout);
}

/** Another program's database would be filled with our tables: refuse one that has tables but none of ours. */
function refuseForeignDatabase(database: DatabaseSync, path: string): void {
  const found = database
    .prepare(
      `select count(*) as tables, coalesce(sum(name = ?), 0) as ours from sqlite_master
       where type = 'table' and name not like 'sqlite\\_%' escape '\\'`,
    )
    .get(migrationTable) as { tables: number; ours: number };
  if (found.tables === 0 || found.ours > 0) return;
  throw new StoreError(
    'foreign_database',
    `The database ${path} holds the tables of another program. Name another file in \`store\`.`,
  );
}

/**
 * Makes this process the one service on a database file: two would each run a feed and overwrite the other's markets. The
 * lock is an open transaction on a small database beside the file, so that it ends with its process, however that ends. Other
 * programs, such as the command line, are not held up. Throws `StoreError` with reason `in_use`, which names the holder.
 *
 * @returns releases the lock
 */
export function lockForService(path: string): () => void {
  const lockPath = `${realpathSync(path)}-lock`;
  createIfMissing(lockPath);
  const lock = new DatabaseSync(lockPath, { timeout: 0 });
  try {
    lock.exec('create table if not exists holder (name text); begin immediate; delete from holder');
    lock.prepare('insert into holder (name) values (?)').run(`${process.pid} on ${hostname()}`);
    // A transaction that only intends to write lets others read who has it.
    lock.exec('commit; begin immediate');
  } catch (error) {
    const holder = isBusy(error) ? holderOf(lock) : undefined;
    lock.close();
    if (holder === undefined) throw asStoreError(error, lockPath);
    throw new StoreError(
      'in_use',
      `The database ${path} belongs to a service that runs: process ${holder}. Stop that one first, or name another file in \`store\`. Several processes need \`redis\`.`,
    );
  }
  return () => lock.close();
}

function holderOf(lock: DatabaseSync): string {
  return String(lock.prepare('select name from holder').get()?.name ?? 'unknown');
}
