import { statementsIn } from '../../store/sql-file.ts';

/** The version of the tables. Written into the comment of `coverage`: another one is not written to. */
export const schemaVersion = 1;

/** The tables of the rows. */
export const rowTableNames = ['quotes', 'servings', 'facts'] as const;
export type RowTable = (typeof rowTableNames)[number];

/** How long rows are kept, as it is in the definition of a table. */
export function retentionOf(keepForMs: number): string {
  return `toDateTime(at) + toIntervalSecond(${Math.ceil(keepForMs / 1_000)})`;
}

/** Makes what is missing. The table `coverage` comes after the others: it says that they are there. */
export function schemaStatements(keepForMs: number): readonly string[] {
  const values = { retention: retentionOf(keepForMs), comment: `mdapi record, schema ${schemaVersion}` };
  return statementsIn(new URL('clickhouse.sql', import.meta.url), values);
}
