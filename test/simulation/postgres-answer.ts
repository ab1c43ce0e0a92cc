import type { Operation } from './postgres-sql.ts';

export type Value = null | bigint | number | string | Uint8Array;
export type Row = readonly Value[];

export interface Answer {
  readonly command: string;
  readonly count: number;
  readonly columns: readonly { readonly name: string; readonly type: string | null; readonly isNumeric: boolean }[];
  readonly rows: readonly Row[];
}

export const nothing: Answer = { command: '', count: 0, columns: [], rows: [] };

/** A row that a statement changed. */
export interface RowChange {
  readonly table: string;
  readonly operation: Operation;
  readonly before: Row | undefined;
  readonly after: Row | undefined;
}

/** What a transaction did, in its order: rows, and statements that change the schema. */
export type Change = RowChange | { readonly statement: string };
