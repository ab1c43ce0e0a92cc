import { StoreError, type StoreErrorReason } from '../store-error.ts';

/** The meaning of a result code to an operator: the reason, and a sentence about the database at this path. */
type Meaning = readonly [reason: StoreErrorReason, sentence: (path: string) => string];

const locked: Meaning = [
  'locked',
  (path) =>
    `The database ${path} is locked by another program. Let that program finish its transaction, then try again.`,
];
const damaged: Meaning = [
  'damaged',
  (path) => `The database ${path} cannot be read in full. Check the disk and restore a backup.`,
];

const unwritable: Meaning = [
  'unwritable',
  (path) =>
    `The disk that holds the database ${path} takes no more: it fails, or a quota or a limit on the size of files is reached. Free some space or raise the limit.`,
];

/** By the result codes of SQLite (sqlite.org/rescode.html): the extended one, where it says more than the primary one. */
const meanings: Readonly<Record<number, Meaning>> = {
  5: locked,
  6: locked,
  8: [
    'read_only',
    (path) =>
      `The database ${path} cannot be written. Give this user write permission on the file and on its directory.`,
  ],
  10: damaged,
  11: damaged,
  13: ['disk_full', (path) => `The disk that holds the database ${path} is full. Free some space.`],
  14: [
    'cannot_open',
    (path) =>
      `The database ${path} cannot be opened. Check that the path is right and that this user may read and write it.`,
  ],
  26: [
    'not_a_database',
    (path) => `The file ${path} is not an SQLite database. Name another file in \`store\`, or move this one away.`,
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
  const [reason, sentence] = meaningOf(error) ?? [
    'unexpected',
    () => `The database ${path} refused: ${messageOf(error)}.`,
  ];
  return new StoreError(reason, sentence(path), error);
}

function meaningOf(error: unknown): Meaning | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined;
  return meanings[error.errcode] ?? meanings[error.errcode & 0xff];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown error';
}
