import { statementsIn } from '../../store/sql-file.ts';

/**
 * The version of the tables. Written into the comment of `coverage`: another one is not written to. A new column is
 * none.
 */
export const schemaVersion = 1;

/** The tables of the rows. */
export const rowTableNames = ['quotes', 'servings', 'facts'] as const;
export type RowTable = (typeof rowTableNames)[number];

/** How long rows are kept, as it is in the definition of a table. */
export function retentionOf(keepForMs: number): string {
  return `toDateTime(at) + toIntervalSecond(${Math.ceil(keepForMs / 1_000)})`;
}

/**
 * Makes what is missing. The table `coverage` comes after the others: it says that they are there. The views come last.
 */
export function schemaStatements(keepForMs: number): readonly string[] {
  const values = { retention: retentionOf(keepForMs), comment: `mdapi record, schema ${schemaVersion}` };
  return statementsIn(new URL('clickhouse.sql', import.meta.url), values);
}

/** True for the statement that makes a view, or a certain one. */
export function makesView(statement: string, view?: string): boolean {
  return statement.startsWith(`CREATE OR REPLACE VIEW ${view ?? ''}`);
}

/** A column of a table. */
export interface Column {
  readonly name: string;
  readonly type: string;
}

/** A column as the statement that makes its table has it. */
export interface NeededColumn extends Column {
  /** Name, type, and default, alias or codec. */
  readonly definition: string;
}

const tableShape = /^CREATE TABLE IF NOT EXISTS (\w+) \(\n(.+?)\n\) ENGINE/s;
const columnShape = /^ {2}(?!INDEX )(\w+) (\w+(?:\((?:[^()]|\([^()]*\))*\))?).*$/gm;

/** Gives the columns of each table that this version writes or computes, from the statements that make the tables. */
export function neededColumns(): ReadonlyMap<string, readonly NeededColumn[]> {
  const tables = schemaStatements(0).flatMap((statement) => {
    const [, table, lines] = tableShape.exec(statement) ?? [];
    return table === undefined || lines === undefined ? [] : [[table, columnsIn(lines)] as const];
  });
  return new Map(tables);
}

function columnsIn(lines: string): readonly NeededColumn[] {
  return [...lines.matchAll(columnShape)].map(([line, name = '', type = '']) => ({
    name,
    type,
    definition: line.trim().replace(/,$/, ''),
  }));
}

/** The table whose columns each view has, all of them. */
export const tableOfView: Readonly<Record<string, string>> = { prices: 'quotes' };

/**
 * True when rows that are written to one type have the same values in the other: how a column is stored, which an
 * operator can choose, makes no difference.
 */
export function isSameType(one: string, other: string): boolean {
  return plainType(one) === plainType(other);
}

function plainType(type: string): string {
  return type.replaceAll(/\s+/g, '').replace(/^LowCardinality\((.+)\)$/, '$1');
}
