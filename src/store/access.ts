import type { RawBuilder, Selectable } from 'kysely';
import type { KeyEntry } from '../access/key-records.ts';
import { sql } from './kysely.ts';
import type { ApiKeyTable, Database } from './schema.ts';
import { type Engine, engineOf, StorePart, yieldToEvents } from './store-context.ts';

declare const changeCursor: unique symbol;

/** A place in the sequence of changes. Opaque: only for handing back. */
export type ChangeCursor = number & { readonly [changeCursor]: true };

const changesPerPage = 1_000;

/** Changes of keys and accounts, written by triggers, whichever program made the change. */
export class AccessChanges extends StorePart {
  /** The place after the latest change. Take it before loading everything, then read on from it. */
  async latest(): Promise<ChangeCursor> {
    const latest = this.context.db
      .selectFrom('access_changes')
      .select(({ fn }) => fn.max<number | null>('seq').as('seq'));
    return ((await latest.executeTakeFirst())?.seq ?? 0) as ChangeCursor;
  }

  /**
   * Changes after the cursor, oldest first, with the state of each key as it is now: `undefined` when it was revoked or
   * is gone. With `more` there may be more: read again at once, from the new cursor. `gap`: changes are gone (pruned,
   * or an older backup was restored), load everything again.
   */
  async since(cursor: ChangeCursor, pageSize: number = changesPerPage) {
    const rows = await this.context.db
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
    const isGap = first === undefined ? (await this.latest()) < cursor : first.seq !== cursor + 1;
    if (isGap) return { kind: 'gap' } as const;
    const changes = rows.map(({ id, ...row }) => ({
      digest: row.digest,
      entry: id === null ? undefined : accessEntryOf({ ...row, id }, row.digest),
    }));
    const last = (rows.at(-1)?.seq ?? cursor) as ChangeCursor;
    return { kind: 'changes', changes, cursor: last, more: rows.length === pageSize } as const;
  }

  /** The operator accepts what vanished: every server takes what it holds back. */
  acceptLosses(): Promise<void> {
    const { db, clock, audit } = this.context;
    return db.transaction().execute(async (trx) => {
      const accepted = trx.updateTable('change_versions').set({ version: clock.now() });
      await accepted.where('topic', '=', 'losses_accepted').execute();
      const summary = 'Accepted that keys and windows vanished from the store.';
      await audit(trx, { action: 'store.accept', subject: { kind: 'store', id: 'store' }, summary });
    });
  }

  /** Drops all but the latest changes. A server that had not read them yet loads everything again. */
  async prune(keepLatest: number): Promise<void> {
    // The latest row always stays: it distinguishes a reader who is up to date from one who missed everything.
    const upTo = (await this.latest()) - Math.max(1, keepLatest);
    if (upTo > 0) await this.context.db.deleteFrom('access_changes').where('seq', '<=', upTo).execute();
  }
}

/**
 * Small, because a page's rows are garbage a moment later: larger pages make V8 hold more memory for good. From a
 * server each page costs a round trip, and comes in pieces that block nothing else.
 */
const keysPerPage: Readonly<Record<Engine, number>> = { sqlite: 1_000, postgres: 5_000 };

/**
 * The digest as text: bytes come in an ArrayBuffer each, and a million of those cost more time and memory than the
 * rest.
 */
const digestHex: Readonly<Record<Engine, RawBuilder<string>>> = {
  sqlite: sql<string>`hex(api_keys.digest)`,
  postgres: sql<string>`encode(api_keys.digest, 'hex')`,
};

/** See `Keys.accessPages`. A page of the default size from SQLite blocks the thread for some 3 ms. */
export async function* accessPages(
  db: Database,
  pageSize: number = keysPerPage[engineOf(db)],
): AsyncGenerator<readonly KeyEntry[]> {
  for (let after = 0; ; ) {
    const rows = await db
      .selectFrom('api_keys')
      .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
      .select(['api_keys.seq', 'api_keys.id', 'expires_at_ms', 'limit_per_minute'])
      .select([usable.as('usable'), digestHex[engineOf(db)].as('digest')])
      .where('api_keys.seq', '>', after)
      .where('status', '<>', 'revoked')
      .orderBy('api_keys.seq')
      .limit(pageSize)
      .execute();
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.seq;
    yield rows.map((row) => accessEntryOf(row, bytesOf(row.digest)));
    await yieldToEvents();
  }
}

/** 1 when a key and its account are both active. For queries that join the two. */
const usable = sql<number>`case when api_keys.status = 'active' and accounts.active = 1 then 1 else 0 end`;

type AccessRow = Pick<Selectable<ApiKeyTable>, 'id' | 'expires_at_ms' | 'limit_per_minute'> & {
  readonly usable: number;
};

function accessEntryOf(row: AccessRow, digest: Uint8Array): KeyEntry {
  return {
    digest,
    keyId: row.id,
    usable: row.usable === 1,
    expiresAt: row.expires_at_ms ?? undefined,
    limitPerMinute: row.limit_per_minute ?? undefined,
  };
}

/** Such a small array is kept on the JavaScript heap as long as its buffer is not read. */
function bytesOf(hex: string): Uint8Array {
  const bytes = new Uint8Array(hex.length / 2);
  bytes.setFromHex(hex);
  return bytes;
}
