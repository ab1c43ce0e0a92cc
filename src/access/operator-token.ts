import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { base62Value, randomBase62, toBase62 } from '../base62.ts';
import type { Randomness } from '../clock.ts';

declare const operatorToken: unique symbol;

/** `mdo_`, 32 random base62 characters (190 bits) and their checksum: made as an API key is, see `ApiKey`. */
export type OperatorToken = string & { readonly [operatorToken]: true };

const prefix = 'mdo_';
const bodyLength = prefix.length + 32;
const checksumLength = 6;

/** A new token. It is shown to its holder once and kept nowhere. */
export function generateOperatorToken(randomness: Randomness): OperatorToken {
  const body = prefix + randomBase62(bodyLength - prefix.length, randomness);
  return (body + toBase62(crc32(body), checksumLength)) as OperatorToken;
}

/** True when the text is written as a made token is, checksum included: nobody comes to such a text by guessing. */
export function hasTokenShape(text: string): text is OperatorToken {
  if (text.length !== bodyLength + checksumLength || !text.startsWith(prefix)) return false;
  for (let index = prefix.length; index < text.length; index++) {
    if (base62Value(text.charCodeAt(index)) < 0) return false;
  }
  return text.slice(bodyLength) === toBase62(crc32(text.slice(0, bodyLength)), checksumLength);
}

/** SHA-256 of the whole text in UTF-8: all that is ever stored of a token, 32 bytes. */
export function tokenDigest(text: string): Uint8Array {
  return hash('sha256', text, 'buffer');
}
