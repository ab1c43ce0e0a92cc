import { closeSync, existsSync, openSync, realpathSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isTextName, refusal, type StoreError } from '../store-error.ts';
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
export function cannotOpen(error: unknown, path: string): StoreError {
  const code = String(error instanceof Error && 'code' in error ? error.code : undefined);
  const isDenied = code === 'EACCES' || code === 'EPERM';
  const denied = existsSync(path) ? 'denied_file' : 'denied_directory';
  const name = `cannot_open.${isDenied ? denied : code}`;
  const values = { path, directory: dirname(path), code };
  return refusal(isTextName(name) ? name : 'cannot_open.other', values, error);
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
    throw refusal('in_use', { path, holder });
  }
  return () => lock.close();
}

function holderOf(lock: DatabaseSync): string {
  return String(lock.prepare('select name from holder').get()?.name ?? 'unknown');
}
