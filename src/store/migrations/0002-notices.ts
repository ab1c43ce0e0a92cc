import { type Migration, sql } from 'kysely';
import { columnTypesOf } from './columns.ts';

/** The minutes in which keys were refused, and the outbox of e-mail notices to their holders. */
export const noticesMigration: Migration = {
  async up(db) {
    const { text } = columnTypesOf(db);
    await db.schema
      .createTable('breaches')
      .addColumn('key_id', text, (column) => column.notNull())
      .addColumn('minute_start_ms', 'bigint', (column) => column.notNull())
      .addColumn('refused', 'bigint', (column) => column.notNull())
      .addColumn('limit_per_minute', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('breaches_key_minute', ['key_id', 'minute_start_ms'])
      .addCheckConstraint('breaches_minute', sql`minute_start_ms % 60000 = 0`)
      .execute();
    await db.schema.createIndex('breaches_minute_start').on('breaches').column('minute_start_ms').execute();
    // No foreign keys: a notice is a record of what was said, and stays when its key or account is deleted.
    await db.schema
      .createTable('notices')
      .addColumn('id', text, (column) => column.primaryKey().notNull())
      .addColumn('key_id', text, (column) => column.notNull())
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('kind', text, (column) => column.notNull())
      .addColumn('number', 'integer', (column) => column.notNull())
      .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
      .addColumn('last_minute_ms', 'bigint', (column) => column.notNull())
      .addColumn('figures', text, (column) => column.notNull())
      .addColumn('status', text, (column) => column.notNull())
      .addColumn('attempts', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('next_attempt_at_ms', 'bigint', (column) => column.notNull())
      .addColumn('claimed_until_ms', 'bigint')
      .addColumn('sent_at_ms', 'bigint')
      .addColumn('message_id', text)
      .addColumn('last_error', text)
      .addCheckConstraint('notices_kind', sql`kind in ('repeated_breaches')`)
      .addCheckConstraint(
        'notices_status',
        sql`status in ('pending', 'sending', 'sent', 'failed', 'recorded', 'unconfirmed')`,
      )
      // What makes a decision once: two deciders that saw the same notices give theirs the same number.
      .addUniqueConstraint('notices_decided_once', ['key_id', 'kind', 'number'])
      .execute();
    await db.schema.createIndex('notices_status_due').on('notices').columns(['status', 'next_attempt_at_ms']).execute();
  },
};
