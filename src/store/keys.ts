import type { Selectable, Updateable } from 'kysely';
import type { KeyEntry } from '../access/key-records.ts';
import type { EpochMs } from '../ground/clock.ts';
import { accessPages } from './access.ts';
import { accountUnknown } from './accounts.ts';
import {
  assertKeyFields,
  type KeyChange,
  type KeyRecord,
  type KeyWithAccount,
  keyDetails,
  keyRecordOf,
  keyUnknown,
  labelled,
  type NewKey,
} from './key-record.ts';
import { mapPage, type Page, type PageOptions, searchPage } from './paging.ts';
import type { ApiKeyTable, Database, KeyStatus } from './schema.ts';
import { newId, StorePart } from './store-context.ts';
import { StoreError, type StoreErrorValues } from './store-error.ts';

/** The position is the number of the last key of the page before. Keys made later never move it. */
interface KeyPageOptions extends PageOptions<number> {
  readonly accountId?: string | undefined;
  readonly status?: KeyStatus | undefined;
  /** A part of the label or of the account's e-mail address in any case, the last four characters, or a whole id. */
  readonly query?: string | undefined;
}

/** The new key's own values; its expiry is the old key's when left out. */
interface KeyRotation extends Pick<NewKey, 'digest' | 'lastFour' | 'expiresAt'> {
  /** How long both keys are valid, from now on; 0 ends the old one at once. */
  readonly overlapMs: number;
}

interface RotatedKey {
  readonly old: KeyRecord;
  readonly replacement: KeyRecord;
}

const statusChanges = {
  active: { action: 'key.enable', verb: 'Enabled' },
  disabled: { action: 'key.disable', verb: 'Disabled' },
  revoked: { action: 'key.revoke', verb: 'Revoked' },
} as const;

export class Keys extends StorePart {
  /** Throws `account_unknown` and the reasons of `assertKeyFields`. */
  async insert(key: NewKey): Promise<KeyRecord> {
    const { db, clock, randomness, audit } = this.context;
    const now = clock.now();
    assertKeyFields(key, now);
    const id = newId('key', randomness);
    return db.transaction().execute(async (trx) => {
      const account = await trx
        .selectFrom('accounts')
        .select('email')
        .where('id', '=', key.accountId)
        .executeTakeFirst();
      if (account === undefined) throw accountUnknown({ id: key.accountId });
      const record = await insertKey(trx, id, key, now);
      await audit(trx, {
        action: 'key.create',
        subject: { kind: 'key', id },
        summary: `Made a key for ${account.email}${labelled(record)}.`,
        details: { ...keyDetails(record), email: account.email },
      });
      return record;
    });
  }

  /** Revoking is final: any other status for a revoked key throws `key_revoked`. Throws `key_unknown`. */
  setStatus(id: string, status: KeyStatus): Promise<KeyRecord> {
    const { db, audit } = this.context;
    return db.transaction().execute(async (trx) => {
      const { before, email } = await lockKey(trx, id);
      if (before.status === status) return before;
      if (before.status === 'revoked') throw keyRevoked({ id });
      const record = await updateKey(trx, id, { status });
      const { action, verb } = statusChanges[status];
      const summary = `${verb} ${named(record, email)}.`;
      const details = { ...keyDetails(record), email };
      await audit(trx, { action, subject: { kind: 'key', id }, summary, details });
      return record;
    });
  }

  /** Throws `key_unknown`, `key_revoked`, `label_invalid`, `expiry_not_in_future` and `limit_invalid`. */
  async update(id: string, change: KeyChange): Promise<KeyRecord> {
    const { db, clock, audit } = this.context;
    assertKeyFields(change, clock.now());
    const { label, expiresAt: expires_at_ms, limitPerMinute: limit_per_minute } = change;
    return db.transaction().execute(async (trx) => {
      const { before, email } = await lockKey(trx, id);
      if (before.status === 'revoked') throw keyRevoked({ id });
      const columns = { label, expires_at_ms, limit_per_minute };
      if (Object.values(columns).every((value) => value === undefined)) return before;
      const record = await updateKey(trx, id, columns);
      const summary = `Changed ${named(record, email)}.`;
      const details = { ...keyDetails(record), email, before: keyDetails(before) };
      await audit(trx, { action: 'key.update', subject: { kind: 'key', id }, summary, details });
      return record;
    });
  }

