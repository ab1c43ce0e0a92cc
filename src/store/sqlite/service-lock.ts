import { realpathSync } from 'node:fs';
import { hostname } from 'node:os';
import { DatabaseSync } from 'node:sqlite';
import { StoreError } from '../store-error.ts';
import { asStoreError, isBusy } from './errors.ts';
import { createIfMissing } from './open.ts';

/**
 * Makes this process the one service on a database file: two would each run a feed and overwrite the other's markets. The
 * lock is an open transaction on a small database beside the file, so that it ends with its process, however that ends. Other
 * programs, such as the command line, are not held up. Throws `StoreError` with reason `in_use`, which names the holder.
 *
 * @returns gives the lock back
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
