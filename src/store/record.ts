import type { Selectable } from 'kysely';

/** `created_at_ms` is `createdAt`: instants say by their type that they are milliseconds. */
type FieldOf<Column> = Column extends `${infer Name}_ms`
  ? FieldOf<Name>
  : Column extends `${infer First}_${infer Rest}`
    ? `${First}${Capitalize<FieldOf<Rest>>}`
    : Column;

/** A row of a table as the program reads it: fields instead of columns, `undefined` instead of null. */
export type RecordOf<Table> = {
  readonly [Column in keyof Selectable<Table> as FieldOf<Column> & string]: null extends Selectable<Table>[Column]
    ? NonNullable<Selectable<Table>[Column]> | undefined
    : Selectable<Table>[Column];
};

const fields = new Map<string, string>();

function fieldOf(column: string): string {
  const made = () => column.replace(/_ms$/, '').replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  return fields.getOrInsertComputed(column, made);
}

export function recordOf<Row extends object>(row: Row): RecordOf<Row> {
  const record: Record<string, unknown> = {};
  for (const column in row) record[fieldOf(column)] = row[column] ?? undefined;
  return record as RecordOf<Row>;
}
