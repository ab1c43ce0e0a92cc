import { createCipheriv } from 'node:crypto';
import type { Randomness } from '../clock.ts';

const idBytes = 16;
const idsPerRefill = 256;

/** Gives out request identifiers. */
export interface RequestIds {
  /** 32 hexadecimal digits. */
  next(): string;
  /** The number of the one given out last. */
  readonly last: number;
  /** With it an id is turned back into its number: 1, 2, 3 and so on. AES-128, one block an id. */
  readonly key: Uint8Array;
}

/**
 * Identifiers are numbers under a cipher: without the key they look random, with it the record finds an
 * answer by its id without keeping the id. They are made in bulk, because that costs less than one by one.
 */
export function requestIds(randomness: Randomness): RequestIds {
  const key = randomness.bytes(idBytes);
  const cipher = createCipheriv('aes-128-ecb', key, null).setAutoPadding(false);
  const numbers = Buffer.alloc(idBytes * idsPerRefill);
  let pool = '';
  let at = 0;
  let last = 0;
  const refill = () => {
    for (let index = 0; index < idsPerRefill; index++) {
      const number = last + 1 + index;
      numbers.writeUInt32BE(Math.floor(number / 2 ** 32), index * idBytes + 8);
      numbers.writeUInt32BE(number % 2 ** 32, index * idBytes + 12);
    }
    pool = cipher.update(numbers).toString('hex');
    at = 0;
  };
  return {
    key,
    get last() {
      return last;
    },
    next() {
      if (at === pool.length) refill();
      last++;
      at += idBytes * 2;
      return pool.slice(at - idBytes * 2, at);
    },
  };
}
