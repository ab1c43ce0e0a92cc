import type { Randomness } from '../clock.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomLength = 16;
/** The largest multiple of 62 in a byte: higher values are drawn again, or the first characters would come up more often. */
const unbiasedBelow = 248;

export type IdPrefix = 'acc' | 'key' | 'win' | 'ntc' | 'aud' | 'tok';

/** A new id: the prefix, `_` and 16 random base62 characters (95 bits). */
export function newId(prefix: IdPrefix, randomness: Randomness): string {
  let text = '';
  while (text.length < randomLength) {
    for (const byte of randomness.bytes(randomLength)) {
      if (byte < unbiasedBelow && text.length < randomLength) text += alphabet[byte % alphabet.length];
    }
  }
  return `${prefix}_${text}`;
}
