import type { Clock } from '../../ground/clock.ts';
import { Kysely, PostgresAdapter, PostgresDialect, sql } from '../kysely.ts';
import { migrateToLatest, migrationTable, schemaState } from '../migrate.ts';
import type { Database, Schema } from '../schema.ts';
import { StoreError, type StoreErrorValues } from '../store-error.ts';
import { migrationTimeouts, usualTimeouts } from './client.ts';
import type { PostgresLocation } from './location.ts';
import { ConnectionPool, type PoolOptions } from './pool.ts';

/** The oldest version that still gets fixes. What the schema needs of it is older. */
const oldestVersion = 15;
/** A serving process has few writers. Many processes share what the server allows. */
const usualConnectionsMax = 5;

/**
 * One process at a time brings a database up to date, from the first table on. The number is that of Kysely’s own lock,
 * which former versions take.
 */
const migrationLock = 3_853_314_791_062_309_107n;

/**
 * Leaves out Kysely’s own lock, which is the connection’s: PgBouncer would go on holding it for a connection that it
 * has lent to somebody else by then.
 */
class LockedAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

class LockedDialect extends PostgresDialect {
  override createAdapter() {
    return new LockedAdapter();
  }
}

/** Connections to the database, which is not looked at yet. */
export function connectPostgres(
  location: PostgresLocation,
  clock: Clock,
  options: Partial<PoolOptions> = {},
): Database {
  const pool = new ConnectionPool(location, {
    clock,
    timeouts: usualTimeouts,
    connectionsMax: usualConnectionsMax,
    ...options,
  });
  return new Kysely<Schema>({ dialect: new LockedDialect({ pool }) });
}

/** How far the database's schema is. Refuses what `preparePostgres` refuses, and changes nothing. */
export async function inspectPostgres(db: Database, { name }: PostgresLocation) {
  const { rows } = await sql<{ version: number; schema: string | null; tables: number; ours: number }>`
    select current_setting('server_version_num')::integer / 10000 as version, current_schema() as schema,
      count(relname) as tables, count(relname) filter (where relname = ${migrationTable}) as ours
    from (select 1) as once
    left join pg_class on relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace
      and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e')`.execute(db);
  const { version, schema, tables, ours } = rows[0]!;
  if (version < oldestVersion) throw serverTooOld({ name, version, oldest: oldestVersion });
  if (schema === null) throw noSchema({ name });
  if (ours > 0) return schemaState(db, name);
  if (tables === 0) return 'empty' as const;
  throw tablesOfAnotherProgram({ name });
}

/**
 * Looks at the database and brings its schema up to date. A schema that is up to date is only read, so that a user
 * without the right to change it can work with it. Throws `StoreError` with the database and the fix.
 */
export async function preparePostgres(db: Database, location: PostgresLocation, clock: Clock): Promise<void> {
  if ((await inspectPostgres(db, location)) === 'current') return;
  await using migrating = connectPostgres(location, clock, { connectionsMax: 2, timeouts: migrationTimeouts });
  // Held by a transaction on a connection of its own, which does nothing else meanwhile.
  await migrating.transaction().execute(async (trx) => {
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(trx);
    await sql`select pg_advisory_xact_lock(${sql.lit(migrationLock)})`.execute(trx);
    const { rows } = await sql<{ schema: string }>`select current_schema() as schema`.execute(trx);
    await migrateToLatest(migrating, location.name, rows[0]!.schema);
  });
}

export function serverTooOld(values: StoreErrorValues['old_server']) {
  const { name, version, oldest } = values;
  const message = `The server of the database ${name} is PostgreSQL ${version}. Version ${oldest} or newer is needed.`;
  return new StoreError('old_server', values, message);
}

export function noSchema(values: StoreErrorValues['cannot_open.no_schema']) {
  const message =
    `The user of the database ${values.name} has no schema to work in. ` +
    'Create one for it (create schema mdapi authorization mdapi), or set its search_path.';
  return new StoreError('cannot_open.no_schema', values, message);
}

export function tablesOfAnotherProgram(values: StoreErrorValues['foreign_database.server']) {
  const message =
    `The database ${values.name} holds the tables of another program. ` +
    'Name another one in `store`, or give its user a schema of its own.';
  return new StoreError('foreign_database.server', values, message);
}
