import { randomBase62 } from '../base62.ts';
import type { Randomness } from '../clock.ts';

const randomLength = 16;

export type IdPrefix = 'acc' | 'key' | 'win' | 'ntc' | 'aud' | 'tok';

/** A new id: the prefix, `_` and 16 random base62 characters (95 bits). */
export function newId(prefix: IdPrefix, randomness: Randomness): string {
  return `${prefix}_${randomBase62(randomLength, randomness)}`;
}
