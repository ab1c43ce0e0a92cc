import type { CustomTypesConfig } from 'pg';
import pg from 'pg';

/** Object ids of PostgreSQL's own types (`pg_type`), which never change. */
const bigint = 20;
const bytea = 17;

/** How values of a query become JavaScript's: those that `pg` would give in another form than `node:sqlite` does. */
const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  [bigint]: wholeNumberOf,
  [bytea]: bytesOf,
};

export const columnTypes: CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    (format === 'binary' ? undefined : parsers[oid]) ??
    pg.types.getTypeParser(oid, format as 'text')) as CustomTypesConfig['getTypeParser'],
};

/** Instants and counters are far below 2^53. Whatever is not must not be rounded without a word. */
function wholeNumberOf(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw new RangeError('a whole number of the database is too large');
  return number;
}

/** `\x` and two digits a byte: what the server gives unless `bytea_output` was changed. */
function bytesOf(text: string): Uint8Array {
  return text.startsWith('\\x')
    ? Uint8Array.fromHex(text.slice(2))
    : new Uint8Array(pg.types.getTypeParser(bytea)(text));
}
