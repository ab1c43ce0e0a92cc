import {
  type DatabaseSyncOptions,
  DatabaseSync as PlatformDatabase,
  type SQLInputValue,
  type StatementSync,
} from 'node:sqlite';
import { theWorld } from '../world.ts';

/** Statements of one connection that are kept ready. */
const preparedMax = 300;

/** What changes nothing and depends on nothing but the file: its rows are the same until somebody writes. */
const isPureRead = (sql: string) => /^\s*select\b/i.test(sql) && !/random|\bnow\b/i.test(sql);

/**
 * SQLite itself, on a file in memory. A process that dies lets go of it, no lock is waited for, because nothing else would run meanwhile, and the
 * same question about an unchanged file is answered once.
 */
export class DatabaseSync extends PlatformDatabase {
  readonly #release: () => void;
  readonly #path: string;
  readonly #prepared = new Map<string, Statement>();

  constructor(path: string, options: DatabaseSyncOptions = {}) {
    super(path, { ...options, timeout: 0 });
    this.#path = path;
    this.#release = theWorld().lane.own(() => super.close());
  }

  override exec(sql: string): void {
    this.changed();
    super.exec(sql.replace('synchronous = normal', 'synchronous = off'));
  }

  override prepare(sql: string): StatementSync {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known as unknown as StatementSync;
    const statement = new Statement(this, super.prepare(sql), isPureRead(sql));
    if (this.#prepared.size < preparedMax) this.#prepared.set(sql, statement);
    return statement as unknown as StatementSync;
  }

  override close(): void {
    this.#release();
    super.close();
  }

  /** How often the file was written. */
  get version(): number {
    return theWorld().fileVersions.get(this.#path) ?? 0;
  }

  changed(): void {
    theWorld().fileVersions.set(this.#path, this.version + 1);
  }
}

class Statement {
  readonly #database: DatabaseSync;
  readonly #statement: StatementSync;
  readonly #isPureRead: boolean;
  #columns: ReturnType<StatementSync['columns']> | undefined;
  #known: { readonly version: number; readonly parameters: string; readonly rows: unknown[] } | undefined;

  constructor(database: DatabaseSync, statement: StatementSync, isPureRead: boolean) {
    this.#database = database;
    this.#statement = statement;
    this.#isPureRead = isPureRead;
  }

  columns() {
    this.#columns ??= this.#statement.columns();
    return this.#columns;
  }

  setReturnArrays(isOn: boolean): void {
    this.#statement.setReturnArrays(isOn);
  }

  all(...parameters: SQLInputValue[]): unknown[] {
    if (!this.#isPureRead || parameters.some((value) => typeof value === 'object' && value !== null)) {
      this.#database.changed();
      return this.#statement.all(...parameters);
    }
    const { version } = this.#database;
    const asked = parameters.join('\n');
    if (this.#known?.version !== version || this.#known.parameters !== asked)
      this.#known = { version, parameters: asked, rows: this.#statement.all(...parameters) };
    return this.#known.rows;
  }

  get(...parameters: SQLInputValue[]): unknown {
    if (!this.#isPureRead) this.#database.changed();
    return this.#statement.get(...parameters);
  }

  run(...parameters: SQLInputValue[]) {
    this.#database.changed();
    return this.#statement.run(...parameters);
  }

  iterate(...parameters: SQLInputValue[]) {
    return this.#statement.iterate(...parameters);
  }
}
