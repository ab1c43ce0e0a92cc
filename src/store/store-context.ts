import type { QueryExecutorProvider } from 'kysely';
import { randomBase62 } from '../ground/base62.ts';
import type { Clock, Randomness } from '../ground/clock.ts';
import { PostgresAdapter } from './kysely.ts';
import type { AuditAction, AuditSubjectKind, Database } from './schema.ts';

interface AuditSubject {
  readonly kind: AuditSubjectKind;
  readonly id: string;
}

/** One change, or one attempt to sign in. Never holds a secret: neither a key or token nor a digest of one. */
export interface AuditChange {
  readonly action: AuditAction;
  readonly subject: AuditSubject;
  /** One plain sentence for people. */
  readonly summary: string;
  /** The values that the sentence names and further ones, as plain JSON: other languages make theirs from these. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Records a change under the name of an actor. To be called in the transaction that makes the change. */
export type Audit = (trx: Database, change: AuditChange) => Promise<void>;

export interface StoreContext {
  readonly db: Database;
  /** Runs work in a transaction: in the one that is open, where the part was made for one. */
  readonly transact: <T>(work: (trx: Database) => Promise<T>) => Promise<T>;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Records a change in the audit log, under the name of the store's actor. */
  readonly audit: Audit;
  /** That name. */
  readonly actor: string;
}

/** A part of a store: one kind of thing that it keeps. */
export abstract class StorePart<Context = StoreContext> {
  protected readonly context: Context;

  constructor(context: Context) {
    this.context = context;
  }
}

const randomLength = 16;

type IdPrefix = 'acc' | 'key' | 'win' | 'ntc' | 'aud' | 'tok' | 'inc' | 'trm' | 'dlv' | 'alr' | 'apr' | 'sub';

/** A new id: the prefix, `_` and 16 random base62 characters (95 bits). */
export function newId(prefix: IdPrefix, randomness: Randomness): string {
  return `${prefix}_${randomBase62(randomLength, randomness)}`;
}

/** The engine of a database. Both hold the same tables; the few queries that differ ask for this. */
export type Engine = 'sqlite' | 'postgres';

export function engineOf(db: QueryExecutorProvider): Engine {
  return db.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';
}

/** Lets timers and sockets run: SQLite answers without leaving the thread, so a long row of queries would block it. */
export function yieldToEvents(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