  /**
   * Makes a second key with the account, label and limit of the first, which expires at the end of the overlap. Without
   * one it is revoked: a server whose clock is behind would go on taking it. Both are written in one transaction.
   * Throws `key_unknown`, `key_revoked`, `key_not_active` (disabled or expired), `key_already_rotated`,
   * `overlap_in_past`.
   */
  async rotate(id: string, { digest, lastFour, overlapMs, expiresAt }: KeyRotation): Promise<RotatedKey> {
    const { db, clock, randomness, audit } = this.context;
    const now = clock.now();
    assertKeyFields({ expiresAt }, now);
    if (overlapMs < 0) throw overlapInPast();
    const newKeyId = newId('key', randomness);
    return db.transaction().execute(async (trx) => {
      const { before } = await lockKey(trx, id);
      assertCanRotate(before, now);
      const key = { ...before, digest, lastFour, expiresAt: expiresAt ?? before.expiresAt };
      const replacement = await insertKey(trx, newKeyId, key, now);
      const until = Math.min(before.expiresAt ?? Number.POSITIVE_INFINITY, now + overlapMs) as EpochMs;
      const status = overlapMs > 0 ? before.status : 'revoked';
      const old = await updateKey(trx, id, { replaced_by: newKeyId, expires_at_ms: until, status });
      await audit(trx, {
        action: 'key.rotate',
        subject: { kind: 'key', id },
        summary: `Replaced the key ending in ${old.lastFour}${labelled(old)} by ${newKeyId}.`,
        details: {
          replacedBy: newKeyId,
          replacedLastFour: old.lastFour,
          oldExpiresAtMs: until,
          ...keyDetails(replacement),
        },
      });
      return { old, replacement };
    });
  }

  async get(id: string): Promise<KeyWithAccount | undefined> {
    const row = await selectWithAccount(this.context.db).where('api_keys.id', '=', id).executeTakeFirst();
    return row && keyWithAccountOf(row);
  }

  /** Gives the keys that exist, in any order. At most 1,000 ids. */
  async getMany(ids: readonly string[]): Promise<readonly KeyWithAccount[]> {
    if (ids.length === 0) return [];
    return (await selectWithAccount(this.context.db).where('api_keys.id', 'in', ids).execute()).map(keyWithAccountOf);
  }

  /** The SHA-256 of those of the keys that exist, by which a server knows them in memory. At most 1,000 ids. */
  async digestsOf(ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    if (ids.length === 0) return new Map();
    const chosen = this.context.db.selectFrom('api_keys').select(['id', 'digest']).where('id', 'in', ids);
    return new Map((await chosen.execute()).map(({ id, digest }) => [id, digest]));
  }

  /** Oldest first. */
  async list({ accountId }: Pick<KeyPageOptions, 'accountId'> = {}): Promise<readonly KeyWithAccount[]> {
    const chosen = selectFiltered(this.context.db, { accountId }).orderBy('api_keys.seq');
    return (await chosen.execute()).map(keyWithAccountOf);
  }

  /** Latest first. */
  async page(options: KeyPageOptions): Promise<Page<KeyWithAccount, number>> {
    const { limit, after, query } = options;
    const filtered = selectFiltered(this.context.db, options);
    const latest = filtered.orderBy('api_keys.seq', 'desc');
    const list = {
      limit,
      after,
      read: (from: number | undefined, count: number) =>
        (from === undefined ? latest : latest.where('api_keys.seq', '<', from)).limit(count).execute(),
      positionOf: ({ seq }: KeyRow) => seq,
    };
    const page = await searchPage<KeyRow, number>(list, {
      query,
      withId: (id) => filtered.where('api_keys.id', '=', id).execute(),
      matches: ({ label, last_four, account_email }, wanted) =>
        last_four === wanted ||
        [label, account_email].some((text) => text.toLowerCase().includes(wanted.toLowerCase())),
    });
    return mapPage(page, keyWithAccountOf);
  }

