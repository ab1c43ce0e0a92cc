import { closeSync, existsSync, openSync, realpathSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreError } from '../store-error.ts';
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

export function cannotOpen(error: unknown, path: string): StoreError {
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
