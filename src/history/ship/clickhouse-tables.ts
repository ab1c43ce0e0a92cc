import type { ClickHouse } from './clickhouse.ts';
import {
  type Column,
  isSameType,
  makesView,
  type NeededColumn,
  neededColumns,
  retentionOf,
  rowTableNames,
  schemaStatements,
  schemaVersion,
  tableOfView,
} from './clickhouse-schema.ts';
import { ShipError, type ShipErrorValues } from './ship-error.ts';

/** A table or view that is there. */
interface FoundTable {
  readonly name: string;
  readonly comment: string;
  readonly engine: string;
  readonly create_table_query: string;
}

/**
 * Makes tables, columns and views that are missing, and sets how long rows are kept. Rejects with `ShipError`, as
 * `bringUpToDate` does.
 */
export async function makeTables(target: ClickHouse, keepForMs: number): Promise<void> {
  const statements = schemaStatements(keepForMs);
  for (const statement of statements) if (!makesView(statement)) await target.execute(statement);
  await bringUpToDate(target);
  for (const statement of statements) if (makesView(statement)) await target.execute(statement);
  const retention = retentionOf(keepForMs);
  for (const { name, create_table_query } of await tablesIn(target)) {
    if (!rowTableNames.some((each) => each === name) || create_table_query.includes(retention)) continue;
    await target.execute(`ALTER TABLE ${name} MODIFY TTL ${retention}`);
  }
}

/**
 * Adds columns that tables and views of a former version lack, and makes no other change: of several processes that do
 * it at once each finds it done. Rows of before have the default of a new column. Rejects with `ShipError`, before any
 * change, where tables are missing or of another version, or a column is of another type.
 */
export async function bringUpToDate(target: ClickHouse): Promise<void> {
  const { database } = target;
  const tables = await tablesIn(target);
  assertVersion(database, tables);
  const found = await columnsIn(target);
  const needed = neededColumns();
  for (const { name } of tables) assertTypes(database, name, needed.get(name) ?? [], found.get(name) ?? []);
  const statements = tables.flatMap(({ name, engine }) => {
    const lacking = (needed.get(name) ?? []).filter((column) => !hasColumn(found.get(name), column));
    if (lacking.length === 0) return [];
    const statement = addingColumns(name, lacking);
    // What it stands for, on machines of which nothing is known here, would not have the columns.
    if (engine === 'Distributed') throw tableIsDistributed({ database, table: name, statement });
    return [statement];
  });
  for (const statement of statements) await target.execute(statement);
  for (const [view, table] of Object.entries(tableOfView)) {
    const shown = found.get(view);
    if (shown === undefined || needed.get(table)!.every((column) => hasColumn(shown, column))) continue;
    await target.execute(schemaStatements(0).find((each) => makesView(each, view))!);
  }
}

function tablesIn(target: ClickHouse): Promise<FoundTable[]> {
  return target.ask(
    'SELECT name, comment, engine, create_table_query FROM system.tables WHERE database = currentDatabase()',
  );
}

async function columnsIn(target: ClickHouse): Promise<ReadonlyMap<string, readonly Column[]>> {
  const columns = await target.ask<Column & { readonly table: string }>(
    'SELECT table, name, type FROM system.columns WHERE database = currentDatabase()',
  );
  return Map.groupBy(columns, ({ table }) => table);
}

function assertVersion(database: string, tables: readonly FoundTable[]): void {
  const coverage = tables.find(({ name }) => name === 'coverage');
  if (coverage === undefined) throw tablesMissing({ database });
  const found = /^mdapi record, schema (\d+)$/.exec(coverage.comment)?.[1];
  if (found === undefined) throw tablesOfAnother({ database, version: schemaVersion });
  if (Number(found) !== schemaVersion) throw otherSchema({ database, version: schemaVersion, found: Number(found) });
}

function assertTypes(database: string, table: string, needed: readonly NeededColumn[], found: readonly Column[]): void {
  const typeOf = new Map(found.map(({ name, type }) => [name, type]));
  for (const { name: column, type } of needed) {
    const is = typeOf.get(column);
    if (is === undefined || isSameType(is, type)) continue;
    throw otherColumnType({ database, table, column, found: is, needed: type });
  }
}

function hasColumn(columns: readonly Column[] | undefined, { name }: Column): boolean {
  return columns?.some((column) => column.name === name) === true;
}

function addingColumns(table: string, columns: readonly NeededColumn[]): string {
  const added = columns.map(({ definition }) => `ADD COLUMN IF NOT EXISTS ${definition}`);
  return `ALTER TABLE ${table} ${added.join(', ')}`;
}

function tablesMissing(values: ShipErrorValues['clickhouse_schema.missing']) {
  const message =
    `The database ${values.database} of ClickHouse lacks tables for the record. ` +
    '`mdapi history ship --create` makes them.';
  return new ShipError('clickhouse_schema.missing', values, message);
}

const anotherDatabase = 'Name another database in history.clickhouse.url, or use the version that made them.';

function tablesOfAnother(values: ShipErrorValues['clickhouse_schema.not_a_record']) {
  const { database, version } = values;
  const message =
    `The tables of the database ${database} of ClickHouse are not those of a record; ` +
    `this version of mdapi writes schema ${version}. ${anotherDatabase}`;
  return new ShipError('clickhouse_schema.not_a_record', values, message);
}

function otherSchema(values: ShipErrorValues['clickhouse_schema.other']) {
  const { database, version, found } = values;
  const message =
    `The tables of the database ${database} of ClickHouse have schema ${found}; ` +
    `this version of mdapi writes schema ${version}. ${anotherDatabase}`;
  return new ShipError('clickhouse_schema.other', values, message);
}

function otherColumnType(values: ShipErrorValues['clickhouse_schema.column_type']) {
  const { database, table, column, found, needed } = values;
  const message =
    `The column ${column} of the table ${table} in the database ${database} of ClickHouse has the type ${found}; ` +
    `this version of mdapi writes ${needed}. Nothing was changed. ` +
    'Rename that column, and `mdapi history ship` adds its own, or name another database in history.clickhouse.url.';
  return new ShipError('clickhouse_schema.column_type', values, message);
}

function tableIsDistributed(values: ShipErrorValues['clickhouse_schema.distributed']) {
  const { database, table, statement } = values;
  const message =
    `The table ${table} in the database ${database} of ClickHouse lacks columns, and is distributed. ` +
    `Add them to the tables that it stands for, and then to it: ${statement}`;
  return new ShipError('clickhouse_schema.distributed', values, message);
}
