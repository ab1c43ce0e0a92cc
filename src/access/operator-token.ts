import { hash } from 'node:crypto';
import type { Randomness } from '../clock.ts';
import { checksummed, isChecksummed } from './api-key.ts';

const prefix = 'mdo_';
const sourcePrefix = 'mds_';

/**
 * A new token: `mdo_`, 32 random base62 characters (190 bits) and their checksum, made as an API key is, see `ApiKey`. It is
 * shown to its holder once and stored nowhere.
 */
export function generateOperatorToken(randomness: Randomness): string {
  return checksummed(prefix, randomness);
}

/** A new token for an engine that pushes prices: `mds_` and then as an operator token. */
export function generateSourceToken(randomness: Randomness): string {
  return checksummed(sourcePrefix, randomness);
}

/** True when the text is written as a made token is, checksum included: such a text cannot be guessed. */
export function hasTokenShape(text: string): boolean {
  return isChecksummed(text, prefix);
}

/** The same for a token of an engine. */
export function hasSourceTokenShape(text: string): boolean {
  return isChecksummed(text, sourcePrefix);
}

/** SHA-256 of the whole text in UTF-8: all that is ever stored of a token, 32 bytes. */
export function tokenDigest(text: string): Uint8Array {
  return hash('sha256', text, 'buffer');
}
