import { closeSync, existsSync, openSync, realpathSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreError, type StoreErrorValues } from '../store-error.ts';
import { asStoreError, isBusy } from './errors.ts';

// The threads of the record load this file, so it does without Kysely, which takes 11 MB in each.

const ownerOnly = 0o600;

/** The file is made before SQLite sees it, so that it and the log files beside it are readable by the owner alone. */
export function createIfMissing(path: string): void {
  try {
    closeSync(openSync(path, 'a', ownerOnly));
  } catch (error) {
    throw cannotOpen(error, path);
  }
}

/** Says why the system did not let a file be opened, and what to do about it. */
export function cannotOpen(cause: unknown, path: string): StoreError {
  const systemCode = String(cause instanceof Error && 'code' in cause ? cause.code : undefined);
  const directory = dirname(path);
  switch (systemCode) {
    case 'ENOENT':
      return directoryMissing({ path, directory }, cause);
    case 'EISDIR':
      return isDirectory({ path }, cause);
    case 'ENOTDIR':
      return notADirectory({ path, directory }, cause);
    case 'EROFS':
      return readOnlyFileSystem({ path, directory }, cause);
    case 'EACCES':
    case 'EPERM':
      return existsSync(path) ? fileDenied({ path }, cause) : directoryDenied({ path, directory }, cause);
    default:
      return refusedBySystem({ path, systemCode }, cause);
  }
}

/**
 * Makes this process the one service on a database file: two would each run a feed and overwrite the other's markets.
 * The lock is an open transaction on a small database beside the file, so that it ends with its process, however that
 * ends. Other programs, such as the command line, are not held up. Throws `StoreError` with reason `in_use`, which
 * names the holder.
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
    throw inUse({ path, holder });
  }
  return () => lock.close();
}

function holderOf(lock: DatabaseSync): string {
  return String(lock.prepare('select name from holder').get()?.name ?? 'unknown');
}

export function directoryMissing(values: StoreErrorValues['cannot_open.directory_missing'], cause?: unknown) {
  const { path, directory } = values;
  const message =
    `The database ${path} cannot be opened: the directory ${directory} does not exist. ` +
    'Create it, or name another path in `store`.';
  return new StoreError('cannot_open.directory_missing', values, message, cause);
}

export function isDirectory(values: StoreErrorValues['cannot_open.is_directory'], cause?: unknown) {
  const message = `The database ${values.path} cannot be opened: it is a directory. Name a file in \`store\`.`;
  return new StoreError('cannot_open.is_directory', values, message, cause);
}

export function notADirectory(values: StoreErrorValues['cannot_open.not_a_directory'], cause?: unknown) {
  const { path, directory } = values;
  const finding = `The database ${path} cannot be opened: ${directory} is not a directory.`;
  const message = `${finding} Name another path in \`store\`.`;
  return new StoreError('cannot_open.not_a_directory', values, message, cause);
}

export function readOnlyFileSystem(values: StoreErrorValues['cannot_open.read_only_file_system'], cause?: unknown) {
  const { path, directory } = values;
  const message =
    `The database ${path} cannot be opened: the file system of ${directory} is read-only. ` +
    'Name a path on one that can be written.';
  return new StoreError('cannot_open.read_only_file_system', values, message, cause);
}

export function fileDenied(values: StoreErrorValues['cannot_open.file_denied'], cause?: unknown) {
  const message =
    `The database ${values.path} cannot be opened: this user may not write the file. ` +
    'Change that, or name another path.';
  return new StoreError('cannot_open.file_denied', values, message, cause);
}

export function directoryDenied(values: StoreErrorValues['cannot_open.directory_denied'], cause?: unknown) {
  const { path, directory } = values;
  const message =
    `The database ${path} cannot be opened: this user may not write to the directory ${directory}. ` +
    'Change that, or name another path.';
  return new StoreError('cannot_open.directory_denied', values, message, cause);
}

export function refusedBySystem(values: StoreErrorValues['cannot_open.system'], cause?: unknown) {
  const { path, systemCode } = values;
  const message = `The database ${path} cannot be opened: the system says ${systemCode}. Check the path in \`store\`.`;
  return new StoreError('cannot_open.system', values, message, cause);
}

export function inUse(values: StoreErrorValues['in_use']) {
  const { path, holder } = values;
  const message =
    `The database ${path} belongs to a service that runs: process ${holder}. ` +
    'Stop that one first, or name another file in `store`. Several processes need `redis`.';
  return new StoreError('in_use', values, message);
}
