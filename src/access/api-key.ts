import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { base62Value, randomBase62, toBase62 } from '../ground/base62.ts';
import type { Randomness } from '../ground/clock.ts';

declare const apiKey: unique symbol;

/**
 * `mdk_`, 32 random base62 characters (190 bits), and the CRC-32 (as in zlib) of those 36 characters in 6 base62
 * characters, padded with `0`. Base62 is `0-9A-Za-z` in this order. The checksum distinguishes a mistyped or cut-off
 * key from a real one without a look-up, for people's tools and for scanners of leaked secrets; it is no protection.
 */
export type ApiKey = string & { readonly [apiKey]: true };

export const apiKeyLength = 42;
const prefix = 'mdk_';
const checksumLength = 6;
const bodyLength = apiKeyLength - checksumLength;

/** A new key. It is shown to its holder once and stored nowhere. */
export function generateApiKey(randomness: Randomness): ApiKey {
  return checksummed(prefix, randomness) as ApiKey;
}

/** A secret written as an `ApiKey` is. @param start its four characters in the place of `mdk_` */
export function checksummed(start: string, randomness: Randomness): string {
  const body = start + randomBase62(bodyLength - start.length, randomness);
  return body + toBase62(crc32(body), checksumLength);
}

/** True for what `checksummed` gives, which cannot be guessed. The time reveals only length and start of the text. */
export function isChecksummed(text: string, start: string): boolean {
  if (text.length !== apiKeyLength || !text.startsWith(start)) return false;
  let written = 0;
  /** Negative once any value was: a sign bit that is never cleared. */
  let notDigits = 0;
  for (let index = start.length; index < apiKeyLength; index++) {
    const value = base62Value(text.charCodeAt(index));
    notDigits |= value;
    if (index >= bodyLength) written = written * 62 + value;
  }
  return written === crc32(text.slice(0, bodyLength)) && notDigits >= 0;
}

/** SHA-256 of the whole key text in ASCII: 32 bytes. All that is ever stored of a key. */
export function digestOf(key: ApiKey): Uint8Array {
  return hash('sha256', key, 'buffer');
}

/** By which people distinguish keys; part of the checksum, so that it gives away nothing of the random part itself. */
export function lastFourOf(key: ApiKey): string {
  return key.slice(-4);
}
