import { hash } from 'node:crypto';
import type { Randomness } from '../ground/clock.ts';
import { checksummed, isChecksummed } from './api-key.ts';

/** How the tokens of operators begin, and those of engines that push prices. */
const starts = { operator: 'mdo_', source: 'mds_' } as const;

type Holder = keyof typeof starts;

/**
 * A new token: `mdo_` or `mds_`, 32 random base62 characters (190 bits) and their checksum, made as an API key is, see
 * `ApiKey`. It is shown to its holder once and stored nowhere.
 */
export function generateToken(holder: Holder, randomness: Randomness): string {
  return checksummed(starts[holder], randomness);
}

/** True when the text is written as a made token of the holder is, checksum included: such a text cannot be guessed. */
export function hasTokenShape(holder: Holder, text: string): boolean {
  return isChecksummed(text, starts[holder]);
}

/** SHA-256 of the whole text in UTF-8: all that is ever stored of a token, 32 bytes. */
export function tokenDigest(text: string): Uint8Array {
  return hash('sha256', text, 'buffer');
}
