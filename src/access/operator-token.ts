import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { base62Value, randomBase62, toBase62 } from '../base62.ts';
import type { Randomness } from '../clock.ts';

declare const operatorToken: unique symbol;

/** `mdo_`, 32 random base62 characters (190 bits) and their checksum: made as an API key is, see `ApiKey`. */
export type OperatorToken = string & { readonly [operatorToken]: true };

const prefix = 'mdo_';
/** As long as the other. */
const sourcePrefix = 'mds_';
const bodyLength = prefix.length + 32;
const checksumLength = 6;

/** A new token. It is shown to its holder once and stored nowhere. */
export function generateOperatorToken(randomness: Randomness): OperatorToken {
  return generated(prefix, randomness) as OperatorToken;
}

/** A new token for an engine that pushes prices: `mds_` and then as an operator token. */
export function generateSourceToken(randomness: Randomness): string {
  return generated(sourcePrefix, randomness);
}

function generated(start: string, randomness: Randomness): string {
  const body = start + randomBase62(bodyLength - start.length, randomness);
  return body + toBase62(crc32(body), checksumLength);
}

/** True when the text is written as a made token is, checksum included: such a text cannot be guessed. */
export function hasTokenShape(text: string): text is OperatorToken {
  return hasShape(text, prefix);
}

/** The same for a token of an engine. */
export function hasSourceTokenShape(text: string): boolean {
  return hasShape(text, sourcePrefix);
}

function hasShape(text: string, start: string): boolean {
  if (text.length !== bodyLength + checksumLength || !text.startsWith(start)) return false;
  for (let index = start.length; index < text.length; index++) {
    if (base62Value(text.charCodeAt(index)) < 0) return false;
  }
  return text.slice(bodyLength) === toBase62(crc32(text.slice(0, bodyLength)), checksumLength);
}

/** SHA-256 of the whole text in UTF-8: all that is ever stored of a token, 32 bytes. */
export function tokenDigest(text: string): Uint8Array {
  return hash('sha256', text, 'buffer');
}
