import type { Clock, Randomness } from '../clock.ts';
import { type AccessEntry, accessPages } from './access-pages.ts';
import { unknownAccount } from './accounts.ts';
import { newId } from './ids.ts';
import {
  digestTaken,
  type KeyRecord,
  type KeyWithAccount,
  keyRecordOf,
  keyWithAccountOf,
  revokedKey,
  unknownKey,
} from './key-record.ts';
import { assertNewKey, type NewKey } from './key-rules.ts';
import { type KeyRotation, type RotatedKey, rotateKey } from './rotate-key.ts';
import type { Database, KeyStatus } from './schema.ts';

export type { KeyRecord, KeyWithAccount } from './key-record.ts';
export type { NewKey } from './key-rules.ts';
export type { KeyRotation, RotatedKey } from './rotate-key.ts';
export type { KeyStatus } from './schema.ts';

export interface Keys {
  /** Throws `account_unknown`, `digest_taken` and the reasons of `assertNewKey`. */
  insert(key: NewKey): Promise<KeyRecord>;
  /** Oldest first. */
  list(filter?: { readonly accountId?: string | undefined }): Promise<readonly KeyWithAccount[]>;
  get(id: string): Promise<KeyWithAccount | undefined>;
  /** Revoking is final: any other status for a revoked key throws `key_revoked`. Throws `key_unknown`. */
  setStatus(id: string, status: KeyStatus): Promise<KeyRecord>;
  /**
   * Makes a second key with the account, label and limit of the first, which expires at the end of the overlap.
   * Throws `key_unknown`, `key_revoked`, `key_not_active` (disabled or expired), `key_already_rotated`, `overlap_in_past`.
   */
  rotate(id: string, rotation: KeyRotation): Promise<RotatedKey>;
  /** Every key that is not revoked, in pages, for a server's directory. Lets other work run between two pages. */
  accessPages(pageSize?: number): AsyncIterable<readonly AccessEntry[]>;
  /** As many keys as `accessPages` can give at most, give or take those written meanwhile. Found without counting. */
  countAccessMax(): Promise<number>;
}

export function keysIn(db: Database, clock: Clock, randomness: Randomness): Keys {
  return {
    insert: (key) => insertKey(db, clock, randomness, key),
    async list(filter) {
      const accountId = filter?.accountId;
      const all = selectWithAccount(db).orderBy('api_keys.seq');
      const rows = await (accountId === undefined ? all : all.where('account_id', '=', accountId)).execute();
      return rows.map(keyWithAccountOf);
    },
    async get(id) {
      const row = await selectWithAccount(db).where('api_keys.id', '=', id).executeTakeFirst();
      return row === undefined ? undefined : keyWithAccountOf(row);
    },
    setStatus: (id, status) => setKeyStatus(db, id, status),
    rotate: (id, rotation) => rotateKey(db, clock.now(), newId('key', randomness), id, rotation),
    accessPages: (pageSize) => accessPages(db, pageSize),
    async countAccessMax() {
      const row = await db
        .selectFrom('api_keys')
        .select(({ fn }) => fn.max<number | null>('seq').as('latest'))
        .executeTakeFirst();
      return row?.latest ?? 0;
    },
  };
}

async function insertKey(db: Database, clock: Clock, randomness: Randomness, key: NewKey): Promise<KeyRecord> {
  const now = clock.now();
  assertNewKey(key, now);
  return db.transaction().execute(async (trx) => {
    const account = await trx.selectFrom('accounts').select('id').where('id', '=', key.accountId).executeTakeFirst();
    if (account === undefined) throw unknownAccount(key.accountId);
    const row = await trx
      .insertInto('api_keys')
      .values({
        id: newId('key', randomness),
        account_id: key.accountId,
        label: key.label ?? '',
        digest: key.digest,
        last_four: key.lastFour,
        created_at_ms: now,
        expires_at_ms: key.expiresAt ?? null,
        limit_per_minute: key.limitPerMinute ?? null,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) throw digestTaken();
    return keyRecordOf(row);
  });
}

async function setKeyStatus(db: Database, id: string, status: KeyStatus): Promise<KeyRecord> {
  const change = db.updateTable('api_keys').set({ status }).where('id', '=', id);
  const guarded = status === 'revoked' ? change : change.where('status', '<>', 'revoked');
  const row = await guarded.returningAll().executeTakeFirst();
  if (row !== undefined) return keyRecordOf(row);
  const found = await db.selectFrom('api_keys').select('id').where('id', '=', id).executeTakeFirst();
  throw found === undefined ? unknownKey(id) : revokedKey(id);
}

function selectWithAccount(db: Database) {
  return db
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
    .selectAll('api_keys')
    .select(['accounts.email as account_email', 'accounts.active as account_active']);
}
