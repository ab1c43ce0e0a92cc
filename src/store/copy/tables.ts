import type { Schema } from '../schema.ts';

/** A table as it is copied: in the order of `order`, each row under the columns of `key`. */
export interface CopiedTable {
  readonly name: keyof Schema;
  /** What tells a row apart. */
  readonly key: readonly string[];
  /** What rows are read by, page after page: unique, ascending. The key, where this is left out. */
  readonly order?: readonly string[];
  /** Columns that the target fills in by itself. */
  readonly leftOut?: readonly string[];
}

/**
 * Every table but those of the engine's own bookkeeping, in an order in which what is referred to comes first. The triggers of
 * the target write down what the copy changes there; keys are numbered anew, in the order they were made.
 */
export const copiedTables: readonly CopiedTable[] = [
  { name: 'accounts', key: ['id'] },
  { name: 'api_keys', key: ['id'], order: ['seq'], leftOut: ['seq'] },
  { name: 'markets', key: ['symbol'] },
  { name: 'maintenance_windows', key: ['id'] },
  { name: 'snapshots', key: ['name'] },
  { name: 'breaches', key: ['key_id', 'minute_start_ms'] },
  { name: 'notices', key: ['id'] },
  { name: 'audit_log', key: ['id'] },
  { name: 'operator_tokens', key: ['id'] },
];

/** Tables that are not copied: their rows say what happened in one database, and mean nothing in another. */
export const uncopiedTables: readonly (keyof Schema)[] = ['access_changes', 'change_versions'];
