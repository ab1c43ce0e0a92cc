import { hash } from 'node:crypto';
import type { Randomness } from '../clock.ts';
import { checksummed, isChecksummed } from './api-key.ts';

declare const operatorToken: unique symbol;

/** `mdo_`, 32 random base62 characters (190 bits) and their checksum: made as an API key is, see `ApiKey`. */
export type OperatorToken = string & { readonly [operatorToken]: true };

const prefix = 'mdo_';
const sourcePrefix = 'mds_';

/** A new token. It is shown to its holder once and stored nowhere. */
export function generateOperatorToken(randomness: Randomness): OperatorToken {
  return checksummed(prefix, randomness) as OperatorToken;
}

/** A new token for an engine that pushes prices: `mds_` and then as an operator token. */
export function generateSourceToken(randomness: Randomness): string {
  return checksummed(sourcePrefix, randomness);
}

/** True when the text is written as a made token is, checksum included: such a text cannot be guessed. */
export function hasTokenShape(text: string): text is OperatorToken {
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
