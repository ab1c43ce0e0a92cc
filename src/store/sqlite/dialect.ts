import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';
import type * as kysely from 'kysely';
import type { Clock } from '../../ground/clock.ts';
import { CompiledQuery, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from '../kysely.ts';
import { asStoreError, isBusy } from './errors.ts';

export interface LockTimeout {
  readonly clock: Clock;
  /** How long a statement waits for another program's lock before it fails with `locked`. */
  readonly timeoutMs: number;
}

const retryEveryMs = 20;

/** Kysely over `node:sqlite`. */
export function sqliteDialect(database: DatabaseSync, path: string, timeout: LockTimeout): kysely.Dialect {
  return {
    createDriver: () => new NodeSqlite(database, path, timeout),
    createQueryCompiler: () => new LocklessQueryCompiler(),
    createAdapter: () => new TransactionalSqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}

/** SQLite has no `for update`, and needs none: a transaction takes the write lock at its beginning. */
class LocklessQueryCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: kysely.SelectModifierNode): void {
    if (node.modifier !== 'ForUpdate' && node.modifier !== 'SkipLocked') super.visitSelectModifier(node);
  }
}

/**
 * SQLite rolls back schema changes like any other, so that all migrations run in one transaction under its write lock.
 */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/**
 * The one connection, which its users take in turns. SQLite calls block the thread, so SQLite's own busy timeout is
 * kept at a few milliseconds and the longer wait for a lock happens here, between turns of the event loop: a server
 * keeps answering while another program writes.
 */
class NodeSqlite implements kysely.Driver, kysely.DatabaseConnection {
  readonly #database: DatabaseSync;
  readonly #path: string;
  readonly #timeout: LockTimeout;
  /** Settles when the last user in the queue releases the connection. */
  #queue: Promise<void> = Promise.resolve();
  #release: () => void = () => {};

  constructor(database: DatabaseSync, path: string, timeout: LockTimeout) {
    this.#database = database;
    this.#path = path;
    this.#timeout = timeout;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<kysely.DatabaseConnection> {
    const before = this.#queue;
    const turn = Promise.withResolvers<void>();
    this.#queue = turn.promise;
    await before;
    this.#release = turn.resolve;
    return this;
  }

  async releaseConnection(): Promise<void> {
    this.#release();
  }

  /** Takes the write lock at once: a transaction that reads first and writes later could be refused in the middle. */
  async beginTransaction(): Promise<void> {
    await this.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  async commitTransaction(): Promise<void> {
    await this.executeQuery(CompiledQuery.raw('commit'));
  }

  /** A full disk has rolled it back already; to do it again would fail, and hide the cause. */
  async rollbackTransaction(): Promise<void> {
    if (this.#database.isTransaction) await this.executeQuery(CompiledQuery.raw('rollback'));
  }

  /** Waits for every user of the connection to finish. */
  async destroy(): Promise<void> {
    await this.#queue;
    if (this.#database.isOpen) this.#database.close();
  }

  async executeQuery<Row>(query: kysely.CompiledQuery): Promise<kysely.QueryResult<Row>> {
    try {
      return await retryWhileBusy(() => this.#run<Row>(query), this.#timeout);
    } catch (error) {
      throw asStoreError(error, this.#path);
    }
  }

  // biome-ignore lint/correctness/useYield: Kysely asks for a generator; nothing here streams, lists are read in pages.
  async *streamQuery<Row>(): AsyncIterableIterator<kysely.QueryResult<Row>> {
    throw new Error('streaming is not used: read in pages');
  }

  #run<Row>(query: kysely.CompiledQuery): kysely.QueryResult<Row> {
    const statement = this.#database.prepare(query.sql);
    const parameters = query.parameters as readonly SQLInputValue[];
    const columns = statement.columns().map((column) => column.name);
    if (columns.length > 0) {
      statement.setReturnArrays(true);
      return { rows: rowsOf<Row>(columns, statement.all(...parameters) as unknown as SQLOutputValue[][]) };
    }
    const { changes } = statement.run(...parameters);
    return { rows: [], numAffectedRows: BigInt(changes) };
  }
}

/** Runs again what fails for another program's lock, until the timeout. Throws what it threw last. */
export async function retryWhileBusy<Result>(run: () => Result, { clock, timeoutMs }: LockTimeout): Promise<Result> {
  const deadlineMs = clock.monotonicMs() + timeoutMs;
  for (;;) {
    try {
      return run();
    } catch (error) {
      if (!isBusy(error) || clock.monotonicMs() >= deadlineMs) throw error;
      await new Promise<void>((resolve) => clock.after(retryEveryMs, resolve));
    }
  }
}

/** Rows as arrays made into objects here take half the time and memory of the objects `node:sqlite` would make. */
function rowsOf<Row>(columns: readonly string[], arrays: readonly SQLOutputValue[][]): Row[] {
  return arrays.map((values) => {
    const row: Record<string, SQLOutputValue | undefined> = {};
    for (let index = 0; index < columns.length; index++) row[columns[index]!] = values[index];
    return row as Row;
  });
}