  /** Every key that is not revoked, in pages, for a server's directory. Lets other work run between two pages. */
  accessPages(pageSize?: number): AsyncIterable<readonly KeyEntry[]> {
    return accessPages(this.context.db, pageSize);
  }

  /**
   * Gives how many keys `accessPages` can give at most, give or take those written meanwhile. Found without counting.
   */
  async countAccessMax(): Promise<number> {
    const { db } = this.context;
    const latest = db.selectFrom('api_keys').select(({ fn }) => fn.max<number | null>('seq').as('seq'));
    return (await latest.executeTakeFirst())?.seq ?? 0;
  }
}

type KeyRow = Selectable<ApiKeyTable> & { readonly account_email: string; readonly account_active: number };

function selectWithAccount(db: Database) {
  return db
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
    .selectAll('api_keys')
    .select(['accounts.email as account_email', 'accounts.active as account_active']);
}

/** The key as it is, and the address of its account. Throws `key_unknown`. */
async function lockKey(trx: Database, id: string): Promise<{ before: KeyRecord; email: string }> {
  const key = await selectWithAccount(trx).where('api_keys.id', '=', id).forUpdate('api_keys').executeTakeFirst();
  if (key === undefined) throw keyUnknown({ id });
  const { account_email: email, account_active: _, ...row } = key;
  return { before: keyRecordOf(row), email };
}

async function insertKey(trx: Database, id: string, key: NewKey, now: EpochMs): Promise<KeyRecord> {
  const inserted = trx.insertInto('api_keys').values({
    id,
    account_id: key.accountId,
    label: key.label ?? '',
    digest: key.digest,
    last_four: key.lastFour,
    created_at_ms: now,
    expires_at_ms: key.expiresAt ?? null,
    limit_per_minute: key.limitPerMinute ?? null,
  });
  return keyRecordOf(await inserted.returningAll().executeTakeFirstOrThrow());
}

/** Updates a key; what is undefined stays. */
async function updateKey(trx: Database, id: string, change: Updateable<ApiKeyTable>): Promise<KeyRecord> {
  const changed = trx.updateTable('api_keys').set(change).where('id', '=', id).returningAll();
  return keyRecordOf(await changed.executeTakeFirstOrThrow());
}

function named(key: KeyRecord, email: string): string {
  return `the key ending in ${key.lastFour} of ${email}${labelled(key)}`;
}

function assertCanRotate({ id, status, replacedBy, expiresAt }: KeyRecord, now: EpochMs): void {
  if (status === 'revoked') throw keyRevoked({ id });
  if (replacedBy !== undefined) throw keyAlreadyRotated({ id, replacedBy });
  if (status === 'disabled') throw keyDisabled({ id });
  if (expiresAt !== undefined && expiresAt <= now) throw keyExpired({ id });
}

function selectFiltered(db: Database, { accountId, status }: Pick<KeyPageOptions, 'accountId' | 'status'>) {
  let query = selectWithAccount(db);
  if (accountId !== undefined) query = query.where('api_keys.account_id', '=', accountId);
  if (status !== undefined) query = query.where('api_keys.status', '=', status);
  return query;
}

function keyWithAccountOf({ account_email, account_active, ...row }: KeyRow): KeyWithAccount {
  return { ...keyRecordOf(row), accountEmail: account_email, accountActive: account_active === 1 };
}

export function keyRevoked(values: StoreErrorValues['key_revoked']) {
  return new StoreError('key_revoked', values, `The key ${values.id} is revoked, which is final. Create a new key.`);
}

export function keyAlreadyRotated(values: StoreErrorValues['key_already_rotated']) {
  const message = `The key ${values.id} was rotated already; ${values.replacedBy} replaced it.`;
  return new StoreError('key_already_rotated', values, message);
}

export function keyDisabled(values: StoreErrorValues['key_not_active.disabled']) {
  const message = `The key ${values.id} is disabled. Enable it first, or create a new key.`;
  return new StoreError('key_not_active.disabled', values, message);
}

export function keyExpired(values: StoreErrorValues['key_not_active.expired']) {
  return new StoreError('key_not_active.expired', values, `The key ${values.id} has expired. Create a new key.`);
}

export function overlapInPast() {
  return new StoreError('overlap_in_past', {}, 'The overlap of a rotation must not end in the past.');
}
