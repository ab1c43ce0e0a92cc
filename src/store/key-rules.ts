import type { EpochMs } from '../clock.ts';
import { StoreError } from './store-error.ts';

const digestBytes = 32;
const labelLengthMax = 100;
const controlCharacter = /\p{Cc}/u;

/** Requests a minute a key may be allowed: what the packed counters of the limiter can hold. */
export const limitPerMinuteMax = 1_000_000;

/** What a key needs to be stored. Its text is not among it. */
export interface NewKey {
  readonly accountId: string;
  /** SHA-256 of the whole key text: 32 bytes. */
  readonly digest: Uint8Array;
  /** The last four characters of the key, by which people tell keys apart. */
  readonly lastFour: string;
  /** Up to 100 characters; empty when left out. */
  readonly label?: string | undefined;
  /** The first instant at which the key is no longer valid. */
  readonly expiresAt?: EpochMs | undefined;
  /** 1 to 1,000,000; the configured limit when left out. */
  readonly limitPerMinute?: number | undefined;
}

/** Throws the `StoreError` of the first rule that the new key breaks. */
export function assertNewKey(key: Omit<NewKey, 'accountId'>, now: EpochMs): void {
  if (key.digest.length !== digestBytes) {
    throw new StoreError('digest_invalid', 'A digest has 32 bytes: the SHA-256 of the whole key.');
  }
  if (key.lastFour.length !== 4) {
    throw new StoreError('last_four_invalid', 'The last four characters of the key are needed, no more and no fewer.');
  }
  const label = key.label ?? '';
  if (label.length > labelLengthMax || controlCharacter.test(label)) {
    throw new StoreError('label_invalid', 'A label has at most 100 characters and no control characters.');
  }
  if (key.expiresAt !== undefined && key.expiresAt <= now) {
    throw new StoreError('expiry_not_in_future', 'The expiry of a new key must lie in the future.');
  }
  const limit = key.limitPerMinute;
  if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1 && limit <= limitPerMinuteMax)) {
    throw new StoreError('limit_invalid', 'A limit is a whole number of requests a minute, 1 to 1000000.');
  }
}
