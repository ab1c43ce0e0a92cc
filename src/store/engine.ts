import { PostgresAdapter, type QueryExecutorProvider } from 'kysely';

/** What a database runs on. Both hold the same tables; the few queries that differ ask for this. */
export type Engine = 'sqlite' | 'postgres';

export function engineOf(db: QueryExecutorProvider): Engine {
  return db.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';
}

/** Lets timers and sockets run: SQLite answers without leaving the thread, so a long row of queries would block it. */
export function yieldToEvents(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
