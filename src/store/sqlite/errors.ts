import { type EngineErrorCode, StoreError, type StoreErrorValues } from '../store-error.ts';

/** Errors that name the file and nothing else. */
type FileErrorCode = {
  [Code in EngineErrorCode]: { readonly path: string } extends StoreErrorValues[Code] ? Code : never;
}[EngineErrorCode];

/** The meaning of result codes to an operator. */
interface Meaning {
  readonly resultCodes: readonly number[];
  readonly code: FileErrorCode;
  readonly message: (path: string) => string;
}

/**
 * By the result codes of SQLite (sqlite.org/rescode.html): the extended one, where it says more than the primary one.
 */
export const meanings: readonly Meaning[] = [
  {
    resultCodes: [5, 6],
    code: 'locked.file',
    message: (path) =>
      `The database ${path} is locked by another program. Let that program finish its transaction, then try again.`,
  },
  {
    resultCodes: [8],
    code: 'read_only.file',
    message: (path) =>
      `The database ${path} cannot be written. Give this user write permission on the file and on its directory.`,
  },
  {
    resultCodes: [10, 11],
    code: 'damaged.file',
    message: (path) => `The database ${path} cannot be read in full. Check the disk and restore a backup.`,
  },
  {
    resultCodes: [13],
    code: 'disk_full.file',
    message: (path) => `The disk that holds the database ${path} is full. Free some space.`,
  },
  {
    resultCodes: [14],
    code: 'cannot_open.file',
    message: (path) =>
      `The database ${path} cannot be opened. Check that the path is right and that this user may read and write it.`,
  },
  {
    resultCodes: [26],
    code: 'not_a_database',
    message: (path) =>
      `The file ${path} is not an SQLite database. Name another file in \`store\`, or move this one away.`,
  },
  {
    resultCodes: [778, 4874],
    code: 'unwritable',
    message: (path) =>
      `The disk that holds the database ${path} takes no more: it fails, or a quota or a limit on the size of files ` +
      'is reached. Free some space or raise the limit.',
  },
];

const meaningOfCode = new Map(meanings.flatMap((each) => each.resultCodes.map((code) => [code, each] as const)));

/** True when another connection holds a lock and the same statement can succeed later. */
export function isBusy(error: unknown): boolean {
  return meaningOf(error)?.code === 'locked.file';
}

/** One clear sentence for whatever SQLite threw: names the file and the fix, never a parameter. */
export function asStoreError(error: unknown, path: string): StoreError {
  if (error instanceof StoreError) return error;
  const meaning = meaningOf(error);
  if (meaning !== undefined) return new StoreError(meaning.code, { path }, meaning.message(path), error);
  return refused({ path, said: error instanceof Error ? error.message : 'unknown error' }, error);
}

function refused(values: StoreErrorValues['unexpected.file'], cause?: unknown) {
  return new StoreError('unexpected.file', values, `The database ${values.path} refused: ${values.said}.`, cause);
}

function meaningOf(error: unknown): Meaning | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined;
  return meaningOfCode.get(error.errcode) ?? meaningOfCode.get(error.errcode & 0xff);
}
