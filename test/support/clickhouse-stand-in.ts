import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { buffer } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';

/** Breaks the connection at a request, as a process that is killed or a network that fails does. */
interface Cut {
  /** The number of the request, from 1. */
  readonly at: number;
  /** Whether the request is carried out before, not at all, or only when the next insert comes. */
  readonly carriedOut: 'before' | 'never' | 'late';
}

interface Table {
  /** Name and type of each stored column. */
  readonly columns: Map<string, string>;
  /** The same of those that are computed. */
  readonly aliases: Map<string, string>;
  engine: string;
  definition: string;
  readonly comment: string;
  readonly tokens: Set<string> | undefined;
}

class Refusal extends Error {
  readonly code: number;

  constructor(code: number, type: string, message: string) {
    super(`Code: ${code}. DB::Exception: ${message}. (${type}) (version 26.7.2.1)\n`);
    this.code = code;
  }
}

const statuses: Readonly<Record<number, number>> = { 516: 403, 60: 404, 81: 404 };
const types: readonly (readonly [RegExp, (value: unknown) => boolean])[] = [
  [/^Nullable\((.+)\)$/, (value) => value === null],
  [/^(LowCardinality\(String\)|String)$/, (value) => typeof value === 'string'],
  [/^DateTime64\(3, 'UTC'\)$/, (value) => /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$/.test(String(value))],
  [/^UUID$/, (value) => /^[0-9a-f]{32}$/.test(String(value))],
  [/^UInt(8|16|32)$/, (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) < 2 ** 32],
  [/^Int64$/, (value) => Number.isSafeInteger(value)],
];

/** The name and the type that a definition of a column begins with. */
const columnShape = /^(\w+) (Nullable\(\w+\(.+?\)\)|DateTime64\(3, 'UTC'\)|LowCardinality\(String\)|\w+)/;

/**
 * Stands in for the HTTP interface of ClickHouse with the statements that `mdapi history ship` uses, in SQLite. It
 * refuses what the server refuses: a wrong password, an unknown database, table or column, a value of another type, a
 * body that was cut off; and it drops an insert whose deduplication token it has seen. The real engine takes the same
 * tests in `ship.system.test.ts`.
 */
export class ClickHouseStandIn {
  readonly password = 'pass:word/1';
  readonly #server: Server;
  readonly #database = new DatabaseSync(':memory:');
  readonly #tables = new Map<string, Table>();
  /** The columns of each view. */
  readonly #views = new Map<string, ReadonlySet<string>>();
  /** Statements that changed a table or a view. */
  readonly changes: string[] = [];
  #requests = 0;
  #late: (() => void) | undefined;
  #cut: Cut | undefined;
  #cutQuery = '';

