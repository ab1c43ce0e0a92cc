import {
  type DatabaseSyncOptions,
  DatabaseSync as PlatformDatabase,
  type SQLInputValue,
  type StatementSync,
} from 'node:sqlite';
import { theWorld } from '../world.ts';

export { backup } from 'node:sqlite';

/** Statements of one connection that are kept ready. */
const preparedMax = 300;

/** What changes nothing and depends on nothing but the file: its rows are the same until somebody writes. */
const isPureRead = (sql: string) => /^\s*select\b/i.test(sql) && !/random|\bnow\b/i.test(sql);

const troubles = {
  lost: { message: 'disk I/O error', errcode: 10 },
  'read-only': { message: 'attempt to write a readonly database', errcode: 8 },
  locked: { message: 'database is locked', errcode: 5 },
} as const;

/** Begins or ends a transaction, whose statements tell what they change. */
const isFrame = (sql: string) => /^\s*(begin|commit)\b/i.test(sql);

/** A transaction that began may end. */
const isEnd = (sql: string) => /^\s*(commit|rollback)\b/i.test(sql);

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

  /** Throws where the store is in trouble, in a process of the service. */
  admit(isRead: boolean): void {
    const { storeTrouble, lane } = theWorld();
    if (storeTrouble === undefined || !this.#path.endsWith('store.sqlite') || !lane.root.isPatient) return;
    const { message, errcode } = troubles[storeTrouble];
    if (!isRead || storeTrouble === 'lost')
      throw Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode, errstr: message });
  }

  override exec(sql: string): void {
    this.admit(isEnd(sql));
    if (!isFrame(sql)) this.changed();
    super.exec(sql.replace('synchronous = normal', 'synchronous = off'));
  }

  override prepare(sql: string): StatementSync {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known as unknown as StatementSync;
    const statement = new Statement(this, super.prepare(sql), isPureRead(sql), isEnd(sql));
    if (this.#prepared.size < preparedMax) this.#prepared.set(sql, statement);
    return statement as unknown as StatementSync;
  }

  override close(): void {
    this.#release();
    super.close();
  }

  override [Symbol.dispose](): void {
    if (this.isOpen) this.close();
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
  readonly #isFrame: boolean;
  #columns: ReturnType<StatementSync['columns']> | undefined;
  #known: { readonly version: number; readonly parameters: string; readonly rows: unknown[] } | undefined;

  constructor(database: DatabaseSync, statement: StatementSync, isPureRead: boolean, isFrame: boolean) {
    this.#database = database;
    this.#statement = statement;
    this.#isPureRead = isPureRead;
    this.#isFrame = isFrame;
  }

  columns() {
    this.#columns ??= this.#statement.columns();
    return this.#columns;
  }

  setReturnArrays(isOn: boolean): void {
    this.#statement.setReturnArrays(isOn);
  }

  all(...parameters: SQLInputValue[]): unknown[] {
    this.#database.admit(this.#isPureRead || this.#isFrame);
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
    this.#database.admit(this.#isPureRead);
    if (!this.#isPureRead) this.#database.changed();
    return this.#statement.get(...parameters);
  }

  run(...parameters: SQLInputValue[]) {
    this.#database.admit(this.#isFrame);
    const done = this.#statement.run(...parameters);
    if (done.changes !== 0) this.#database.changed();
    return done;
  }

  iterate(...parameters: SQLInputValue[]) {
    return this.#statement.iterate(...parameters);
  }
}
