import type { DatabaseSync } from 'node:sqlite';
import type { Answer, Value } from './postgres-answer.ts';
import { refused } from './postgres-errors.ts';
import type { Operation } from './postgres-sql.ts';

export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  /** Types as they were declared, in the order of the columns. */
  readonly types: readonly string[];
  readonly notNull: readonly boolean[];
  readonly key: readonly string[];
  readonly uniques: readonly { readonly name: string; readonly columns: readonly string[] }[];
  /** Has SQLite tell of each row that changes, and makes room for the rows that triggers look at. */
  readonly watching: string;
  /** Throws where a value is of another type. */
  check(row: readonly Value[]): void;
}

const int4Max = 2_147_483_647n;

export function tableOf(database: DatabaseSync, name: string): Table {
  const found = database.prepare(`pragma table_info("${name}")`).all() as {
    name: string;
    type: string;
    notnull: number;
    pk: number;
  }[];
  const columns = found.map((column) => column.name);
  const types = found.map(({ type }) => type.toLowerCase());
  const key = found.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk);
  const indexes = database.prepare(`pragma index_list("${name}")`).all() as {
    name: string;
    unique: number;
    origin: string;
  }[];
  const uniques = indexes
    .filter(({ unique, origin }) => unique === 1 && origin !== 'pk')
    .map((index) => {
      const parts = database.prepare(`pragma index_info("${index.name}")`).all() as { name: string | null }[];
      // Of an expression all values are taken for one.
      const isPlain = parts.every((part) => part.name !== null);
      return { name: index.name, columns: isPlain ? parts.map((part) => part.name!) : [] };
    });
  const check = (row: readonly Value[]) => {
    for (const [at, type] of types.entries()) checkValue(row[at]!, type, columns[at]!);
  };
  const notNull = found.map(({ notnull, pk }) => notnull === 1 || pk > 0);
  const keyNames = key.map((column) => column.name);
  return { name, columns, types, notNull, key: keyNames, uniques, watching: watchingOf(name, columns), check };
}

function checkValue(value: Value, type: string, column: string): void {
  if (value === null || !/^(bigint|integer)$/.test(type)) return;
  if (typeof value !== 'bigint' && !Number.isInteger(value))
    throw refused('22P02', `invalid input syntax for type ${type}: column ${column}`);
  if (type === 'integer' && (BigInt(value as bigint) > int4Max || BigInt(value as bigint) < -int4Max - 1n))
    throw refused('22003', `value of column ${column} is out of range for type integer`);
}

function watchingOf(table: string, columns: readonly string[]): string {
  const of = (row: 'old' | 'new') => columns.map((column) => `${row}."${column}"`);
  const watch = (operation: Operation, values: readonly string[]) =>
    `drop trigger if exists temp."note_${operation}_${table}";
    create temp trigger "note_${operation}_${table}" after ${operation} on main."${table}" begin
      select note('${table}', '${operation}', ${values.join(', ')});
    end;`;
  const room = ['old_rows', 'new_rows'].map(
    (name) => `drop table if exists temp."${name}_${table}";
    create temp table "${name}_${table}" (${columns.map((column) => `"${column}"`).join(', ')});`,
  );
  const watches = [
    watch('insert', of('new')),
    watch('update', [...of('old'), ...of('new')]),
    watch('delete', of('old')),
  ];
  return [...room, ...watches].join('\n');
}

export interface Trigger {
  readonly kind: 'trigger';
  readonly name: string;
  readonly table: string;
  readonly operation: Operation;
  /** The function that it calls. */
  readonly calls: string;
  /** Runs its function. @param ask runs one statement of it */
  run(body: string, ask: (sql: string) => Answer): void;
}

interface TriggerFunction {
  readonly kind: 'function';
  readonly name: string;
  readonly body: string;
}

/** The trigger, or the function of one, that a statement makes. */
export function triggerOf(text: string): Trigger | TriggerFunction | undefined {
  const [, made, body] = /create function (\w+)\(\) returns trigger[^$]*\$\$([\s\S]*)\$\$/i.exec(text) ?? [];
  if (made !== undefined) return { kind: 'function', name: made, body: body! };
  const pattern = /create trigger (\w+)\s+(?:after|before) (\w+) on (\w+)[\s\S]*execute function (\w+)\(\)/i;
  const [, name, operation, table, calls] = pattern.exec(text) ?? [];
  if (name === undefined) return undefined;
  const given = { name, table: table!, operation: operation!.toLowerCase() as Operation, calls: calls! };
  return { kind: 'trigger', ...given, run: (functionBody, ask) => runFunction(functionBody, table!, ask) };
}

/** As much of PL/pgSQL as our functions are written in: `if … then … end if`, `perform`, `get diagnostics` of the count of rows, statements. */
function runFunction(body: string, table: string, ask: (sql: string) => Answer): void {
  const text = body.replaceAll(/\b(old_rows|new_rows)\b/g, `$1_${table}`).replaceAll(/--.*$/gm, '');
  const [, condition, statements] = /\bif ([\s\S]*?) then\n([\s\S]*)\bend if;/.exec(text) ?? [];
  if (condition === undefined) throw refused('0A000', `the model cannot run ${body}`);
  if (ask(`select ${condition} as fits`).rows[0]![0] !== 1n) return;
  const variables = new Map<string, number>();
  let count = 0;
  for (const statement of statements!.split(';').map((one) => one.trim())) {
    const [, variable] = /^get diagnostics (\w+) = row_count$/.exec(statement) ?? [];
    if (variable !== undefined) variables.set(variable, count);
    else if (statement !== '') count = ask(withVariables(statement, variables).replace(/^perform\b/, 'select')).count;
  }
}

function withVariables(statement: string, variables: ReadonlyMap<string, number>): string {
  let text = statement;
  for (const [name, value] of variables) text = text.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), String(value));
  return text;
}

/** The steps in which SQLite changes its schema: a constraint is changed by making the table anew. @param sqlOf the statements that made a table */
export function schemaSteps(sql: string, sqlOf: (table: string) => readonly string[]): readonly string[] {
  if (/^create schema/i.test(sql)) return [];
  const [, table, how, name, check] =
    /^alter table (\w+) (drop|add) constraint (\w+)\s*(check[\s\S]*)?$/i.exec(sql) ?? [];
  if (table === undefined) return [sql];
  const [made, ...indexes] = sqlOf(table);
  const changed =
    how!.toLowerCase() === 'drop'
      ? withoutConstraint(made!, name!)
      : made!.replace(/\)\s*$/, `, constraint ${name} ${check})`);
  return [
    changed.replace(/^create table "?\w+"?/i, `create table "anew"`),
    `insert into "anew" select * from "${table}"`,
    `drop table "${table}"`,
    `alter table "anew" rename to "${table}"`,
    ...indexes,
  ];
}

function withoutConstraint(made: string, name: string): string {
  const from = made.search(new RegExp(`\\bconstraint ${name} check \\(`, 'i'));
  if (from < 0) throw refused('42704', `constraint "${name}" does not exist`);
  let at = made.indexOf('(', from);
  for (let depth = 0; at < made.length; at++) {
    if (made[at] === '(') depth++;
    if (made[at] === ')' && --depth === 0) break;
  }
  return `${made.slice(0, from).replace(/,\s*$/, '')}${made.slice(at + 1)}`;
}
