import type { Selectable } from 'kysely';
import type { Clock, EpochMs, Randomness } from '../clock.ts';
import { newId } from './ids.ts';
import type { AuditTable, Database } from './schema.ts';

/** What an entry of the audit log is about. */
export interface AuditSubject {
  readonly kind: 'account' | 'key' | 'market' | 'window' | 'token' | 'session';
  readonly id: string;
}

/** One change, or one attempt to sign in. Never holds a secret: neither a key or token nor a digest of one. */
export interface AuditChange {
  /** What was done, such as `key.create`. */
  readonly action: string;
  readonly subject: AuditSubject;
  /** One plain sentence for people. */
  readonly summary: string;
  /** What else a program may want to know, as plain JSON. */
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface AuditEntry extends Required<AuditChange> {
  readonly id: string;
  readonly at: EpochMs;
  /** Who did it: the name of a token, or `cli:` and the user of the system. */
  readonly actor: string;
}

/** A place in the log. Entries made later never move it. */
export interface AuditPosition {
  readonly atMs: number;
  readonly id: string;
}

export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  /** Where the next page begins; `undefined` after the last one. */
  readonly next: AuditPosition | undefined;
}

export interface AuditLog {
  /** Latest first. With `subjectId` only what is about it. */
  page(options: {
    readonly limit: number;
    readonly after?: AuditPosition | undefined;
    readonly subjectId?: string | undefined;
  }): Promise<AuditPage>;
  /** For what is no change of the store: somebody signed in, or was refused. Changes record themselves. */
  record(change: AuditChange): Promise<void>;
  /** Drops the entries made before an instant. */
  prune(before: EpochMs): Promise<void>;
}

/** Writes a change down under the name of an actor. To be called in the transaction that makes the change. */
export type Journal = (trx: Database, change: AuditChange) => Promise<void>;

/** Makes the journal of an actor. */
export type Journals = (actor: string) => Journal;

const countLength = 6;

/**
 * Ids of one process count up, so that entries of the same millisecond keep their order: `aud_`, a count in
 * hexadecimal, and what makes the id the only one of its kind.
 */
export function journalsOf(clock: Pick<Clock, 'now'>, randomness: Randomness): Journals {
  let count = 0;
  return (actor) =>
    async (trx, { action, subject, summary, details }) => {
      count = (count + 1) & 0xffffff;
      const [, random = ''] = newId('aud', randomness).split('_');
      await trx
        .insertInto('audit_log')
        .values({
          id: `aud_${count.toString(16).padStart(countLength, '0')}${random.slice(countLength)}`,
          at_ms: clock.now(),
          actor,
          action,
          subject_kind: subject.kind,
          subject_id: subject.id,
          summary,
          details: JSON.stringify(details ?? {}),
        })
        .execute();
    };
}

export function auditLogIn(db: Database, journal: Journal): AuditLog {
  return {
    async page({ limit, after, subjectId }) {
      let query = db
        .selectFrom('audit_log')
        .selectAll()
        .orderBy('at_ms', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1);
      if (subjectId !== undefined) query = query.where('subject_id', '=', subjectId);
      if (after !== undefined) {
        query = query.where(({ eb, refTuple, tuple }) => eb(refTuple('at_ms', 'id'), '<', tuple(after.atMs, after.id)));
      }
      const rows = await query.execute();
      const entries = rows.slice(0, limit).map(entryOf);
      const last = entries.at(-1);
      return { entries, next: rows.length > limit && last ? { atMs: last.at, id: last.id } : undefined };
    },
    record: (change) => db.transaction().execute((trx) => journal(trx, change)),
    async prune(before) {
      await db.deleteFrom('audit_log').where('at_ms', '<', before).execute();
    },
  };
}

function entryOf(row: Selectable<AuditTable>): AuditEntry {
  return {
    id: row.id,
    at: row.at_ms as EpochMs,
    actor: row.actor,
    action: row.action,
    subject: { kind: row.subject_kind, id: row.subject_id },
    summary: row.summary,
    details: JSON.parse(row.details) as Record<string, unknown>,
  };
}
