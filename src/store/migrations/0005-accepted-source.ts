import { type Migration, sql } from 'kysely';

/** The source that an operator accepted. It changes with `accepted_at_ms`, whose triggers announce it. */
export const acceptedSourceMigration: Migration = {
  async up(db) {
    await sql`alter table markets add column accepted_source text`.execute(db);
  },
};
