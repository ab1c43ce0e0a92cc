import { type Migration, sql } from 'kysely';
import { columnTypesOf } from './columns.ts';

/** The audit log, the tokens of operators, and what lists of accounts and keys are read in pages by. */
export const managementMigration: Migration = {
  async up(db) {
    const { text } = columnTypesOf(db);
    await db.schema
      .createTable('audit_log')
      .addColumn('id', text, (column) => column.primaryKey().notNull())
      .addColumn('at_ms', 'bigint', (column) => column.notNull())
      .addColumn('actor', text, (column) => column.notNull())
      .addColumn('action', text, (column) => column.notNull())
      .addColumn('subject_kind', text, (column) => column.notNull())
      .addColumn('subject_id', text, (column) => column.notNull())
      .addColumn('summary', text, (column) => column.notNull())
      .addColumn('details', text, (column) => column.notNull())
      .execute();
    await db.schema.createIndex('audit_log_at').on('audit_log').columns(['at_ms', 'id']).execute();
    await db.schema.createIndex('audit_log_subject').on('audit_log').columns(['subject_id', 'at_ms', 'id']).execute();
    // The digest as hexadecimal text: bytes would have a type of their own in each engine.
    await db.schema
      .createTable('operator_tokens')
      .addColumn('id', text, (column) => column.primaryKey().notNull())
      .addColumn('name', text, (column) => column.notNull())
      .addColumn('digest', text, (column) => column.notNull().unique())
      .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
      .addColumn('expires_at_ms', 'bigint')
      .addColumn('revoked_at_ms', 'bigint')
      .addColumn('last_used_at_ms', 'bigint')
      .execute();
    await db.schema
      .createIndex('operator_tokens_name')
      .unique()
      .on('operator_tokens')
      .column('name')
      .where(sql.ref('revoked_at_ms'), 'is', null)
      .execute();
    await db.schema.createIndex('accounts_created').on('accounts').columns(['created_at_ms', 'id']).execute();
    await db.schema
      .createIndex('api_keys_account_status')
      .on('api_keys')
      .columns(['account_id', 'status', 'seq'])
      .execute();
    await db.schema.createIndex('api_keys_account_seq').on('api_keys').columns(['account_id', 'seq']).execute();
    await db.schema.createIndex('api_keys_status_seq').on('api_keys').columns(['status', 'seq']).execute();
    await db.schema.createIndex('notices_created').on('notices').columns(['created_at_ms', 'id']).execute();
    await db.schema
      .createIndex('breaches_minute_key')
      .on('breaches')
      .columns(['minute_start_ms', 'key_id', 'refused'])
      .execute();
  },
};
