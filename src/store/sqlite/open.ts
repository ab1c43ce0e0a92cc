import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../ground/clock.ts';
import { Kysely } from '../kysely.ts';
import { migrationTable } from '../migrate.ts';
import type { Database, Schema } from '../schema.ts';
import { StoreError, type StoreErrorValues } from '../store-error.ts';
import { type LockTimeout, retryWhileBusy, sqliteDialect } from './dialect.ts';
import { asStoreError } from './errors.ts';
import { cannotOpen, createIfMissing } from './file.ts';

/** SQLite's own wait for a lock blocks the thread; `retryWhileBusy` waits for the rest of the timeout. */
const blockingBusyTimeoutMs = 5;
const lockTimeoutMs = 5_000;
/** A service that works releases its locks in milliseconds. */
const inspectionLockTimeoutMs = 1_000;

/**
 * Opens the file. Unless it is for reading only, makes it with mode 0600 when it is missing, and sets it up:
 * write-ahead log (a reader never waits for a writer), foreign keys, `synchronous = normal` (a power cut may lose the
 * last commits, never the file). Throws `StoreError` with the path and the fix.
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

/**
 * Whether the file exists; throws what `openSqlite` would throw, of what can be found without changing anything: a
 * missing directory, one or a file that may not be written, a lock that another program does not release.
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
  if (found.tables > 0 && found.ours === 0) throw fileOfAnotherProgram({ path });
}

export function fileOfAnotherProgram(values: StoreErrorValues['foreign_database.file']) {
  const message = `The database ${values.path} holds the tables of another program. Name another file in \`store\`.`;
  return new StoreError('foreign_database.file', values, message);
}
