import type { Selectable } from 'kysely';
import type { EpochMs } from '../clock.ts';
import type { ApiKeyTable, Database, KeyStatus } from './schema.ts';
import { StoreError } from './store-error.ts';

/** A key as people manage it. Neither its text nor its digest is here. */
export interface KeyRecord {
  readonly id: string;
  readonly accountId: string;
  readonly label: string;
  readonly lastFour: string;
  readonly status: KeyStatus;
  readonly createdAt: EpochMs;
  /** The first instant at which the key is no longer valid; `undefined` for never. */
  readonly expiresAt: EpochMs | undefined;
  /** `undefined`: the configured limit holds. */
  readonly limitPerMinute: number | undefined;
  /** The key that took over in a rotation. */
  readonly replacedBy: string | undefined;
}

export interface KeyWithAccount extends KeyRecord {
  readonly accountEmail: string;
  readonly accountActive: boolean;
}

export function keyRecordOf(row: Selectable<ApiKeyTable>): KeyRecord {
  return {
    id: row.id,
    accountId: row.account_id,
    label: row.label,
    lastFour: row.last_four,
    status: row.status,
    createdAt: row.created_at_ms as EpochMs,
    expiresAt: (row.expires_at_ms ?? undefined) as EpochMs | undefined,
    limitPerMinute: row.limit_per_minute ?? undefined,
    replacedBy: row.replaced_by ?? undefined,
  };
}

export function keyWithAccountOf(
  row: Selectable<ApiKeyTable> & { account_email: string; account_active: number },
): KeyWithAccount {
  return { ...keyRecordOf(row), accountEmail: row.account_email, accountActive: row.account_active === 1 };
}

export function unknownKey(id: string): StoreError {
  return new StoreError('key_unknown', `There is no key ${id}.`);
}

export function revokedKey(id: string): StoreError {
  return new StoreError('key_revoked', `The key ${id} is revoked, which is final. Create a new key.`);
}

export function digestTaken(): StoreError {
  return new StoreError('digest_taken', 'This key is stored already. Generate another one.');
}

/** For queries that read a key together with its account. */
export function selectWithAccount(db: Database) {
  return db
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
    .selectAll('api_keys')
    .select(['accounts.email as account_email', 'accounts.active as account_active']);
}

/** What the audit log keeps of a key. */
export function keyDetails({ accountId, label, lastFour, expiresAt, limitPerMinute }: KeyRecord) {
  return {
    accountId,
    label,
    lastFour,
    expiresAtMs: expiresAt ?? null,
    limitPerMinute: limitPerMinute ?? null,
  };
}

/** The label of a key as the end of a sentence; nothing for a key without one. */
export function labelled({ label }: Pick<KeyRecord, 'label'>): string {
  return label === '' ? '' : ` ("${label}")`;
}
