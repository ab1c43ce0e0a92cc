import { StoreError, type StoreErrorReason } from '../store-error.ts';

/** The meaning of a result code to an operator: the reason, and a sentence in which PATH is that of the database. */
type Meaning = readonly [reason: StoreErrorReason, sentence: string];

const locked: Meaning = [
  'locked',
  'The database PATH is locked by another program. Let that program finish its transaction, then try again.',
];
const damaged: Meaning = ['damaged', 'The database PATH cannot be read in full. Check the disk and restore a backup.'];

const unwritable: Meaning = [
  'unwritable',
  'The disk that holds the database PATH takes no more: it fails, or a quota or a limit on the size of files is reached. Free some space or raise the limit.',
];

/** By the result codes of SQLite (sqlite.org/rescode.html): the extended one, where it says more than the primary one. */
const meanings: Readonly<Record<number, Meaning>> = {
  5: locked,
  6: locked,
  8: [
    'read_only',
    'The database PATH cannot be written. Give this user write permission on the file and on its directory.',
  ],
  10: damaged,
  11: damaged,
  13: ['disk_full', 'The disk that holds the database PATH is full. Free some space.'],
  14: [
    'cannot_open',
    'The database PATH cannot be opened. Check that the path is right and that this user may read and write it.',
  ],
  26: [
    'not_a_database',
    'The file PATH is not an SQLite database. Name another file in `store`, or move this one away.',
  ],
  // SQLITE_IOERR_WRITE and, of the index of the write-ahead log, SQLITE_IOERR_SHMSIZE.
  778: unwritable,
  4874: unwritable,
};

/** True when another connection holds a lock and the same statement can succeed later. */
export function isBusy(error: unknown): boolean {
  return meaningOf(error) === locked;
}

/** One clear sentence for whatever SQLite threw: names the file and the fix, never a parameter. */
export function asStoreError(error: unknown, path: string): StoreError {
  if (error instanceof StoreError) return error;
  const message = error instanceof Error ? error.message : 'unknown error';
  const [reason, sentence] = meaningOf(error) ?? ['unexpected', `The database PATH refused: ${message}.`];
  return new StoreError(
    reason,
    sentence.replace('PATH', () => path),
    error,
  );
}

function meaningOf(error: unknown): Meaning | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined;
  return meanings[error.errcode] ?? meanings[error.errcode & 0xff];
}
