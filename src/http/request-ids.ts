import type { Randomness } from '../ground/clock.ts';
import { RequestNumbers } from '../ground/request-numbers.ts';

const keyBytes = 16;
const idsPerRefill = 256;

/** Gives out request identifiers. */
export interface RequestIds {
  /** 32 hexadecimal digits. */
  next(): string;
  /** The number of the one given out last. */
  readonly last: number;
  /** With it an id is turned back into its number: 1, 2, 3 and so on. See `RequestNumbers`. */
  readonly key: Uint8Array;
}

/**
 * Identifiers are numbers under a cipher: without the key they look random, with it the record finds an
 * answer by its id without keeping the id. They are made in bulk, because that costs less than one by one.
 */
export function requestIds(randomness: Randomness): RequestIds {
  const key = randomness.bytes(keyBytes);
  const numbers = new RequestNumbers(key);
  /** The last one is the next. */
  let pool: string[] = [];
  let last = 0;
  return {
    key,
    get last() {
      return last;
    },
    next() {
      if (pool.length === 0)
        pool = numbers.idsOf(Array.from({ length: idsPerRefill }, (_, nth) => last + idsPerRefill - nth));
      last++;
      return pool.pop()!;
    },
  };
}
