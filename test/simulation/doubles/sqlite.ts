import {
  constants,
  type DatabaseSyncOptions,
  DatabaseSync as PlatformDatabase,
  backup as platformBackup,
  type SQLInputValue,
  type StatementSync,
} from 'node:sqlite';
import { theWorld } from '../world.ts';

/** Time waits for the copy, which the platform makes. */
export function backup(...given: Parameters<typeof platformBackup>): ReturnType<typeof platformBackup> {
  const copied = platformBackup(...given);
  theWorld().scheduler.hold(copied);
  return copied;
}

/** Statements of one connection that are kept ready. */
const preparedMax = 300;

/** What changes nothing and depends on nothing but its tables: its rows are the same until somebody writes to them. */
const isPureRead = (sql: string) => /^\s*select\b/i.test(sql) && !/random|\bnow\b/i.test(sql);

const troubles = {
  lost: { message: 'disk I/O error', errcode: 10 },
  'read-only': { message: 'attempt to write a readonly database', errcode: 8 },
  locked: { message: 'database is locked', errcode: 5 },
} as const;

/** What a statement reads and writes. */
interface Tables {
  readonly read: Set<string>;
  readonly written: Set<string>;
}

const everyTable: ReadonlySet<string> = new Set(['']);
const writing = new Set([constants.SQLITE_INSERT, constants.SQLITE_UPDATE, constants.SQLITE_DELETE]);

/** Begins or ends a transaction, whose statements tell what they change. */
const isFrame = (sql: string) => /^\s*(begin|commit)\b/i.test(sql);

/** A transaction that began may end. */
const isEnd = (sql: string) => /^\s*(commit|rollback)\b/i.test(sql);

/**
 * SQLite itself, on a file in memory. A process that dies lets go of it, no lock is waited for, because nothing else
 * would run meanwhile, and the same question about unchanged tables is answered once. SQLite says which tables a
 * statement reads and writes, its triggers with it.
 */
export class DatabaseSync extends PlatformDatabase {
  readonly #release: () => void;
  readonly #path: string;
  readonly #prepared = new Map<string, Statement>();
  /** Of the statement that is being prepared. */
  #tables: Tables = { read: new Set(), written: new Set() };

  constructor(path: string, options: DatabaseSyncOptions = {}) {
    super(path, { ...options, timeout: 0 });
    this.#path = path;
    this.setAuthorizer((action, table) => {
      if (action === constants.SQLITE_READ) this.#tables.read.add(table ?? '');
      else if (writing.has(action)) this.#tables.written.add(table ?? '');
      return constants.SQLITE_OK;
    });
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
    super.exec(sql.replace(/synchronous = (?:normal|full)/, 'synchronous = off'));
  }

  override prepare(sql: string): StatementSync {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known as unknown as StatementSync;
    this.#tables = { read: new Set(), written: new Set() };
    const statement = new Statement(this, super.prepare(sql), sql, this.#tables);
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

  /** How often these tables were written. */
  versionOf(tables: Iterable<string>): number {
    const versions = this.#versions;
    let version = versions.get('') ?? 0;
    for (const table of tables) version += versions.get(table) ?? 0;
    return version;
  }

  areEmpty(tables: ReadonlySet<string>): boolean {
    const isEmpty = (table: string) => super.prepare(`select 1 from "${table}" limit 1`).get() === undefined;
    return tables.size > 0 && [...tables].every(isEmpty);
  }

  /** @param tables all there are where none is named */
  changed(tables: ReadonlySet<string> = everyTable): void {
    const versions = this.#versions;
    for (const table of tables.size === 0 ? everyTable : tables) versions.set(table, (versions.get(table) ?? 0) + 1);
  }

  get #versions(): Map<string, number> {
    return theWorld().tableVersions.getOrInsertComputed(this.#path, () => new Map());
  }
}

/** What a statement was asked last. */
interface Known {
  /** Of its tables. */
  readonly version: number;
  readonly parameters: string;
  readonly rows: unknown[];
  /** All of its tables are empty, so that nothing is found, whatever is asked. */
  readonly isOfNothing: boolean;
}

class Statement {
  readonly #database: DatabaseSync;
  readonly #statement: StatementSync;
  readonly #tables: Tables;
  readonly #isPureRead: boolean;
  readonly #isFrame: boolean;
  readonly #isEnd: boolean;
  #columns: ReturnType<StatementSync['columns']> | undefined;
  #known: Known | undefined;

  constructor(database: DatabaseSync, statement: StatementSync, sql: string, tables: Tables) {
    this.#database = database;
    this.#statement = statement;
    this.#tables = tables;
    this.#isPureRead = isPureRead(sql);
    this.#isFrame = isFrame(sql);
    this.#isEnd = isEnd(sql);
  }

  columns() {
    this.#columns ??= this.#statement.columns();
    return this.#columns;
  }

  setReturnArrays(isOn: boolean): void {
    this.#statement.setReturnArrays(isOn);
  }

  all(...parameters: SQLInputValue[]): unknown[] {
    this.#database.admit(this.#isPureRead || this.#isEnd);
    if (!this.#isPureRead || parameters.some((value) => typeof value === 'object' && value !== null)) {
      this.#wrote();
      return this.#statement.all(...parameters);
    }
    const version = this.#database.versionOf(this.#tables.read);
    const asked = parameters.join('\n');
    if (this.#known?.version === version && (this.#known.isOfNothing || this.#known.parameters === asked))
      return this.#known.rows;
    const rows = this.#statement.all(...parameters);
    const isChanged = this.#known?.version !== version;
    const isOfNothing = isChanged && rows.length === 0 && this.#database.areEmpty(this.#tables.read);
    this.#known = { version, parameters: asked, rows, isOfNothing };
    return rows;
  }

  get(...parameters: SQLInputValue[]): unknown {
    this.#database.admit(this.#isPureRead);
    this.#wrote();
    return this.#statement.get(...parameters);
  }

  run(...parameters: SQLInputValue[]) {
    this.#database.admit(this.#isEnd);
    const done = this.#statement.run(...parameters);
    if (done.changes !== 0) this.#wrote();
    return done;
  }

  iterate(...parameters: SQLInputValue[]) {
    return this.#statement.iterate(...parameters);
  }

  #wrote(): void {
    if (!this.#isPureRead && !this.#isFrame) this.#database.changed(this.#tables.written);
  }
}
