import type { Selectable, SqlBool } from 'kysely';
import type { Clock, EpochMs, Randomness } from '../ground/clock.ts';
import { sql } from './kysely.ts';
import { type ListPosition, mapPage, type Page, type PageOptions, readPage } from './paging.ts';
import { type RecordOf, recordOf } from './record.ts';
import type { AuditTable } from './schema.ts';
import { type Audit, type AuditChange, newId, StorePart } from './store-context.ts';

export type AuditEntry = Required<AuditChange> & Pick<RecordOf<AuditTable>, 'id' | 'at' | 'actor'>;

interface AuditPageOptions extends PageOptions<ListPosition> {
  /** Only what is about this one. */
  readonly subjectId?: string | undefined;
  readonly actor?: string | undefined;
  /** How the action begins: `key.`. */
  readonly action?: string | undefined;
  readonly from?: EpochMs | undefined;
  /** Not part of it. */
  readonly to?: EpochMs | undefined;
}

const countLength = 6;
const idsPerQuery = 1_000;

/** Actions that make keys and windows vanish that were there. */
const takingActions = [
  ...['key.revoke', 'key.disable', 'account.deactivate', 'account.erase'],
  ...['window.cancel', 'window.end'],
] as const;

/**
 * Makes what writes the changes of each actor of a process into the audit log. Ids of one process count up, so that
 * entries of the same millisecond keep their order: `aud_`, a count in hexadecimal, and random characters that make the
 * id unique.
 */
export function auditsOf(clock: Pick<Clock, 'now'>, randomness: Randomness): (actor: string) => Audit {
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

export class AuditLog extends StorePart {
  /** Latest first. */
  async page({ limit, after, ...wanted }: AuditPageOptions): Promise<Page<AuditEntry, ListPosition>> {
    const { db } = this.context;
    const read = (from: ListPosition | undefined, count: number) => {
      let query = db.selectFrom('audit_log').selectAll().orderBy('at_ms', 'desc').orderBy('id', 'desc').limit(count);
      if (wanted.subjectId !== undefined) query = query.where('subject_id', '=', wanted.subjectId);
      if (wanted.actor !== undefined) query = query.where('actor', '=', wanted.actor);
      if (wanted.action !== undefined) {
        query = query.where(({ eb, ref }) => eb(ref('action').$castTo<string>(), 'like', `${wanted.action}%`));
      }
      if (wanted.from !== undefined) query = query.where('at_ms', '>=', wanted.from);
      if (wanted.to !== undefined) query = query.where('at_ms', '<', wanted.to);
      if (from !== undefined) query = query.where(sql<SqlBool>`(at_ms, id) < (${from.atMs}, ${from.id})`);
      return query.execute();
    };
    const page = await readPage({ limit, after, read, positionOf: ({ at_ms, id }) => ({ atMs: at_ms, id }) });
    return mapPage(page, entryOf);
  }

  /** For what is no change of the store: a sign-in, or a refused one. Changes record themselves. */
  record(change: AuditChange): Promise<void> {
    const { db, audit } = this.context;
    return db.transaction().execute((trx) => audit(trx, change));
  }

  /** Finds which of the keys and windows an operator took away, the key itself or its account. */
  async namedOf(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const { db } = this.context;
    const named = new Set<string>();
    for (let start = 0; start < ids.length; start += idsPerQuery) {
      const some = ids.slice(start, start + idsPerQuery);
      const own = db
        .selectFrom('audit_log')
        .select('subject_id as id')
        .where('subject_id', 'in', some)
        .where('action', 'in', takingActions);
      const ofAccounts = db
        .selectFrom('api_keys')
        .innerJoin('audit_log', 'audit_log.subject_id', 'api_keys.account_id')
        .select('api_keys.id as id')
        .where('api_keys.id', 'in', some)
        .where('action', 'in', takingActions);
      for (const { id } of await own.union(ofAccounts).execute()) named.add(id);
    }
    return named;
  }

  /** Drops the entries made before an instant. */
  async prune(before: EpochMs): Promise<void> {
    await this.context.db.deleteFrom('audit_log').where('at_ms', '<', before).execute();
  }
}

function entryOf(row: Selectable<AuditTable>): AuditEntry {
  const { subjectKind: kind, subjectId, summary, details, ...entry } = recordOf(row);
  return { ...entry, subject: { kind, id: subjectId }, summary, details: JSON.parse(details) };
}
