import { type ColumnDefinitionBuilder, type CreateTableBuilder, type QueryExecutorProvider, sql } from 'kysely';
import { engineOf } from '../engine.ts';

type DataType = Parameters<CreateTableBuilder<string>['addColumn']>[1];

/** The types of columns that are not called the same in both engines. */
export interface ColumnTypes {
  /** Text, compared and sorted by its bytes, as SQLite does, whatever language the database is set to. */
  readonly text: DataType;
  readonly bytes: DataType;
  /** A whole number that `numbered` fills in. */
  readonly number: DataType;
  /** Numbers the rows as they are made, upwards. Numbers may be left out. */
  numbered(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder;
}

export function columnTypesOf(db: QueryExecutorProvider): ColumnTypes {
  if (engineOf(db) === 'sqlite') {
    return {
      text: 'text',
      bytes: sql`blob`,
      number: 'integer',
      numbered: (column) => column.primaryKey().autoIncrement(),
    };
  }
  return {
    text: sql`text collate "C"`,
    bytes: sql`bytea`,
    number: 'bigint',
    numbered: (column) => column.primaryKey().generatedByDefaultAsIdentity(),
  };
}
