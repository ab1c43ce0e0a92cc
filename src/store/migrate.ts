import { type Migration, Migrator } from 'kysely';
import { initialMigration } from './migrations/0001-initial.ts';
import { noticesMigration } from './migrations/0002-notices.ts';
import type { Database } from './schema.ts';
import { StoreError } from './store-error.ts';

export const migrationTable = 'kysely_migration';

/** Every step of the schema in order. Forward only: a step that was released is never changed or taken away. */
const migrations: Readonly<Record<string, Migration>> = {
  '0001-initial': initialMigration,
  '0002-notices': noticesMigration,
};

/**
 * Brings the schema up to date, under the engine's lock: of several processes that start at once one does the
 * work and the others find it done. All steps succeed or none. Throws `StoreError` with reason `newer_database`
 * when a newer version of this program has been here.
 *
 * @param name how messages call the database
 */
export async function migrateToLatest(db: Database, name: string): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } });
  const { error } = await migrator.migrateToLatest();
  if (error === undefined) return;
  await refuseNewer(db, name);
  if (error instanceof StoreError) throw error;
  throw new StoreError('unexpected', `The database ${name} could not be brought up to date.`, error);
}

async function refuseNewer(db: Database, name: string): Promise<void> {
  const { rows } = await db.getExecutor().executeQuery<{ name: string }>(
    db
      .selectFrom(migrationTable as never)
      .select('name' as never)
      .compile(),
  );
  const unknown = rows.map((row) => row.name).filter((step) => !(step in migrations));
  if (unknown.length === 0) return;
  throw new StoreError(
    'newer_database',
    `The database ${name} was made by a newer version of this program (step ${unknown.at(-1)}). Install that version, or put back a backup made before the upgrade.`,
  );
}
