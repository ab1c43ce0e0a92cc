import type { Selectable } from 'kysely';
import { configuredLimitMax } from '../contract/limits.ts';
import type { EpochMs } from '../ground/clock.ts';
import { type RecordOf, recordOf } from './record.ts';
import type { ApiKeyTable } from './schema.ts';
import { StoreError, type StoreErrorValues } from './store-error.ts';

/** A key as people manage it. It holds neither the key's text nor its digest. */
export type KeyRecord = Omit<RecordOf<ApiKeyTable>, 'seq' | 'digest'>;

export interface KeyWithAccount extends KeyRecord {
  readonly accountEmail: string;
  readonly accountActive: boolean;
}

/** A new key as it is stored, without its text. */
export interface NewKey
  extends Pick<KeyRecord, 'accountId' | 'lastFour'>,
    Partial<Pick<KeyRecord, 'expiresAt' | 'limitPerMinute'>> {
  /** SHA-256 of the whole key text: 32 bytes. */
  readonly digest: Uint8Array;
  /** Up to 100 characters; empty when left out. */
  readonly label?: string | undefined;
}

const labelLengthMax = 100;
/** They make a reader of a terminal or a mail see another text. */
const deceptiveCharacter = /[\p{Cc}\p{Bidi_Control}]/u;

/** A change of a key by an operator; what is left out stays. `null` is no expiry, and the configured limit. */
export interface KeyChange {
  readonly label?: string | undefined;
  readonly expiresAt?: EpochMs | null | undefined;
  readonly limitPerMinute?: number | null | undefined;
}

/** Throws the `StoreError` of the first rule that a field breaks. */
export function assertKeyFields(key: KeyChange, now: EpochMs): void {
  const label = key.label ?? '';
  if (label.length > labelLengthMax || deceptiveCharacter.test(label)) throw labelInvalid();
  if (key.expiresAt != null && key.expiresAt <= now) throw keyExpiryInPast();
  const limit = key.limitPerMinute;
  if (limit != null && !(Number.isInteger(limit) && limit >= 1 && limit <= configuredLimitMax)) {
    throw limitInvalid();
  }
}

export function keyRecordOf(row: Selectable<ApiKeyTable>): KeyRecord {
  const { seq, digest, ...record } = recordOf(row);
  return record;
}

/** The audit log's details of a key. */
export function keyDetails({ accountId, label, lastFour, expiresAt, limitPerMinute }: KeyRecord) {
  return { accountId, label, lastFour, expiresAtMs: expiresAt ?? null, limitPerMinute: limitPerMinute ?? null };
}

/** The label of a key as the end of a sentence; nothing for a key without one. */
export function labelled({ label }: Pick<KeyRecord, 'label'>): string {
  return label === '' ? '' : ` ("${label}")`;
}

export function labelInvalid() {
  const limit = `at most ${labelLengthMax} characters`;
  const message = `A label has ${limit}, none of them a control character or a direction mark.`;
  return new StoreError('label_invalid', {}, message);
}

export function keyExpiryInPast() {
  return new StoreError('expiry_not_in_future.key', {}, 'The expiry of a key must lie in the future.');
}

export function limitInvalid() {
  const message = `A limit is a whole number of requests a minute, 1 to ${configuredLimitMax}.`;
  return new StoreError('limit_invalid', {}, message);
}

export function keyUnknown(values: StoreErrorValues['key_unknown']) {
  return new StoreError('key_unknown', values, `There is no key ${values.id}.`);
}
