import type { DatabaseSync } from 'node:sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { type LockPatience, SqliteConnection } from './connection.ts';

/** Kysely over `node:sqlite`: one connection, its users taking turns. */
export function sqliteDialect(database: DatabaseSync, path: string, patience: LockPatience): Dialect {
  return {
    createDriver: () => new NodeSqliteDriver(database, path, patience),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new TransactionalSqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}

/** SQLite rolls back schema changes like any other, so that all migrations run in one transaction under its write lock. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class NodeSqliteDriver implements Driver {
  readonly #database: DatabaseSync;
  readonly #connection: SqliteConnection;
  /** Settles when the last user in the queue gives the connection back. */
  #queue: Promise<void> = Promise.resolve();
  #giveBack: () => void = () => {};

  constructor(database: DatabaseSync, path: string, patience: LockPatience) {
    this.#database = database;
    this.#connection = new SqliteConnection(database, path, patience);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const before = this.#queue;
    const turn = Promise.withResolvers<void>();
    this.#queue = turn.promise;
    await before;
    this.#giveBack = turn.resolve;
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {
    this.#giveBack();
  }

  /** Takes the write lock at once: a transaction that reads first and writes later could be refused in the middle. */
  async beginTransaction(): Promise<void> {
    await this.#connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  async commitTransaction(): Promise<void> {
    await this.#connection.executeQuery(CompiledQuery.raw('commit'));
  }

  async rollbackTransaction(): Promise<void> {
    await this.#connection.executeQuery(CompiledQuery.raw('rollback'));
  }

  /** Lets whoever has the connection, or waits for it, finish. */
  async destroy(): Promise<void> {
    await this.#queue;
    if (this.#database.isOpen) this.#database.close();
  }
}
