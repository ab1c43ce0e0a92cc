import { type AccessEntry, accessEntryOf, usable } from './access-pages.ts';
import type { Database } from './schema.ts';

declare const changeCursor: unique symbol;

/** A place in the sequence of changes. Opaque: only for handing back. */
export type ChangeCursor = number & { readonly [changeCursor]: true };

export interface AccessChange {
  readonly digest: Uint8Array;
  /** How the key stands now; `undefined` when it was revoked or is gone. */
  readonly entry: AccessEntry | undefined;
}

export type AccessChangePage =
  | {
      readonly kind: 'changes';
      readonly changes: readonly AccessChange[];
      /** Read on from here. */
      readonly cursor: ChangeCursor;
      /** There may be more: read again at once. */
      readonly more: boolean;
    }
  /** Changes after the cursor are no longer there (pruned, or an older backup was put back): load everything again. */
  | { readonly kind: 'gap' };

/** What happened to keys and accounts, written down by triggers, whichever program made the change. */
export interface AccessChanges {
  /** The place after the latest change. Take it before loading everything, then read on from it. */
  latest(): Promise<ChangeCursor>;
  /** Changes after the cursor, oldest first, with the state of each key as it is now. */
  since(cursor: ChangeCursor, pageSize?: number): Promise<AccessChangePage>;
  /** Drops all but the latest changes. A server that had not read them yet loads everything again. */
  prune(keepLatest: number): Promise<void>;
}

const defaultPageSize = 1_000;

export function accessChangesIn(db: Database): AccessChanges {
  return {
    latest: () => latestCursor(db),
    since: (cursor, pageSize = defaultPageSize) => changesSince(db, cursor, pageSize),
    async prune(keepLatest) {
      // The latest row always stays: it tells a reader apart who is up to date from one who missed everything.
      const upTo = (await latestCursor(db)) - Math.max(1, keepLatest);
      if (upTo > 0) await db.deleteFrom('access_changes').where('seq', '<=', upTo).execute();
    },
  };
}

async function latestCursor(db: Database): Promise<ChangeCursor> {
  const row = await db
    .selectFrom('access_changes')
    .select(({ fn }) => fn.max<number | null>('seq').as('latest'))
    .executeTakeFirst();
  return (row?.latest ?? 0) as ChangeCursor;
}

async function changesSince(db: Database, cursor: ChangeCursor, pageSize: number): Promise<AccessChangePage> {
  const rows = await db
    .selectFrom('access_changes')
    .leftJoin('api_keys', (join) =>
      join.onRef('api_keys.digest', '=', 'access_changes.digest').on('api_keys.status', '<>', 'revoked'),
    )
    .leftJoin('accounts', 'accounts.id', 'api_keys.account_id')
    .select(['access_changes.seq', 'access_changes.digest', 'api_keys.id', 'expires_at_ms', 'limit_per_minute'])
    .select(usable.as('usable'))
    .where('access_changes.seq', '>', cursor)
    .orderBy('access_changes.seq')
    .limit(pageSize)
    .execute();
  const first = rows[0];
  if (first === undefined) return (await latestCursor(db)) < cursor ? { kind: 'gap' } : nothingSince(cursor);
  if (first.seq !== cursor + 1) return { kind: 'gap' };
  const changes = rows.map(({ digest, id, ...rest }) => ({
    digest,
    entry: id === null ? undefined : accessEntryOf({ ...rest, digest, id }),
  }));
  return { kind: 'changes', changes, cursor: rows.at(-1)!.seq as ChangeCursor, more: rows.length === pageSize };
}

function nothingSince(cursor: ChangeCursor): AccessChangePage {
  return { kind: 'changes', changes: [], cursor, more: false };
}
