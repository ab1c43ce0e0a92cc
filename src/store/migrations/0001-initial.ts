import { type Kysely, type Migration, type RawBuilder, sql } from 'kysely';

/**
 * The first schema. What differs between engines stands here alone: the type of a digest, a column that
 * numbers its rows, and the triggers.
 */
export const initialMigration: Migration = {
  async up(db) {
    await createAccessTables(db);
    await createMarketTables(db);
    await createChangeTables(db);
    for (const trigger of [...accessTriggers, ...topicTriggers]) await trigger.execute(db);
  },
};

const bytes = sql`blob`;

async function createAccessTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('accounts')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('active', 'integer', (column) => column.notNull().defaultTo(1))
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addCheckConstraint('accounts_active', sql`active in (0, 1)`)
    .execute();
  await sql`create unique index accounts_email on accounts (lower(email))`.execute(db);
  await db.schema
    .createTable('api_keys')
    .addColumn('seq', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('label', 'text', (column) => column.notNull().defaultTo(''))
    .addColumn('digest', bytes, (column) => column.notNull().unique())
    .addColumn('last_four', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull().defaultTo('active'))
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('expires_at_ms', 'bigint')
    .addColumn('limit_per_minute', 'integer')
    .addColumn('replaced_by', 'text')
    .addCheckConstraint('api_keys_digest', sql`length(digest) = 32`)
    .addCheckConstraint('api_keys_last_four', sql`length(last_four) = 4`)
    .addCheckConstraint('api_keys_status', sql`status in ('active', 'disabled', 'revoked')`)
    .addCheckConstraint('api_keys_limit', sql`limit_per_minute between 1 and 1000000`)
    .execute();
  await db.schema.createIndex('api_keys_account').on('api_keys').column('account_id').execute();
}

async function createMarketTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('markets')
    .addColumn('symbol', 'text', (column) => column.primaryKey().notNull())
    .addColumn('base', 'text', (column) => column.notNull())
    .addColumn('quote', 'text', (column) => column.notNull())
    .addColumn('via', 'text')
    .addColumn('upstream_status', 'text', (column) => column.notNull())
    .addColumn('price_precision', 'integer', (column) => column.notNull())
    .addColumn('amount_precision', 'integer', (column) => column.notNull())
    .addColumn('tick_size', 'text', (column) => column.notNull())
    .addColumn('min_order_size', 'text', (column) => column.notNull())
    .addColumn('min_order_value', 'text')
    .addColumn('operator_paused', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('delisted_at_ms', 'bigint')
    .addColumn('missed_loads', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('updated_at_ms', 'bigint', (column) => column.notNull())
    .addCheckConstraint('markets_upstream_status', sql`upstream_status in ('trading', 'paused')`)
    .addCheckConstraint('markets_operator_paused', sql`operator_paused in (0, 1)`)
    .execute();
  await db.schema
    .createTable('maintenance_windows')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('from_ms', 'bigint', (column) => column.notNull())
    .addColumn('to_ms', 'bigint', (column) => column.notNull())
    .addColumn('description', 'text', (column) => column.notNull())
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('cancelled_at_ms', 'bigint')
    .addColumn('ended_at_ms', 'bigint')
    .addCheckConstraint('maintenance_windows_order', sql`from_ms <= to_ms`)
    .execute();
  await db.schema
    .createTable('snapshots')
    .addColumn('name', 'text', (column) => column.primaryKey().notNull())
    .addColumn('payload', 'text', (column) => column.notNull())
    .addColumn('saved_at_ms', 'bigint', (column) => column.notNull())
    .execute();
}

async function createChangeTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('access_changes')
    .addColumn('seq', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('digest', bytes, (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('change_versions')
    .addColumn('topic', 'text', (column) => column.primaryKey().notNull())
    .addColumn('version', 'bigint', (column) => column.notNull())
    .execute();
  await sql`insert into change_versions (topic, version) values ('market_controls', 0), ('maintenance_windows', 0)`.execute(
    db,
  );
}

/**
 * The digest is recorded, not the key's id: a digest that was deleted or replaced must be forgotten by every
 * server, and nothing else still tells it. The `before` trigger is for `insert or replace`, whose silent deletion fires
 * no `delete` trigger.
 */
const accessTriggers: readonly RawBuilder<unknown>[] = [
  sql`create trigger api_keys_replaced before insert on api_keys begin
    insert into access_changes (digest) select digest from api_keys where id = new.id;
  end`,
  sql`create trigger api_keys_inserted after insert on api_keys begin
    insert into access_changes (digest) values (new.digest);
  end`,
  sql`create trigger api_keys_updated after update on api_keys begin
    insert into access_changes (digest) select old.digest where old.digest is not new.digest;
    insert into access_changes (digest) values (new.digest);
  end`,
  sql`create trigger api_keys_deleted after delete on api_keys begin
    insert into access_changes (digest) values (old.digest);
  end`,
  sql`create trigger accounts_inserted after insert on accounts begin
    insert into access_changes (digest) select digest from api_keys where account_id = new.id;
  end`,
  sql`create trigger accounts_updated after update on accounts
    when old.active is not new.active or old.id is not new.id begin
    insert into access_changes (digest) select digest from api_keys where account_id in (old.id, new.id);
  end`,
  sql`create trigger accounts_deleted after delete on accounts begin
    insert into access_changes (digest) select digest from api_keys where account_id = old.id;
  end`,
];

const raiseMarketControls = sql`update change_versions set version = version + 1 where topic = 'market_controls'`;
const raiseWindows = sql`update change_versions set version = version + 1 where topic = 'maintenance_windows'`;

/** Only what an operator decides counts as a market control, so that the feed's own catalogue loads wake nobody. */
const topicTriggers: readonly RawBuilder<unknown>[] = [
  sql`create trigger markets_inserted after insert on markets
    when new.operator_paused = 1 or new.delisted_at_ms is not null begin ${raiseMarketControls}; end`,
  sql`create trigger markets_updated after update on markets
    when old.operator_paused is not new.operator_paused or old.delisted_at_ms is not new.delisted_at_ms
    begin ${raiseMarketControls}; end`,
  sql`create trigger markets_deleted after delete on markets begin ${raiseMarketControls}; end`,
  sql`create trigger maintenance_windows_inserted after insert on maintenance_windows begin ${raiseWindows}; end`,
  sql`create trigger maintenance_windows_updated after update on maintenance_windows begin ${raiseWindows}; end`,
  sql`create trigger maintenance_windows_deleted after delete on maintenance_windows begin ${raiseWindows}; end`,
];
