import { type Migration, Migrator, sql } from 'kysely';
import { initialMigration } from './migrations/0001-initial.ts';
import { termsMigration } from './migrations/0002-terms.ts';
import { statusHistoryMigration } from './migrations/0003-status-history.ts';
import { sourceTokensMigration } from './migrations/0004-source-tokens.ts';
import { acceptedSourceMigration } from './migrations/0005-accepted-source.ts';
import type { Database } from './schema.ts';
import { StoreError } from './store-error.ts';

export const migrationTable = 'kysely_migration';

/** Every step of the schema in order. Forward only: a step that was released is never changed or removed. */
const migrations: Readonly<Record<string, Migration>> = {
  '0001-initial': initialMigration,
  '0002-terms': termsMigration,
  '0003-status-history': statusHistoryMigration,
  '0004-source-tokens': sourceTokensMigration,
  '0005-accepted-source': acceptedSourceMigration,
};

/**
 * Brings the schema up to date, under the engine's lock: of several processes that start at once one does the work and the others find it done. All
 * steps succeed or none. Throws `StoreError` with reason `newer_database` when a newer version of this program has been here.
 *
 * @param name the database's name in messages
 * @param schema where the tables are, when the engine has several such places
 */
export async function migrateToLatest(db: Database, name: string, schema?: string): Promise<void> {
  const place = schema === undefined ? {} : { migrationTableSchema: schema };
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) }, ...place });
  const { error } = await migrator.migrateToLatest();
  if (error === undefined) return;
  if (error instanceof StoreError && error.isEngineFailure && error.reason !== 'unexpected') throw error;
  await schemaState(db, name);
  if (error instanceof StoreError) throw error;
  throw new StoreError('unexpected', `The database ${name} could not be brought up to date.`, error);
}

/** Whether a database that has the table of migrations lacks some of them. Throws `StoreError` with reason `newer_database` when it has others. */
export async function schemaState(db: Database, name: string): Promise<'older' | 'current'> {
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(migrationTable)} order by name`.execute(db);
  const steps = rows.map((row) => row.name);
  const unknown = steps.filter((step) => !(step in migrations));
  if (unknown.length === 0) return steps.length === Object.keys(migrations).length ? 'current' : 'older';
  throw new StoreError(
    'newer_database',
    `The database ${name} was made by a newer version of this program (step ${unknown.at(-1)}). Install that version, or restore a backup made before the upgrade.`,
  );
}
