import type { Randomness } from './clock.ts';

/** Digits first, then capitals, then small letters: the ASCII order. */
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const base = alphabet.length;
/**
 * The largest multiple of 62 in a byte: higher values are drawn again, or the first characters would come up more
 * often.
 */
const unbiasedBelow = 248;

const values = new Int8Array(128).fill(-1);
for (let value = 0; value < base; value++) values[alphabet.charCodeAt(value)] = value;

/** The value of a digit by its character code; -1 for any other character. */
export function base62Value(characterCode: number): number {
  return characterCode < 128 ? values[characterCode]! : -1;
}

/** `length` characters, each of the 62 equally likely. */
export function randomBase62(length: number, randomness: Randomness): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomness.bytes(length)) {
      if (byte < unbiasedBelow && text.length < length) text += alphabet[byte % base];
    }
  }
  return text;
}

/** A whole number, most significant digit first, padded with `0` to `length`. */
export function toBase62(value: number, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest = Math.floor(rest / base)) text = alphabet[rest % base] + text;
  return text;
}
