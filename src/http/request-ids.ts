import type { Randomness } from '../clock.ts';

const idBytes = 16;
const idsPerRefill = 256;

/**
 * Gives out request identifiers: 32 random hexadecimal digits each, drawn in bulk because asking for
 * randomness once per request costs more than the rest of the identifier.
 */
export function requestIds(randomness: Randomness): () => string {
  let pool = '';
  let at = 0;
  return () => {
    if (at === pool.length) {
      pool = Buffer.from(randomness.bytes(idBytes * idsPerRefill)).toString('hex');
      at = 0;
    }
    at += idBytes * 2;
    return pool.slice(at - idBytes * 2, at);
  };
}
