import type { Selectable } from 'kysely';
import type { EpochMs } from '../clock.ts';
import { locked } from './engine.ts';
import {
  assertNewKey,
  digestTaken,
  type KeyRecord,
  keyDetails,
  keyRecordOf,
  labelled,
  revokedKey,
  unknownKey,
} from './key-record.ts';
import type { ApiKeyTable } from './schema.ts';
import { newId, type StoreContext } from './store-context.ts';
import { StoreError } from './store-error.ts';

export interface KeyRotation {
  /** The SHA-256 of the new key's text. */
  readonly digest: Uint8Array;
  readonly lastFour: string;
  /** How long both keys are valid, from now on; 0 ends the old one at once. */
  readonly overlapMs: number;
  /** Expiry of the new key; the old key's own expiry when left out. */
  readonly expiresAt?: EpochMs | undefined;
}

export interface RotatedKey {
  readonly old: KeyRecord;
  readonly replacement: KeyRecord;
}

/** See `Keys.rotate`. Both keys are written in one transaction: there is never a moment without a valid one. */
export async function rotateKey(
  { db, clock, randomness, journal }: StoreContext,
  id: string,
  rotation: KeyRotation,
): Promise<RotatedKey> {
  const now = clock.now();
  assertNewKey(rotation, now);
  if (rotation.overlapMs < 0) {
    throw new StoreError('overlap_in_past', 'The overlap of a rotation must not end in the past.');
  }
  const overlapUntil = (now + rotation.overlapMs) as EpochMs;
  const newKeyId = newId('key', randomness);
  return db.transaction().execute(async (trx) => {
    const asked = trx.selectFrom('api_keys').selectAll().where('id', '=', id);
    const old = await locked(trx, asked, 'api_keys').executeTakeFirst();
    assertCanRotate(id, old, now);
    const replacement = await trx
      .insertInto('api_keys')
      .values({
        id: newKeyId,
        account_id: old.account_id,
        label: old.label,
        digest: rotation.digest,
        last_four: rotation.lastFour,
        created_at_ms: now,
        expires_at_ms: rotation.expiresAt ?? old.expires_at_ms,
        limit_per_minute: old.limit_per_minute,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .executeTakeFirst();
    if (replacement === undefined) throw digestTaken();
    const changed = await trx
      .updateTable('api_keys')
      .set({
        replaced_by: newKeyId,
        expires_at_ms: earlierOf(old.expires_at_ms ?? overlapUntil, overlapUntil),
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    const rotated = { old: keyRecordOf(changed), replacement: keyRecordOf(replacement) };
    await journal(trx, {
      action: 'key.rotate',
      subject: { kind: 'key', id },
      summary: `Replaced the key ending in ${old.last_four}${labelled(old)} by ${newKeyId}.`,
      details: {
        replacedBy: newKeyId,
        oldExpiresAtMs: rotated.old.expiresAt ?? null,
        ...keyDetails(rotated.replacement),
      },
    });
    return rotated;
  });
}

function assertCanRotate(
  id: string,
  key: Selectable<ApiKeyTable> | undefined,
  now: EpochMs,
): asserts key is Selectable<ApiKeyTable> {
  if (key === undefined) throw unknownKey(id);
  if (key.status === 'revoked') throw revokedKey(id);
  if (key.replaced_by !== null) {
    throw new StoreError('key_already_rotated', `The key ${id} was rotated already; ${key.replaced_by} replaced it.`);
  }
  if (key.status === 'disabled') {
    throw new StoreError('key_not_active', `The key ${id} is disabled. Enable it first, or create a new key.`);
  }
  if (key.expires_at_ms !== null && key.expires_at_ms <= now) {
    throw new StoreError('key_not_active', `The key ${id} has expired. Create a new key.`);
  }
}

function earlierOf(one: EpochMs, other: EpochMs): EpochMs {
  return one < other ? one : other;
}
