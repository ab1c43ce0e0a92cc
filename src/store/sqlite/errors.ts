import { StoreError, type StoreErrorReason } from '../store-error.ts';
import written from './errors.json' with { type: 'json' };

/** The meaning of result codes to an operator: the reason, and a sentence in which PATH is that of the database. */
interface Meaning {
  readonly codes: readonly number[];
  readonly reason: StoreErrorReason;
  readonly sentence: string;
}

/** By the result codes of SQLite (sqlite.org/rescode.html): the extended one, where it says more than the primary one. */
const meanings = new Map((written as readonly Meaning[]).flatMap((each) => each.codes.map((code) => [code, each])));

/** True when another connection holds a lock and the same statement can succeed later. */
export function isBusy(error: unknown): boolean {
  return meaningOf(error)?.reason === 'locked';
}

/** One clear sentence for whatever SQLite threw: names the file and the fix, never a parameter. */
export function asStoreError(error: unknown, path: string): StoreError {
  if (error instanceof StoreError) return error;
  const message = error instanceof Error ? error.message : 'unknown error';
  const unexpected = { reason: 'unexpected', sentence: `The database PATH refused: ${message}.` } as const;
  const { reason, sentence } = meaningOf(error) ?? unexpected;
  return new StoreError(
    reason,
    sentence.replace('PATH', () => path),
    error,
  );
}

function meaningOf(error: unknown): Meaning | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined;
  return meanings.get(error.errcode) ?? meanings.get(error.errcode & 0xff);
}
