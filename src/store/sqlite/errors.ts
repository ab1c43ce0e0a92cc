import { StoreError } from '../store-error.ts';

/** Primary result codes of SQLite (sqlite.org/rescode.html) that mean something to an operator. */
const code = { busy: 5, locked: 6, readOnly: 8, ioError: 10, corrupt: 11, full: 13, cannotOpen: 14, notADatabase: 26 };

function primaryCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined;
  return error.errcode & 0xff;
}

/** True when another connection holds a lock and the same statement can succeed later. */
export function isBusy(error: unknown): boolean {
  const primary = primaryCodeOf(error);
  return primary === code.busy || primary === code.locked;
}

/** One clear sentence for whatever SQLite threw: names the file and the mend, never a parameter. */
export function asStoreError(error: unknown, path: string): StoreError {
  if (error instanceof StoreError) return error;
  switch (primaryCodeOf(error)) {
    case code.busy:
    case code.locked:
      return new StoreError(
        'locked',
        `The database ${path} is locked by another program. Let that program finish its transaction, then try again.`,
        error,
      );
    case code.readOnly:
      return new StoreError(
        'read_only',
        `The database ${path} cannot be written. Give this user write permission on the file and on its directory.`,
        error,
      );
    case code.cannotOpen:
      return new StoreError(
        'cannot_open',
        `The database ${path} cannot be opened. Check that the path is right and that this user may read and write it.`,
        error,
      );
    case code.notADatabase:
      return new StoreError(
        'not_a_database',
        `The file ${path} is not an SQLite database. Name another file in \`store\`, or move this one away.`,
        error,
      );
    case code.full:
      return new StoreError('disk_full', `The disk that holds the database ${path} is full. Free some space.`, error);
    case code.corrupt:
    case code.ioError:
      return new StoreError(
        'damaged',
        `The database ${path} cannot be read in full. Check the disk and put back a backup.`,
        error,
      );
    default:
      return new StoreError('unexpected', `The database ${path} refused: ${messageOf(error)}.`, error);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown error';
}
