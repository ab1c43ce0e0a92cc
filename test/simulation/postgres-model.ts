import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { Clock } from '../../src/ground/clock.ts';
import { type Answer, type Change, nothing, type Row, type RowChange, type Value } from './postgres-answer.ts';
import { answerOfCatalogue } from './postgres-catalogue.ts';
import { asPostgresError, refused } from './postgres-errors.ts';
import { schemaSteps, type Table, type Trigger, tableOf, triggerOf } from './postgres-schema.ts';
import { Blocked, type Engine, Session, type SessionClient } from './postgres-session.ts';
import { type Operation, type Translated, translate } from './postgres-sql.ts';

interface Commit {
  readonly atMs: number;
  readonly changes: readonly Change[];
}

/** All rows there are. */
export interface KeptTables {
  readonly tables: ReadonlyMap<string, readonly Row[]>;
  readonly sequences: ReadonlyMap<string, bigint>;
}

const deadlockAfterMs = 1_000;
/** Commits that a standby can have missed. */
const commitsKept = 500;
const readsKept = 500;

/**
 * PostgreSQL as the store uses it, over SQLite in memory: statements are translated, and what differs is added. Each transaction sees what was committed
 * before each of its statements, and its own changes; these are laid over the committed rows when it is its turn. Rows and unique values that a
 * transaction changed are locked until its end, and whoever needs them waits. Triggers are run for each statement, as their functions are written.
 */
export class PostgresModel implements Engine {
  readonly clock: Pick<Clock, 'after' | 'monotonicMs'>;
  /** A standby: it takes no change. */
  isStandby = false;
  /** How long the next statement takes. */
  workMs: () => number = () => 0;
  readonly #database = new DatabaseSync(':memory:');
  readonly #statements = new Map<string, StatementSync>();
  readonly #sessions = new Set<Session>();
  readonly #locks = new Map<string, Session>();
  readonly #waiting: Waiting[] = [];
  readonly #sequences = new Map<string, bigint>();
  readonly #commits: Commit[] = [];
  readonly #reads = new Map<string, Answer>();
  #tables = new Map<string, Table>();
  #triggers: Trigger[] = [];
  #functions = new Map<string, string>();
  /** Whose changes lie over the committed rows. */
  #shown: Session | undefined;
  #recorded: RowChange[] | undefined;
  #acting: Session | undefined;
  /** Who has locked all tables. */
  #lockedBy: Session | undefined;
  #pids = 1_000;