  static async start(t: Pick<TestContext, 'after'>): Promise<ClickHouseStandIn> {
    const standIn = new ClickHouseStandIn();
    await new Promise<void>((resolve) => standIn.#server.listen(0, '127.0.0.1', resolve));
    t.after(() => {
      standIn.#server.closeAllConnections();
      standIn.#server.close();
    });
    return standIn;
  }

  private constructor() {
    this.#server = createServer((request, response) => void this.#handle(request, response));
    this.#database.function('toYYYYMM', (at) => Number(String(at).slice(0, 7).replace('-', '')));
    this.#database.function('toString', (value) => value);
    this.#database.function('toInt32', (value) => value);
  }

  get location() {
    const { port } = this.#server.address() as AddressInfo;
    return { url: `http://127.0.0.1:${port}`, user: 'mdapi', password: this.password, database: 'record' };
  }

  /** @returns whether the request that was cut was an insert */
  cutAt(at: number, carriedOut: Cut['carriedOut']): { wasInsert: () => boolean } {
    this.#requests = 0;
    this.#cut = { at, carriedOut };
    return { wasInsert: () => this.#cutQuery.startsWith('INSERT') };
  }

  rows(query: string): Record<string, string | number>[] {
    return this.#select(query, new URLSearchParams());
  }

  /** Changes what is there, as somebody with a client of their own does. */
  tamper(statement: string): void {
    this.#database.exec(statement);
  }

  /** As a replicated table does after an hour. */
  forgetTokens(): void {
    for (const { tokens } of this.#tables.values()) tokens?.clear();
  }

  setComment(table: string, comment: string): void {
    this.#tables.set(table, { ...this.#tables.get(table)!, comment });
  }

  /** Makes a table, and the views of it, as a version that had no such column made them. */
  withoutColumn(table: string, column: string): void {
    const { columns, aliases } = this.#table(table);
    if (!aliases.delete(column)) {
      columns.delete(column);
      this.#database.exec(`alter table ${table} drop column "${column}"`);
    }
    for (const [view, shown] of this.#views)
      this.#views.set(view, new Set([...shown].filter((name) => name !== column)));
  }

  setType(table: string, column: string, type: string): void {
    this.#table(table).columns.set(column, type);
  }

  setEngine(table: string, engine: string): void {
    this.#table(table).engine = engine;
  }

  /** The names of the columns of a table or view. */
  columnsOf(name: string): readonly string[] {
    const table = this.#tables.get(name);
    return [...(table === undefined ? this.#views.get(name)! : [...table.columns.keys(), ...table.aliases.keys()])];
  }

  /** The statement that makes the table as it is now. */
  definitionOf(table: string): string | undefined {
    return this.#tables.get(table)?.definition;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const { searchParams } = new URL(request.url!, 'http://stand-in');
      const body = await bodyOf(request);
      this.#assertUser(request, searchParams);
      if (++this.#requests === this.#cut?.at) {
        this.#cutQuery = searchParams.get('query') ?? body;
        if (this.#cut.carriedOut === 'before') this.#answer(searchParams, body);
        if (this.#cut.carriedOut === 'late') this.#late = () => this.#answer(searchParams, body);
        request.socket.destroy();
        return;
      }
      if (searchParams.get('query')?.startsWith('INSERT') === true) {
        this.#late?.();
        this.#late = undefined;
      }
      response.end(this.#answer(searchParams, body));
    } catch (error) {
      const code = error instanceof Refusal ? error.code : 1_001;
      response.statusCode = statuses[code] ?? 500;
      response.setHeader('X-ClickHouse-Exception-Code', code);
      response.end(
        error instanceof Refusal ? error.message : new Refusal(code, 'STD_EXCEPTION', String(error)).message,
      );
    }
  }

  #assertUser({ headers }: IncomingMessage, parameters: URLSearchParams): void {
    const expected = `Basic ${Buffer.from(`mdapi:${this.password}`).toString('base64')}`;
    if (headers.authorization !== expected) {
      throw new Refusal(
        516,
        'AUTHENTICATION_FAILED',
        'mdapi: Authentication failed: password is incorrect, or there is no user with such name',
      );
    }
    const database = parameters.get('database') ?? 'default';
    if (database !== 'record') throw new Refusal(81, 'UNKNOWN_DATABASE', `Database ${database} does not exist`);
  }

  #answer(parameters: URLSearchParams, body: string): string {
    const inUrl = parameters.get('query');
    const query = inUrl ?? body;
    const [, inserted] = /^INSERT INTO (\w+) FORMAT JSONEachRow/.exec(query) ?? [];
    if (inserted !== undefined) return this.#insert(inserted, body, parameters);
    if (query.startsWith('CREATE OR REPLACE VIEW')) return this.#createView(query);
    if (query.startsWith('CREATE TABLE')) return this.#create(query);
    const [, altered, change] = /^ALTER TABLE (\w+) (.+)$/s.exec(query.trim()) ?? [];
    if (altered !== undefined) return this.#alter(altered, change!);
    return this.#select(query, parameters)
      .map((row) => `${JSON.stringify(row)}\n`)
      .join('');
  }

  #table(name: string): Table {
    const table = this.#tables.get(name);
    if (table === undefined) throw new Refusal(60, 'UNKNOWN_TABLE', `Table record.${name} does not exist`);
    return table;
  }

  #create(definition: string): string {
    const [, name = '', listed = ''] = /^CREATE TABLE IF NOT EXISTS (\w+) \(\n(.+?)\n\) ENGINE/s.exec(definition) ?? [];
    if (this.#tables.has(name)) return '';
    const lines = listed.split('\n').flatMap((line) => {
      const [, column = '', type = ''] = columnShape.exec(line.trim()) ?? [];
      return column === '' || column === 'INDEX' ? [] : [{ column, type, isAlias: line.includes(' ALIAS ') }];
    });
    const typesOf = (some: typeof lines) => new Map(some.map(({ column, type }) => [column, type]));
    const columns = typesOf(lines.filter(({ isAlias }) => !isAlias));
    const aliases = typesOf(lines.filter(({ isAlias }) => isAlias));
    const engine = /\) ENGINE = (\w+)/.exec(definition)?.[1] ?? '';
    const hasWindow = /non_replicated_deduplication_window = [1-9]/.test(definition);
    const comment = /COMMENT '(.+)'/.exec(definition)?.[1] ?? '';
    const tokens = hasWindow ? new Set<string>() : undefined;
    this.#tables.set(name, { columns, aliases, engine, definition, comment, tokens });
    const declared = [...columns].map(([column, type]) => `"${column}" ${initialOf(type)}`);
    this.#database.exec(`create table ${name} (${declared.join(', ')})`);
    return '';
  }

  /** Refuses a view that shows a column its table lacks. */
  #createView(query: string): string {
    this.changes.push(query);
    const [, view = ''] = /^CREATE OR REPLACE VIEW (\w+)/.exec(query) ?? [];
    const [, listed = ''] = /(?: AS |\)\n)SELECT ([\w\s,]+) FROM (?:coverage|spoken)\b/.exec(query) ?? [];
    const shown = listed.split(/[\s,]+/);
    const known = this.columnsOf(view === 'prices' ? 'quotes' : 'coverage');
    for (const column of shown.filter((name) => !known.includes(name))) {
      throw new Refusal(47, 'UNKNOWN_IDENTIFIER', `Unknown expression identifier ${column} in scope of ${view}`);
    }
    this.#views.set(view, new Set(shown));
    return '';
  }

  #alter(name: string, change: string): string {
    this.changes.push(change);
    const table = this.#table(name);
    const [, ttl] = /^MODIFY TTL (.+)$/s.exec(change) ?? [];
    if (ttl !== undefined) {
      table.definition = table.definition.replace(/^TTL .+$/m, `TTL ${ttl}`);
      return '';
    }
    for (const added of change.split(/,? ?ADD COLUMN IF NOT EXISTS /).slice(1)) {
      const [, column = '', type = ''] = columnShape.exec(added) ?? [];
      if (this.columnsOf(name).includes(column)) continue;
      (added.includes(' ALIAS ') ? table.aliases : table.columns).set(column, type);
      if (!added.includes(' ALIAS ')) {
        this.#database.exec(`alter table ${name} add column "${column}" ${initialOf(type)}`);
      }
    }
    return '';
  }

  /** All of it or nothing: one block. */
  #insert(name: string, body: string, parameters: URLSearchParams): string {
    const { columns, tokens } = this.#table(name);
    const rows = body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, SQLInputValue>);
    for (const row of rows)
      for (const [column, value] of Object.entries(row)) assertFits(column, columns.get(column), value);
    const token = parameters.get('insert_deduplication_token') ?? '';
    if (parameters.get('insert_deduplicate') === '1' && token !== '' && tokens?.has(token) === true) return '';
    tokens?.add(token);
    this.#database.exec('begin');
    for (const row of rows) {
      const names = Object.keys(row).map((column) => `"${column}"`);
      this.#database
        .prepare(`insert into ${name} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`)
        .run(...Object.values(row));
    }
    this.#database.exec('commit');
    return '';
  }

  #select(query: string, parameters: URLSearchParams): Record<string, string | number>[] {
    if (query.includes('FROM system.tables')) return this.#describeTables(query);
    if (query.includes('FROM system.columns')) return this.#describeColumns();
    const [, name = ''] = /FROM (\w+)/.exec(query) ?? [];
    this.#table(name);
    const text = query.replace(/\s*FORMAT JSONEachRow\s*$/, '').replaceAll(/\{(\w+):UInt32\}/g, ':$1');
    const values = [...text.matchAll(/:(\w+)/g)].map(([, key = '']) => [key, Number(parameters.get(`param_${key}`))]);
    const rows = this.#database.prepare(text).all(Object.fromEntries(values));
    return rows.map((row) => ({ ...row }) as Record<string, string | number>);
  }

  #describeTables(query: string): Record<string, string>[] {
    const all = [...this.#tables].map(([name, { comment, engine, definition }]) => ({
      name,
      comment,
      engine,
      create_table_query: definition,
    }));
    const only = /name = '(\w+)'/.exec(query)?.[1];
    return all.filter(({ name }) => only === undefined || name === only);
  }

  #describeColumns(): Record<string, string>[] {
    const ofTables = [...this.#tables].flatMap(([table, { columns, aliases }]) =>
      [...columns, ...aliases].map(([name, type]) => ({ table, name, type })),
    );
    const ofViews = [...this.#views].flatMap(([table, names]) =>
      [...names].map((name) => ({ table, name, type: 'String' })),
    );
    return [...ofTables, ...ofViews];
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const body = await buffer(request);
  return (request.headers['content-encoding'] === 'zstd' ? zstdDecompressSync(body) : body).toString();
}

function assertFits(column: string, type: string | undefined, value: SQLInputValue): void {
  if (type === undefined)
    throw new Refusal(117, 'INCORRECT_DATA', `Unknown field found while parsing JSONEachRow format: ${column}`);
  const [, inner] = /^Nullable\((.+)\)$/.exec(type) ?? [];
  const fits = types.some(([pattern, accepts]) => pattern.test(type) && accepts(value));
  if (fits || (inner !== undefined && types.some(([pattern, accepts]) => pattern.test(inner) && accepts(value))))
    return;
  throw new Refusal(
    27,
    'CANNOT_PARSE_INPUT_ASSERTION_FAILED',
    `Cannot parse ${column} of type ${type}: ${JSON.stringify(value)}`,
  );
}

function initialOf(type: string): string {
  if (type.startsWith('Nullable')) return '';
  return type.includes('String') ? "not null default ''" : 'not null default 0';
}
