import { type Migration, sql } from 'kysely';
import { engineOf } from '../store-context.ts';

/** Tokens of the operator's own engines, each for one source. */
export const sourceTokensMigration: Migration = {
  async up(db) {
    // Compared byte by byte in either engine.
    const text = engineOf(db) === 'postgres' ? sql`text collate "C"` : sql`text`;
    await sql`create table source_tokens (
      id ${text} primary key not null,
      source ${text} not null,
      digest ${text} not null unique constraint source_tokens_digest check (length(digest) = 64),
      created_at_ms bigint not null,
      revoked_at_ms bigint
    )`.execute(db);
  },
};