  constructor(clock: Pick<Clock, 'after' | 'monotonicMs'>) {
    this.clock = clock;
    const database = this.#database;
    database.exec('pragma foreign_keys = on; pragma case_sensitive_like = on;');
    const define = (name: string, run: (...values: Value[]) => SQLInputValue | undefined) =>
      database.function(
        name,
        { varargs: true, useBigIntArguments: true },
        ((...values: Value[]) => run(...values) ?? null) as never,
      );
    define('note', (table, operation, ...values) => void this.#note(String(table), operation as Operation, values));
    define('nextval', (name) => this.#next(String(name)));
    define('encode', (bytes) => (bytes === null ? null : Buffer.from(bytes as Uint8Array).toString('hex')));
    define('current_schema', () => 'public');
    define('quote_ident', (name) => name);
    define('current_setting', (name) => this.#acting?.setting(String(name)) ?? '');
    define('set_config', (_name, value) => value);
    define('pg_notify', (channel, payload) => void this.#acting?.notifications.add(`${channel}\n${payload}`));
    define('pg_backend_pid', () => this.#acting?.pid ?? 0);
    define('pg_terminate_backend', (pid) => Number(this.terminate(Number(pid))));
  }

  connect(client: SessionClient, settings: Readonly<Record<string, string>> = {}): Session {
    const session = new Session(this, client, ++this.#pids, settings);
    this.#sessions.add(session);
    return session;
  }

  get sessions(): readonly Session[] {
    return [...this.#sessions];
  }

  terminate(pid: number): boolean {
    const session = this.sessions.find((one) => one.pid === pid);
    session?.terminate(refused('57P01'));
    return session !== undefined;
  }

  /** Keeps all rows as they are now. */
  keep(): KeptTables {
    this.#show(undefined);
    const rows = (table: string) => this.#prepare(`select * from "${table}"`).all() as unknown as Row[];
    return {
      tables: new Map([...this.#tables.keys()].map((name) => [name, rows(name)])),
      sequences: new Map(this.#sequences),
    };
  }

  /** Puts other rows in the place of all. Nobody may be connected. */
  restore({ tables, sequences }: KeptTables): void {
    this.#show(undefined);
    this.#database.exec('pragma foreign_keys = off');
    for (const [name, table] of this.#tables) {
      this.#database.exec(`delete from "${name}"`);
      for (const row of tables.get(name) ?? []) this.#insert(table, row);
    }
    this.#database.exec('pragma foreign_keys = on');
    this.#sequences.clear();
    for (const [name, value] of sequences) this.#sequences.set(name, value);
    this.#reads.clear();
    this.#commits.splice(0);
  }

  /** A standby takes over that had not got the commits since an instant. Nobody may be connected. @returns how many those are */
  loseCommitsSince(atMs: number): number {
    this.#show(undefined);
    this.#database.exec('pragma foreign_keys = off');
    let lost = 0;
    for (let last = this.#commits.at(-1); last !== undefined && last.atMs >= atMs; last = this.#commits.at(-1)) {
      if (last.changes.some((change) => 'statement' in change)) break;
      for (const change of last.changes.toReversed())
        if ('table' in change) this.#apply({ ...change, before: change.after, after: change.before });
      this.#commits.pop();
      lost++;
    }
    this.#database.exec('pragma foreign_keys = on');
    this.#reads.clear();
    return lost;
  }

  /** Runs a statement now, or throws `Blocked` with who holds what it needs. For `Session`. */
  run(session: Session, text: string, parameters: readonly Value[]): Answer {
    const catalogued = answerOfCatalogue(text, this.#tables, parameters);
    if (catalogued !== undefined) return catalogued;
    const statement = translate(text);
    const isPlainRead = statement.isRead && statement.rowLock === undefined;
    if (!isPlainRead && session.isReadOnly)
      throw refused('25006', `cannot execute ${statement.command} in a read-only transaction`);
    this.#acting = session;
    if (isPlainRead) return this.#read(session, statement, parameters);
    this.#show(session);
    this.#database.exec('savepoint one');
    const changes: Change[] = [];
    try {
      const answer = statement.isSchema
        ? this.#changeSchema(text, statement, changes)
        : this.#change(session, statement, parameters, changes);
      this.#database.exec('release one');
      session.changes.push(...changes);
      return answer;
    } catch (error) {
      this.#database.exec('rollback to one; release one');
      if (changes.some((change) => 'statement' in change)) this.#readSchema();
      throw error instanceof Blocked ? error : asPostgresError(error);
    }
  }

  /** Makes what a session changed everybody's. */
  commit(session: Session): void {
    if (session.changes.length > 0) {
      this.#show(session);
      this.#database.exec('commit');
      this.#shown = undefined;
      this.#commits.push({ atMs: this.clock.monotonicMs(), changes: session.changes });
      if (this.#commits.length > commitsKept) this.#commits.shift();
      this.#reads.clear();
    }
    const told = [...session.notifications];
    this.#end(session);
    for (const one of told) {
      const [channel = '', payload = ''] = one.split('\n');
      for (const listener of this.sessions)
        if (listener.channels.has(channel)) listener.client.notified(channel, payload, session.pid);
    }
  }

  rollBack(session: Session): void {
    if (this.#shown === session) this.#show(undefined);
    this.#end(session);
  }

  /** Locks all tables until the session ends. */
  lockTables(session: Session): void {
    this.#lockedBy = session;
  }

  /** Locks something by its name. Throws `Blocked`. */
  lock(session: Session, name: string, held = session.locks): void {
    const holder = this.#lockedBy ?? this.#locks.get(name);
    if (holder !== undefined && holder !== session) throw new Blocked(holder);
    this.#locks.set(name, session);
    held.add(name);
  }

  unlock(session: Session, names: Iterable<string>): void {
    if (this.#lockedBy === session) this.#lockedBy = undefined;
    for (const name of names) if (this.#locks.get(name) === session) this.#locks.delete(name);
    this.#goOn(session);
  }

  /** Calls `again` once a session has let go of something. @returns stops waiting */
  wait(session: Session, holder: Session, again: () => void, deadlocked: () => void): () => void {
    const waiting: Waiting = { session, holder, again };
    this.#waiting.push(waiting);
    const timer = this.clock.after(deadlockAfterMs, () => {
      if (this.#isWaitedFor(session, holder)) deadlocked();
    });
    return () => {
      timer.cancel();
      const at = this.#waiting.indexOf(waiting);
      if (at >= 0) this.#waiting.splice(at, 1);
    };
  }

  forget(session: Session): void {
    this.#sessions.delete(session);
  }

  get commits(): number {
    return this.#commits.length;
  }

  #isWaitedFor(session: Session, holder: Session): boolean {
    for (let one: Session | undefined = holder, steps = 0; one !== undefined && steps < 100; steps++) {
      if (one === session) return true;
      const current: Session = one;
      one = this.#waiting.find((waiting) => waiting.session === current)?.holder;
    }
    return false;
  }

  #end(session: Session): void {
    session.changes = [];
    session.notifications.clear();
    const locks = [...session.locks];
    session.locks.clear();
    this.unlock(session, locks);
  }

  #goOn(holder: Session): void {
    for (const waiting of this.#waiting.filter((one) => one.holder === holder))
      if (this.#waiting.includes(waiting)) waiting.again();
  }

  #read(session: Session, statement: Translated, parameters: readonly Value[]): Answer {
    const isCommitted = session.changes.length === 0;
    const mayKnow = isCommitted && !/pg_|_config/.test(statement.sql);
    const asked = mayKnow ? `${session.isReadOnly} ${statement.sql}\n${parameters.map(nameOf).join('\n')}` : '';
    const known = this.#reads.get(asked);
    if (mayKnow && known !== undefined) return known;
    this.#show(isCommitted ? undefined : session);
    try {
      const answer = this.#answer(statement, parameters);
      if (this.#reads.size > readsKept) this.#reads.clear();
      if (mayKnow) this.#reads.set(asked, answer);
      return answer;
    } catch (error) {
      throw asPostgresError(error);
    }
  }

  #answer(statement: Translated, parameters: readonly Value[], sql = statement.sql): Answer {
    const prepared = this.#prepare(sql);
    const bound = boundTo(sql, parameters);
    const command = statement.command;
    if (!statement.returnsRows) {
      const { changes } = prepared.run(...bound);
      return { command, count: Number(changes), columns: [], rows: [] };
    }
    const columns = prepared
      .columns()
      .map(({ name, type }) => ({ name, type, isNumeric: statement.numeric.has(name) }));
    const rows = prepared.all(...bound) as unknown as Row[];
    return { command, count: rows.length, columns, rows };
  }

  #change(session: Session, statement: Translated, parameters: readonly Value[], changes: Change[]): Answer {
    const { rowLock, target } = statement;
    if (rowLock !== undefined) return this.#lockRows(session, statement, parameters);
    const outer = this.#recorded;
    const recorded: RowChange[] = [];
    this.#recorded = recorded;
    try {
      const answer = this.#answer(statement, parameters);
      this.#recorded = outer;
      for (const change of recorded) this.#lockChanged(session, change);
      changes.push(...recorded);
      if (target !== undefined)
        for (const operation of target.operations) {
          const rows = recorded.filter((change) => change.table === target.table && change.operation === operation);
          this.#trigger(session, target.table, operation, rows, changes);
        }
      return answer;
    } finally {
      this.#recorded = outer;
    }
  }

  /** Each row that is locked by somebody else is waited for, or left out. */
  #lockRows(session: Session, statement: Translated, parameters: readonly Value[]): Answer {
    const { table, skipsLocked, limit } = statement.rowLock!;
    const { key } = this.#table(table);
    const columns = key.map((column) => `"${table}"."${column}"`).join(', ');
    const sql = statement.sql.replace(/^select\s+/i, `select ${columns}, `);
    const answer = this.#answer(statement, parameters, sql);
    const most =
      limit === undefined ? undefined : limit.startsWith('$') ? parameters[Number(limit.slice(1)) - 1] : limit;
    const rows: Row[] = [];
    for (const row of answer.rows) {
      if (most !== undefined && rows.length >= Number(most)) break;
      const name = lockName(table, 'row', row.slice(0, key.length));
      const holder = this.#locks.get(name);
      if (skipsLocked && holder !== undefined && holder !== session) continue;
      this.lock(session, name);
      rows.push(row.slice(key.length));
    }
    return { ...answer, columns: answer.columns.slice(key.length), rows, count: rows.length };
  }

  #lockChanged(session: Session, { table: name, before, after }: RowChange): void {
    const table = this.#table(name);
    const { columns, key, uniques } = table;
    const valuesOf = (row: Row, names: readonly string[]) => names.map((column) => row[columns.indexOf(column)]!);
    for (const row of [before, after])
      if (row !== undefined) this.lock(session, lockName(name, 'row', valuesOf(row, key)));
    for (const unique of uniques) {
      const values = [before, after].map((row) => row && lockName(name, unique.name, valuesOf(row, unique.columns)));
      if (values[0] === values[1]) continue;
      for (const value of values) if (value !== undefined) this.lock(session, value);
    }
    if (after !== undefined) table.check(after);
  }

  #trigger(session: Session, table: string, operation: Operation, rows: readonly RowChange[], changes: Change[]): void {
    for (const trigger of this.#triggers.filter((one) => one.table === table && one.operation === operation)) {
      this.#fill(
        `old_rows_${table}`,
        rows.map(({ before }) => before),
      );
      this.#fill(
        `new_rows_${table}`,
        rows.map(({ after }) => after),
      );
      const ask = (sql: string) => this.#change(session, translate(sql), [], changes);
      trigger.run(this.#functions.get(trigger.calls) ?? '', ask);
    }
  }

  #fill(table: string, rows: readonly (Row | undefined)[]): void {
    this.#prepare(`delete from temp."${table}"`).run();
    for (const row of rows)
      if (row !== undefined)
        this.#prepare(`insert into temp."${table}" values (${row.map(() => '?').join(', ')})`).run(...row);
  }

  #note(table: string, operation: Operation, values: readonly Value[]): void {
    if (this.#recorded === undefined) return;
    const half = operation === 'update' ? values.length / 2 : operation === 'delete' ? values.length : 0;
    const before = half === 0 ? undefined : values.slice(0, half);
    const after = half === values.length ? undefined : values.slice(half);
    this.#recorded.push({ table, operation, before, after });
  }

  /** Lays what a session changed over the committed rows, in the place of what another did. */
  #show(session: Session | undefined): void {
    if (this.#shown === session) return;
    if (this.#shown !== undefined) {
      const hadSchema = this.#shown.changes.some((change) => 'statement' in change);
      this.#database.exec('rollback');
      if (hadSchema) this.#readSchema();
    }
    this.#shown = session;
    if (session === undefined) return;
    this.#database.exec('begin');
    for (const change of session.changes)
      if ('table' in change) this.#apply(change);
      else this.#changeSchema(change.statement, translate(change.statement), []);
  }

  #apply({ table: name, before, after }: RowChange): void {
    const table = this.#table(name);
    const { columns, key } = table;
    const place = key.map((column) => `"${column}" is ?`).join(' and ');
    const keyOf = (row: Row) => key.map((column) => row[columns.indexOf(column)]!);
    if (before === undefined) this.#insert(table, after!);
    else if (after === undefined) this.#prepare(`delete from "${name}" where ${place}`).run(...keyOf(before));
    else {
      const set = columns.map((column) => `"${column}" = ?`).join(', ');
      this.#prepare(`update "${name}" set ${set} where ${place}`).run(...after, ...keyOf(before));
    }
  }

  #insert({ name, columns }: Table, row: Row): void {
    this.#prepare(`insert into "${name}" values (${columns.map(() => '?').join(', ')})`).run(...row);
  }

  #changeSchema(text: string, statement: Translated, changes: Change[]): Answer {
    const made = triggerOf(text);
    if (made?.kind === 'function') this.#functions.set(made.name, made.body);
    else if (made?.kind === 'trigger')
      this.#triggers = [...this.#triggers.filter(({ name }) => name !== made.name), made];
    else {
      for (const step of schemaSteps(statement.sql, (name) => this.#sqlOf(name))) this.#database.exec(step);
      this.#readSchema();
    }
    changes.push({ statement: text });
    return { ...nothing, command: statement.command };
  }

  /** The statements that made a table and its indexes. */
  #sqlOf(table: string): readonly string[] {
    const rows = this.#database
      .prepare('select sql from sqlite_schema where tbl_name = ? and sql is not null order by rowid')
      .all(table);
    return rows.map(({ sql }) => String(sql)).filter((sql) => !/^create trigger/i.test(sql));
  }

  /** Has SQLite tell of each row that changes, in tables that are new or were changed. */
  #readSchema(): void {
    const names = this.#database
      .prepare(`select name from sqlite_schema where type = 'table' and name not like 'sqlite%'`)
      .all();
    const before = this.#tables;
    this.#tables = new Map(names.map(({ name }) => [String(name), tableOf(this.#database, String(name))]));
    for (const [name, table] of this.#tables)
      if (before.get(name)?.columns.join() !== table.columns.join() || !this.#isWatched(name))
        this.#database.exec(table.watching);
    this.#statements.clear();
    this.#reads.clear();
  }

  #isWatched(table: string): boolean {
    const found = this.#database
      .prepare('select name from sqlite_temp_schema where name = ?')
      .get(`note_insert_${table}`);
    return found !== undefined;
  }

  #table(name: string): Table {
    const table = this.#tables.get(name);
    if (table === undefined) throw refused('42P01', `relation "${name}" does not exist`);
    return table;
  }

  #next(name: string): bigint {
    const next = (this.#sequences.get(name) ?? 0n) + 1n;
    this.#sequences.set(name, next);
    return next;
  }

  #prepare(sql: string): StatementSync {
    return this.#statements.getOrInsertComputed(sql, () => {
      const statement = this.#database.prepare(sql);
      statement.setReturnArrays(true);
      statement.setReadBigInts(true);
      return statement;
    });
  }
}

interface Waiting {
  readonly session: Session;
  readonly holder: Session;
  readonly again: () => void;
}

function nameOf(value: Value): string {
  return value instanceof Uint8Array ? `x${Buffer.from(value).toString('hex')}` : `${typeof value} ${value}`;
}

function lockName(table: string, index: string, values: readonly Value[]): string {
  return `${table} ${index} ${values.map(nameOf).join(' ')}`;
}

/** As many as the statement has. */
function boundTo(sql: string, parameters: readonly Value[]): readonly Value[] {
  const count = Math.max(0, ...[...sql.matchAll(/\?(\d+)/g)].map(([, number]) => Number(number)));
  if (count > parameters.length) throw refused('08P01', `bind message supplies ${parameters.length} parameters`);
  return parameters.slice(0, count);
}
