import type { Randomness } from '../clock.ts';

/** A secret of 64 bits. */
export type HashKey = readonly [number, number];

export function newHashKey(randomness: Randomness): HashKey {
  const bytes = new DataView(Uint8Array.from(randomness.bytes(8)).buffer);
  return [bytes.getInt32(0), bytes.getInt32(4)];
}

/**
 * HalfSipHash-2-4 of two words. Who does not know the key cannot look for words whose hashes are alike. Written out,
 * because it runs on the way of a request.
 */
export function keyedHash([k0, k1]: HashKey, high: number, low: number): number {
  let v0 = k0;
  let v1 = k1;
  let v2 = 0x6c796765 ^ k0;
  let v3 = 0x74656462 ^ k1;
  // Two words of message, the word of its length, and the four rounds of the end.
  for (let step = 0; step < 10; step++) {
    const word = step < 2 ? high : step < 4 ? low : step < 6 ? 8 << 24 : 0;
    if (step < 6 && step % 2 === 0) v3 ^= word;
    if (step === 6) v2 ^= 0xff;
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
    if (step < 6 && step % 2 === 1) v0 ^= word;
  }
  return (v1 ^ v3) >>> 0;
}
