import type { Clock, EpochMs, Randomness } from '../clock.ts';
import { type AccessEntry, accessPages } from './access-pages.ts';
import { unknownAccount } from './accounts.ts';
import type { Journal } from './audit.ts';
import { locked } from './engine.ts';
import { newId } from './ids.ts';
import { type KeyPage, type KeyPageOptions, keyPage } from './key-pages.ts';
import {
  digestTaken,
  type KeyRecord,
  type KeyWithAccount,
  keyDetails,
  keyRecordOf,
  keyWithAccountOf,
  labelled,
  revokedKey,
  selectWithAccount,
  unknownKey,
} from './key-record.ts';
import { assertNewKey, type NewKey } from './key-rules.ts';
import { type KeyRotation, type RotatedKey, rotateKey } from './rotate-key.ts';
import type { Database, KeyStatus } from './schema.ts';

export type { KeyPage, KeyPageOptions } from './key-pages.ts';
export type { KeyRecord, KeyWithAccount } from './key-record.ts';
export type { NewKey } from './key-rules.ts';
export type { KeyRotation, RotatedKey } from './rotate-key.ts';
export type { KeyStatus } from './schema.ts';

export interface Keys {
  /** Throws `account_unknown`, `digest_taken` and the reasons of `assertNewKey`. */
  insert(key: NewKey): Promise<KeyRecord>;
  /** Oldest first. */
  list(filter?: { readonly accountId?: string | undefined }): Promise<readonly KeyWithAccount[]>;
  /** Latest first. `next` is where the next page begins; a page of a search can be short although there is one. */
  page(options: KeyPageOptions): Promise<KeyPage>;
  get(id: string): Promise<KeyWithAccount | undefined>;
  /** Those of the keys that exist, in any order. At most 1,000 ids. */
  getMany(ids: readonly string[]): Promise<readonly KeyWithAccount[]>;
  /** The SHA-256 of those of the keys that exist, by which a server knows them in memory. At most 1,000 ids. */
  digestsOf(ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
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

export function keysIn(db: Database, clock: Clock, randomness: Randomness, journal: Journal): Keys {
  return {
    insert: (key) => insertKey(db, clock.now(), newId('key', randomness), key, journal),
    async list(filter) {
      const accountId = filter?.accountId;
      const all = selectWithAccount(db).orderBy('api_keys.seq');
      const rows = await (accountId === undefined ? all : all.where('account_id', '=', accountId)).execute();
      return rows.map(keyWithAccountOf);
    },
    page: (options) => keyPage(db, options),
    async get(id) {
      const row = await selectWithAccount(db).where('api_keys.id', '=', id).executeTakeFirst();
      return row === undefined ? undefined : keyWithAccountOf(row);
    },
    async getMany(ids) {
      if (ids.length === 0) return [];
      const rows = await selectWithAccount(db)
        .where('api_keys.id', 'in', [...ids])
        .execute();
      return rows.map(keyWithAccountOf);
    },
    async digestsOf(ids) {
      if (ids.length === 0) return new Map();
      const rows = await db
        .selectFrom('api_keys')
        .select(['id', 'digest'])
        .where('id', 'in', [...ids])
        .execute();
      return new Map(rows.map(({ id, digest }) => [id, digest]));
    },
    setStatus: (id, status) => setKeyStatus(db, id, status, journal),
    rotate: (id, rotation) =>
      rotateKey(db, { now: clock.now(), newKeyId: newId('key', randomness), journal }, id, rotation),
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

async function insertKey(db: Database, now: EpochMs, id: string, key: NewKey, journal: Journal): Promise<KeyRecord> {
  assertNewKey(key, now);
  return db.transaction().execute(async (trx) => {
    const account = await trx.selectFrom('accounts').select('email').where('id', '=', key.accountId).executeTakeFirst();
    if (account === undefined) throw unknownAccount(key.accountId);
    const row = await trx
      .insertInto('api_keys')
      .values({
        id,
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
    const record = keyRecordOf(row);
    await journal(trx, {
      action: 'key.create',
      subject: { kind: 'key', id },
      summary: `Made a key for ${account.email}${labelled(record)}.`,
      details: keyDetails(record),
    });
    return record;
  });
}

const statusChanges = {
  active: { action: 'key.enable', verb: 'Enabled' },
  disabled: { action: 'key.disable', verb: 'Disabled' },
  revoked: { action: 'key.revoke', verb: 'Revoked' },
} as const;

function setKeyStatus(db: Database, id: string, status: KeyStatus, journal: Journal): Promise<KeyRecord> {
  return db.transaction().execute(async (trx) => {
    const asked = selectWithAccount(trx).where('api_keys.id', '=', id);
    const before = await locked(trx, asked, 'api_keys').executeTakeFirst();
    if (before === undefined) throw unknownKey(id);
    if (before.status === status) return keyRecordOf(before);
    if (before.status === 'revoked') throw revokedKey(id);
    const row = await trx
      .updateTable('api_keys')
      .set({ status })
      .where('id', '=', id)
      .where('status', '<>', 'revoked')
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) throw revokedKey(id);
    const record = keyRecordOf(row);
    const { action, verb } = statusChanges[status];
    const summary = `${verb} the key ending in ${record.lastFour} of ${before.account_email}${labelled(record)}.`;
    await journal(trx, { action, subject: { kind: 'key', id }, summary, details: keyDetails(record) });
    return record;
  });
}
