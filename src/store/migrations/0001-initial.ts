import { type Kysely, type Migration, sql } from 'kysely';
import { engineOf } from '../engine.ts';
import { postgresTriggers } from './0001-triggers-postgres.ts';
import { sqliteTriggers } from './0001-triggers-sqlite.ts';
import { columnTypesOf } from './columns.ts';

/** The first schema. What differs between engines are some types of columns, and the triggers. */
export const initialMigration: Migration = {
  async up(db) {
    await createAccessTables(db);
    await createMarketTables(db);
    await createChangeTables(db);
    const triggers = engineOf(db) === 'postgres' ? await postgresTriggers(db) : sqliteTriggers;
    for (const trigger of triggers) await trigger.execute(db);
  },
};

async function createAccessTables(db: Kysely<unknown>): Promise<void> {
  const { text, bytes, number, numbered } = columnTypesOf(db);
  await db.schema
    .createTable('accounts')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('email', text, (column) => column.notNull())
    .addColumn('active', 'integer', (column) => column.notNull().defaultTo(1))
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addCheckConstraint('accounts_active', sql`active in (0, 1)`)
    .execute();
  await sql`create unique index accounts_email on accounts (lower(email))`.execute(db);
  await db.schema
    .createTable('api_keys')
    .addColumn('seq', number, numbered)
    .addColumn('id', text, (column) => column.notNull().unique())
    .addColumn('account_id', text, (column) => column.notNull().references('accounts.id'))
    .addColumn('label', text, (column) => column.notNull().defaultTo(''))
    .addColumn('digest', bytes, (column) => column.notNull().unique())
    .addColumn('last_four', text, (column) => column.notNull())
    .addColumn('status', text, (column) => column.notNull().defaultTo('active'))
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('expires_at_ms', 'bigint')
    .addColumn('limit_per_minute', 'integer')
    .addColumn('replaced_by', text)
    .addCheckConstraint('api_keys_digest', sql`length(digest) = 32`)
    .addCheckConstraint('api_keys_last_four', sql`length(last_four) = 4`)
    .addCheckConstraint('api_keys_status', sql`status in ('active', 'disabled', 'revoked')`)
    .addCheckConstraint('api_keys_limit', sql`limit_per_minute between 1 and 1000000`)
    .execute();
  await db.schema.createIndex('api_keys_account').on('api_keys').column('account_id').execute();
}

async function createMarketTables(db: Kysely<unknown>): Promise<void> {
  const { text } = columnTypesOf(db);
  await db.schema
    .createTable('markets')
    .addColumn('symbol', text, (column) => column.primaryKey().notNull())
    .addColumn('base', text, (column) => column.notNull())
    .addColumn('quote', text, (column) => column.notNull())
    .addColumn('via', text)
    .addColumn('upstream_status', text, (column) => column.notNull())
    .addColumn('price_precision', 'integer', (column) => column.notNull())
    .addColumn('amount_precision', 'integer', (column) => column.notNull())
    .addColumn('tick_size', text, (column) => column.notNull())
    .addColumn('min_order_size', text, (column) => column.notNull())
    .addColumn('min_order_value', text)
    .addColumn('operator_paused', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('delisted_at_ms', 'bigint')
    .addColumn('missed_loads', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('updated_at_ms', 'bigint', (column) => column.notNull())
    .addCheckConstraint('markets_upstream_status', sql`upstream_status in ('trading', 'paused')`)
    .addCheckConstraint('markets_operator_paused', sql`operator_paused in (0, 1)`)
    .execute();
  await db.schema
    .createTable('maintenance_windows')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('from_ms', 'bigint', (column) => column.notNull())
    .addColumn('to_ms', 'bigint', (column) => column.notNull())
    .addColumn('description', text, (column) => column.notNull())
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('cancelled_at_ms', 'bigint')
    .addColumn('ended_at_ms', 'bigint')
    .addCheckConstraint('maintenance_windows_order', sql`from_ms <= to_ms`)
    .execute();
  await db.schema
    .createTable('snapshots')
    .addColumn('name', text, (column) => column.primaryKey().notNull())
    .addColumn('payload', text, (column) => column.notNull())
    .addColumn('saved_at_ms', 'bigint', (column) => column.notNull())
    .execute();
}

async function createChangeTables(db: Kysely<unknown>): Promise<void> {
  const { text, bytes, number, numbered } = columnTypesOf(db);
  // On PostgreSQL the trigger numbers the changes: an identity would number them in another order than they are committed.
  const isNumberedByTrigger = engineOf(db) === 'postgres';
  await db.schema
    .createTable('access_changes')
    .addColumn('seq', number, isNumberedByTrigger ? (column) => column.primaryKey() : numbered)
    .addColumn('digest', bytes, (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('change_versions')
    .addColumn('topic', text, (column) => column.primaryKey().notNull())
    .addColumn('version', 'bigint', (column) => column.notNull())
    .execute();
  await sql`insert into change_versions (topic, version) values ('market_controls', 0), ('maintenance_windows', 0)`.execute(
    db,
  );
  if (isNumberedByTrigger) await sql`insert into change_versions (topic, version) values ('access', 0)`.execute(db);
}
