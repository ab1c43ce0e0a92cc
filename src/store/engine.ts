import { PostgresAdapter, type QueryExecutorProvider, type SelectQueryBuilder } from 'kysely';
import type { Schema } from './schema.ts';

/** What a database runs on. Both hold the same tables; the few queries that differ ask for this. */
export type Engine = 'sqlite' | 'postgres';

export function engineOf(db: QueryExecutorProvider): Engine {
  return db.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';
}

/**
 * Locks the rows of one table until the end of this transaction, so that what was decided from them still holds when it
 * is written. SQLite needs nothing of the kind: its transactions take the write lock at their beginning.
 */
export function locked<DB extends Schema, Table extends keyof DB, Row>(
  db: QueryExecutorProvider,
  query: SelectQueryBuilder<DB, Table, Row>,
  table: Table & string,
): SelectQueryBuilder<DB, Table, Row> {
  return engineOf(db) === 'postgres' ? query.forUpdate(table as never) : query;
}

/** As `locked`, and leaves out the rows that another transaction has locked. */
export function lockedUnlessTaken<DB extends Schema, Table extends keyof DB, Row>(
  db: QueryExecutorProvider,
  query: SelectQueryBuilder<DB, Table, Row>,
): SelectQueryBuilder<DB, Table, Row> {
  return engineOf(db) === 'postgres' ? query.forUpdate().skipLocked() : query;
}

/** Lets timers and sockets run: SQLite answers without leaving the thread, so a long row of queries would block it. */
export function yieldToEvents(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
