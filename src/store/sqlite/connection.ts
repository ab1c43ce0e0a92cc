import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import type { Clock } from '../../clock.ts';
import { asStoreError, isBusy } from './errors.ts';

const retryEveryMs = 20;

export interface LockPatience {
  readonly clock: Clock;
  /** How long a statement waits for another program's lock before it fails with `locked`. */
  readonly patienceMs: number;
}

/**
 * Runs Kysely's queries on `node:sqlite`. SQLite calls block the thread, so SQLite's own busy
 * timeout is kept at a few milliseconds and the longer wait for a lock happens here, between
 * turns of the event loop: a server goes on answering while another program writes.
 */
export class SqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync;
  readonly #path: string;
  readonly #patience: LockPatience;

  constructor(database: DatabaseSync, path: string, patience: LockPatience) {
    this.#database = database;
    this.#path = path;
    this.#patience = patience;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const { clock, patienceMs } = this.#patience;
    const deadlineMs = clock.monotonicMs() + patienceMs;
    for (;;) {
      try {
        return this.#run<Row>(query);
      } catch (error) {
        if (!isBusy(error) || clock.monotonicMs() >= deadlineMs) throw asStoreError(error, this.#path);
        await new Promise<void>((resolve) => clock.after(retryEveryMs, resolve));
      }
    }
  }

  // biome-ignore lint/correctness/useYield: Kysely asks for a generator; nothing here streams, lists are read in pages.
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('streaming is not used: read in pages');
  }

  #run<Row>(query: CompiledQuery): QueryResult<Row> {
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

/** Rows as arrays made into objects here take half the time and memory of the objects `node:sqlite` would make. */
function rowsOf<Row>(columns: readonly string[], arrays: readonly SQLOutputValue[][]): Row[] {
  return arrays.map((values) => {
    const row: Record<string, SQLOutputValue | undefined> = {};
    for (let index = 0; index < columns.length; index++) row[columns[index]!] = values[index];
    return row as Row;
  });
}
